import type { Budget } from '../../base/budget.ts'
import { copyU64 } from '../../base/u64.ts'
import {
  Flag,
  Hop,
  hopOf,
  SwapFloatLane,
  SwapLane,
  volumeMicroUsdOf,
  walletOf,
} from '../../events/swap-record.ts'
import { isSameSignature } from '../state/address-book.ts'
import { type ChainCopy, CopiedChains } from '../state/dormant.ts'
import { ProfileLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { chainOfPosition, linkOf } from './swap-chains.ts'

/** Copied trades of all positions, of 40 bytes each. */
const COPIED_MAX = 1 << 19
const POSITIONS_MAX = 1 << 14
/** Swaps of one transaction that are searched for another hop, as the fold does. */
const LOOK_MAX = 64

/** u32 lanes of a copied trade; `paidF` is the f64 lane of what was paid, or received, in micro-USD. */
export const TradeLane = {
  timestamp: 0,
  flags: 1,
  baseLo: 2,
  balanceBeforeLo: 4,
  balanceAfterLo: 6,
  paidF: 4,
  lanes: 10,
} as const

export const TradeFlag = {
  sell: 1 << 0,
  /** Its coin only passed through on a route. */
  passed: 1 << 1,
  /** The swap of the position before it is of the same transaction. */
  sameTransaction: 1 << 2,
} as const

/** A swap as the hop of a route. */
interface HopAt {
  readonly token: number
  readonly wallet: number
  /** One of `Hop`. */
  readonly hop: number
  readonly isSell: boolean
  /** Token row of the coin that it was counted in; -1: SOL, dollars, or a coin that nothing names. */
  readonly coin: number
  readonly microUsd: number
}

/**
 * The swaps of one position, oldest first, with what its PnL depends on. Each is a read of the tape: those that no
 * late event can reach are copied in pieces, once.
 */
export class PositionTrades {
  readonly #state: State
  readonly #reach: () => number
  readonly #copies: CopiedChains

  /** `reach`: tape index before which nothing changes any more, and no transaction goes on. */
  constructor(state: State, reach: () => number) {
    this.#state = state
    this.#reach = reach
    this.#copies = new CopiedChains(
      TradeLane.lanes / 2,
      { records: COPIED_MAX, chains: POSITIONS_MAX },
      (index, copy) => this.#copy(index, copy),
    )
  }

  get bytes(): number {
    return this.#copies.bytes
  }

  /**
   * Copies of the swaps of a position, oldest first, to be read one after the other.
   * @throws OutOfTime before all are copied
   * @throws TapeDamage when one cannot be read
   */
  of(position: number, budget: Budget): readonly ChainCopy[] {
    const { name, newestPlus1 } = chainOfPosition(this.#state, position)
    return this.#copies.whole(name, newestPlus1, this.#reach(), budget)
  }

  /** Adds the swap at a tape index to a copy; returns the one before it of its position, + 1. */
  #copy(index: number, copy: ChainCopy): number {
    const { tape } = this.#state
    const paidMicroUsd = this.#paidMicroUsd(index)
    const before = linkOf(this.#state, index, SwapLane.previousInPosition)
    const isSameTransaction = before !== 0 && this.#isRun(before - 1, index)
    const [r, at] = [tape.u32Of(index), tape.at(index)]
    const flags = r[at + SwapLane.flags]
    const to = copy.add() * 2
    copy.u32[to + TradeLane.timestamp] = r[at + SwapLane.timestamp]
    copy.u32[to + TradeLane.flags] =
      (flags & Flag.sell ? TradeFlag.sell : 0) |
      (hopOf(r, at) === Hop.passed ? TradeFlag.passed : 0) |
      (isSameTransaction ? TradeFlag.sameTransaction : 0)
    copyU64(copy.u32, to + TradeLane.baseLo, r, at + SwapLane.baseLo)
    copyU64(copy.u32, to + TradeLane.balanceBeforeLo, r, at + SwapLane.balanceBeforeLo)
    copyU64(copy.u32, to + TradeLane.balanceAfterLo, r, at + SwapLane.balanceAfterLo)
    copy.f64[(to >>> 1) + TradeLane.paidF] = paidMicroUsd
    return before
  }

  /** Is a transaction a run of neighbours that has both swaps? */
  #isRun(from: number, to: number): boolean {
    for (let index = to - 1; index >= from; index--)
      if (!this.#isSameTransaction(index, to)) return false
    return true
  }

  #isSameTransaction(a: number, b: number): boolean {
    const { tape } = this.#state
    // The lanes of a record on the disk are valid only until another is read.
    const [r, at] = [tape.u32Of(a).slice(tape.at(a), tape.at(a) + SwapLane.signature + 16), 0]
    return isSameSignature(r, at, tape.u32Of(b), tape.at(b))
  }

  /** What the trader paid or got: of a hop of a route what its hop of SOL or dollars did (contract section 2). */
  #paidMicroUsd(index: number): number {
    const own = this.#hopAt(index)
    if (own.coin < 0) return own.microUsd
    if (own.isSell && own.hop === Hop.first) return this.#proceeds(index, own)
    if (own.isSell || own.hop !== Hop.later) return own.microUsd
    const { coin } = own
    for (let at = index - 1; at >= Math.max(0, index - LOOK_MAX); at--) {
      if (!this.#isSameTransaction(at, index)) break
      const before = this.#hopAt(at)
      if (before.wallet !== own.wallet || before.hop !== Hop.passed || before.token !== coin)
        continue
      return before.isSell ? own.microUsd : before.microUsd
    }
    return own.microUsd
  }

  /** Of a sale that began a route: a later hop brought its proceeds, unless that one belongs to a sale behind it. */
  #proceeds(index: number, own: HopAt): number {
    const { tape } = this.#state
    const { coin } = own
    let waiting = 1
    for (let at = index + 1; at < Math.min(tape.count, index + LOOK_MAX + 1); at++) {
      if (!this.#isSameTransaction(at, index)) break
      const next = this.#hopAt(at)
      if (next.wallet !== own.wallet || !next.isSell) continue
      if (next.hop === Hop.first) {
        if (next.coin === coin) waiting += 1
      } else if (next.hop === Hop.passed && next.token === coin) {
        waiting -= 1
        if (waiting === 0) return next.microUsd
      }
    }
    return own.microUsd
  }

  /** The swap at a tape index, as a hop. */
  #hopAt(index: number): HopAt {
    const { profiles, quotes, tape } = this.#state
    const [r, rf, at] = [tape.u32Of(index), tape.f64Of(index), tape.at(index)]
    const token = r[at + SwapLane.token]
    // Its mint may have become one that is quoted in a coin since: the lane shows what it was then.
    const isOfCoin = rf[(at >>> 1) + SwapFloatLane.volumeMicroUsd] <= 0
    return {
      token,
      wallet: walletOf(r, at),
      hop: hopOf(r, at),
      isSell: (r[at + SwapLane.flags] & Flag.sell) !== 0,
      coin: isOfCoin ? quotes.tokenOf(profiles.get(token, ProfileLane.quote)) : -1,
      microUsd: volumeMicroUsdOf(r, rf, at),
    }
  }
}
