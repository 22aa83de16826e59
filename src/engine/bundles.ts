import { numberAt } from '../base/u64.ts'
import type { Hand } from './hand.ts'
import type { Holders } from './holders.ts'
import { B, PositionFlag, T, TokenFlag } from './layout.ts'
import { lamportsOf } from './money.ts'
import { Quote } from './platform.ts'
import { isSameSignature } from './signature.ts'
import type { State } from './state.ts'
import { F, Flag, U } from './swap-record.ts'

/** Swaps looked back over for one judgement; a slot or a transaction holds far fewer of one mint. */
const LOOK_BACK_MAX = 4_096

/**
 * Bundlers: two or more signers buying a mint in one launch slot for 0.05 SOL each, or in one
 * transaction at any age (contract section 2). The group is read off the mint's chain in the tape.
 */
export class Bundles {
  readonly #state: State
  readonly #holders: Holders
  /** Wallet → lamports bought, of the group being looked at. */
  readonly #bought = new Map<number, number>()

  constructor(state: State, holders: Holders) {
    this.#state = state
    this.#holders = holders
  }

  /**
   * Judges the buy in hand, whose record is already in its mint's chain; `mayShare` false when the
   * mint's swap before it is known to be of another transaction.
   */
  judge(hand: Hand, mayShare = true): void {
    if (!hand.isBuy) return
    if (this.#isLaunchSlot(hand)) {
      this.#collectSlot(hand)
      this.#flagGroup(hand.token, this.#state.rules.bundleLamports)
    }
    if (mayShare && this.#sharesTransaction(hand)) {
      this.#collectTransaction(hand)
      this.#flagGroup(hand.token, -1)
    }
  }

  /** Is the mint's swap before this one of the same transaction? */
  #sharesTransaction(hand: Hand): boolean {
    const before = hand.r[hand.rAt + U.previousInMint] - 1
    if (before < 0) return false
    const { tape } = this.#state
    return isSameSignature(tape.u32Of(before), tape.at(before), hand.r, hand.rAt)
  }

  #isLaunchSlot(hand: Hand): boolean {
    const wanted = TokenFlag.creationKnown | TokenFlag.slotKnown
    if ((hand.t[hand.tAt + T.flags] & wanted) !== wanted || hand.flags & Flag.noSlot) return false
    return hand.slot <= hand.bf[(hand.bAt >>> 1) + B.createdSlotF] + this.#state.rules.bundleSlots
  }

  #collectSlot(hand: Hand): void {
    this.#bought.clear()
    const { tape } = this.#state
    const { slot } = hand
    let next = hand.index + 1
    for (let looked = 0; next !== 0 && looked < LOOK_BACK_MAX; looked++) {
      const index = next - 1
      const r = tape.u32Of(index)
      const at = tape.at(index)
      if (tape.f64Of(index)[(at >>> 1) + F.slot] !== slot) return
      if ((r[at + U.flags] & (Flag.sell | Flag.noSlot)) === 0)
        this.#add(r[at + U.wallet], this.#lamports(hand.quote, index))
      next = r[at + U.previousInMint]
    }
  }

  #collectTransaction(hand: Hand): void {
    this.#bought.clear()
    const { tape } = this.#state
    let next = hand.index + 1
    for (let looked = 0; next !== 0 && looked < LOOK_BACK_MAX; looked++) {
      const index = next - 1
      const r = tape.u32Of(index)
      const at = tape.at(index)
      if (!isSameSignature(r, at, hand.r, hand.rAt)) return
      if ((r[at + U.flags] & Flag.sell) === 0) this.#add(r[at + U.wallet], 0)
      next = r[at + U.previousInMint]
    }
  }

  #add(wallet: number, lamports: number): void {
    this.#bought.set(wallet, (this.#bought.get(wallet) ?? 0) + lamports)
  }

  #lamports(quote: number, index: number): number {
    const { tape } = this.#state
    const at = tape.at(index)
    if (quote === Quote.sol) return numberAt(tape.u32Of(index), at + U.quoteLo)
    if (quote === Quote.other) return 0
    const f64 = tape.f64Of(index)
    const atF = at >>> 1
    return lamportsOf(f64[atF + F.volumeMicroUsd], f64[atF + F.solPriceUsd])
  }

  /** Flags every wallet of the group that reaches the floor, if two or more do. */
  #flagGroup(token: number, floorLamports: number): void {
    if (this.#bought.size < 2) return
    const group: number[] = []
    for (const [wallet, lamports] of this.#bought)
      if (lamports >= floorLamports) {
        const position = this.#state.findPosition(token, wallet)
        if (position >= 0 && !this.#holders.hasFlag(position, PositionFlag.excluded))
          group.push(position)
      }
    if (group.length < 2) return
    for (const position of group) this.#flag(position)
  }

  #flag(position: number): void {
    if (this.#holders.hasFlag(position, PositionFlag.creator | PositionFlag.bundle)) return
    this.#holders.setFlags(position, 0, PositionFlag.bundle)
  }
}
