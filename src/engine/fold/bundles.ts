import { olderLink } from '../../base/errors.ts'
import { Flag, Hop, hopOf, SwapFloatLane, SwapLane, walletOf } from '../../events/swap-record.ts'
import { isSameSignature } from '../state/address-book.ts'
import type { SwapContext } from '../state/lanes.ts'
import { LifecycleLane, PositionFlag, TokenFlag, TokenLane } from '../state/layout.ts'
import { lamportsOfSwap } from '../state/money.ts'
import type { State } from '../state/state.ts'
import type { Holders } from './holders.ts'

/** Swaps of one transaction looked back over for one judgement; it holds far fewer of one mint. */
const LOOK_BACK_MAX = 4_096
/** Mints whose groups are kept; past it the one that began first is read off the tape again if needed. */
export const GROUPS_MAX = 64

/**
 * Bundlers: two or more signers buying a mint in one launch slot for 0.05 SOL each, or in one
 * transaction at any age (contract section 2). The group is read off the mint's chain in the tape.
 */
export class Bundles {
  readonly #state: State
  readonly #holders: Holders
  readonly #groups = new LaunchGroups()
  /** Tape indices of swaps that are not in their group yet, newest first. */
  readonly #fresh: number[] = []
  /** Signers of the transaction being looked at. */
  readonly #signers = new Set<number>()

  constructor(state: State, holders: Holders) {
    this.#state = state
    this.#holders = holders
  }

  /**
   * Judges a buy whose record is already in its mint's chain; `mayShare` false when the
   * mint's swap before it is known to be of another transaction.
   */
  judge(swap: SwapContext, mayShare = true): void {
    if (!swap.isBuy) return
    if (this.#isLaunchSlot(swap)) this.#judgeGroup(swap.token, this.#groupOf(swap))
    if (mayShare && this.#sharesTransaction(swap)) {
      this.#collectSigners(swap)
      this.#judgeSigners(swap.token)
    }
  }

  /** Swaps of the mint were taken back, or who of it counts as a holder is not what it was. */
  forget(token: number): void {
    this.#groups.forget(token)
  }

  /** Another state, or other rules. */
  drop(): void {
    this.#groups.drop()
  }

  /** Is the mint's swap before this one of the same transaction? */
  #sharesTransaction(swap: SwapContext): boolean {
    const before = swap.r[swap.rAt + SwapLane.previousInMint] - 1
    if (before < 0) return false
    const { tape } = this.#state
    return isSameSignature(tape.u32Of(before), tape.at(before), swap.r, swap.rAt)
  }

  #isLaunchSlot(swap: SwapContext): boolean {
    const wanted = TokenFlag.creationKnown | TokenFlag.slotKnown
    if ((swap.t[swap.tAt + TokenLane.flags] & wanted) !== wanted || swap.flags & Flag.noSlot)
      return false
    return (
      swap.slot <=
      swap.bf[(swap.bAt >>> 1) + LifecycleLane.createdSlotF] + this.#state.rules.bundleSlots
    )
  }

  /** The group of the slot up to the swap that is folded. */
  #groupOf(swap: SwapContext): LaunchGroup {
    const { tape } = this.#state
    const { token, slot } = swap
    const known = this.#groups.find(token, slot)
    const knownPlus1 = known === null ? 0 : known.lastIndex + 1
    this.#fresh.length = 0
    let next = swap.index + 1
    while (next !== 0 && next !== knownPlus1) {
      const index = next - 1
      const r = tape.u32Of(index)
      const at = tape.at(index)
      if (tape.f64Of(index)[(at >>> 1) + SwapFloatLane.slot] !== slot) break
      const isBuy = (r[at + SwapLane.flags] & (Flag.sell | Flag.noSlot)) === 0
      if (isBuy && hopOf(r, at) !== Hop.passed) this.#fresh.push(index)
      next = olderLink(r[at + SwapLane.previousInMint], index, 'swaps of a mint')
    }
    const goesOn = known !== null && next === knownPlus1
    const group = goesOn ? known : this.#groups.begin(token, slot)
    for (let i = this.#fresh.length - 1; i >= 0; i--) this.#add(swap, group, this.#fresh[i])
    group.lastIndex = swap.index
    return group
  }

  #add({ token, quote }: SwapContext, group: LaunchGroup, index: number): void {
    const { tape, rules } = this.#state
    const wallet = walletOf(tape.u32Of(index), tape.at(index))
    const before = group.bought.get(wallet)
    const lamports = (before ?? 0) + this.#lamports(quote, index)
    group.bought.set(wallet, lamports)
    if (before !== undefined && before >= rules.bundleLamports) return
    if (lamports >= rules.bundleLamports && this.#holderOf(token, wallet) >= 0)
      group.reached.push(wallet)
  }

  #judgeGroup(token: number, group: LaunchGroup): void {
    const { reached } = group
    if (reached.length < 2) return
    // Whose buy is newest goes first: the undo log, and with it a snapshot, holds them in this order.
    for (let i = reached.length - 1; i >= group.judged; i--)
      this.#flag(this.#state.findPosition(token, reached[i]))
    group.judged = reached.length
  }

  #collectSigners(swap: SwapContext): void {
    this.#signers.clear()
    const { tape } = this.#state
    let next = swap.index + 1
    for (let looked = 0; next !== 0 && looked < LOOK_BACK_MAX; looked++) {
      const index = next - 1
      const r = tape.u32Of(index)
      const at = tape.at(index)
      if (!isSameSignature(r, at, swap.r, swap.rAt)) return
      const isBuy = (r[at + SwapLane.flags] & Flag.sell) === 0
      if (isBuy && hopOf(r, at) !== Hop.passed) this.#signers.add(walletOf(r, at))
      next = r[at + SwapLane.previousInMint]
    }
  }

  #lamports(quote: number, index: number): number {
    const { tape } = this.#state
    return lamportsOfSwap(tape.u32Of(index), tape.f64Of(index), tape.at(index), quote)
  }

  #judgeSigners(token: number): void {
    if (this.#signers.size < 2) return
    const group: number[] = []
    for (const wallet of this.#signers) {
      const position = this.#holderOf(token, wallet)
      if (position >= 0) group.push(position)
    }
    if (group.length < 2) return
    for (const position of group) this.#flag(position)
  }

  /** The wallet's position; −1 when it has none that counts as a holder's. */
  #holderOf(token: number, wallet: number): number {
    const position = this.#state.findPosition(token, wallet)
    if (position < 0 || this.#holders.hasFlag(position, PositionFlag.excluded)) return -1
    return position
  }

  #flag(position: number): void {
    if (this.#holders.hasFlag(position, PositionFlag.creator | PositionFlag.bundle)) return
    this.#holders.setFlags(position, 0, PositionFlag.bundle)
  }
}

/** Who bought a mint in one slot, up to one of its swaps: as many as a slot of the chain has room for. */
interface LaunchGroup {
  readonly slot: number
  /** The newest swap that is in it. */
  lastIndex: number
  /** Wallet → lamports bought. */
  readonly bought: Map<number, number>
  /** Wallets that bought for enough and count as holders, in the order in which they came to it. */
  readonly reached: number[]
  /** So many of `reached` were judged bundlers. */
  judged: number
}

/**
 * The groups of the mints that are being launched, so that a swap is added to its own and does not
 * read all before it: n swaps of one slot would be read n² / 2 times. They are not state: each can be
 * read off the chain of its mint's swaps, and has to be once one of those, or who is a holder, changed
 * (`forget`).
 */
export class LaunchGroups {
  readonly #groups = new Map<number, LaunchGroup>()

  /** That of a mint, if it is the one of this slot. */
  find(token: number, slot: number): LaunchGroup | null {
    const group = this.#groups.get(token)
    return group?.slot === slot ? group : null
  }

  /** An empty one in place of the mint's last one. */
  begin(token: number, slot: number): LaunchGroup {
    this.#groups.delete(token)
    if (this.#groups.size >= GROUPS_MAX)
      for (const oldest of this.#groups.keys()) {
        this.#groups.delete(oldest)
        break
      }
    const group = { slot, lastIndex: -1, bought: new Map(), reached: [], judged: 0 }
    this.#groups.set(token, group)
    return group
  }

  forget(token: number): void {
    this.#groups.delete(token)
  }

  drop(): void {
    this.#groups.clear()
  }
}
