import { numberAt } from '../../base/u64.ts'
import {
  Flag,
  Hop,
  hopOf,
  markPassed,
  SwapFloatLane,
  SwapLane,
  volumeMicroUsdOf,
  walletOf,
} from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { Sized, StatePart } from '../memory/state-part.ts'
import { isSameSignature } from '../state/address-book.ts'
import type { SwapContext } from '../state/lanes.ts'
import { LifecycleLane, PositionLane, WalletLane } from '../state/layout.ts'
import { feesOfSwap, lamportsOfSwap, quoteCounted } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { shareOf } from './position-fold.ts'

/** Swaps of one transaction looked back over for the hop before; a route has a few. */
const LOOK_BACK_MAX = 64

/** A sale that began a route: its tape index + 1, its position, the part of it that was tracked. */
const S = { indexPlus1: 0, position: 1, shareF: 1 } as const
const S_LANES = 4
/** Sales remembered, each at the place of its tape index: a transaction has room for far fewer swaps. */
const SALES = 64

/**
 * Swaps that are hops of one route (contract section 2): the coin between two hops is traded, but nobody
 * holds it, and whoever trades the last coin pays, or gets, what the hop of SOL or dollars does.
 */
export class Routes {
  readonly #state: State
  readonly #sales = new Rows(S_LANES)
  readonly #undo: number
  readonly part: StatePart = this.#sales.part('route sales', SALES)

  constructor(state: State) {
    this.#state = state
    this.#undo = state.undo.register(this.#sales)
    for (let i = 0; i < SALES; i++) this.#sales.add()
  }

  get sized(): readonly Sized[] {
    return [this.#sales]
  }

  /** Does the coin of the swap that is folded, whose money is known, pass through? Sets what the trader paid. */
  take(swap: SwapContext): void {
    swap.isPassed = false
    swap.paidMicroUsd = swap.microUsd
    swap.paidLamports = swap.lamports
    swap.feesBefore = 0
    const hop = hopOf(swap.r, swap.rAt)
    if (hop !== Hop.none) this.#takeHop(swap, hop)
  }

  #takeHop(swap: SwapContext, hop: number): void {
    if (hop === Hop.first) swap.isPassed = swap.isBuy
    else if (swap.isBuy) this.#payBefore(swap)
    else this.#endSale(swap)
    if (swap.isPassed) markPassed(swap.r, swap.rAt)
  }

  /** The sale has been folded: what comes behind it on its route may tell its proceeds. */
  noteSale(swap: SwapContext): void {
    if (swap.isBuy || hopOf(swap.r, swap.rAt) !== Hop.first) return
    const row = swap.index % SALES
    this.#state.undo.save(this.#undo, row)
    this.#sales.u32[0][row * S_LANES + S.indexPlus1] = swap.index + 1
    this.#sales.u32[0][row * S_LANES + S.position] = swap.position
    this.#sales.f64[0][((row * S_LANES) >>> 1) + S.shareF] = swap.soldShare
  }

  /** A buy with a coin that was bought right before: it costs what that one did. */
  #payBefore(swap: SwapContext): void {
    const coin = this.#state.quotes.tokenOf(swap.quote)
    const before = this.#hopBefore(
      swap,
      (r, at) => hopOf(r, at) === Hop.passed && r[at + SwapLane.token] === coin,
    )
    if (before < 0) return
    const { tape } = this.#state
    const [r, rf, at] = [tape.u32Of(before), tape.f64Of(before), tape.at(before)]
    if (r[at + SwapLane.flags] & Flag.sell) return
    const quote = quoteCounted(r, rf, at, this.#quoteOf(coin))
    swap.paidMicroUsd = volumeMicroUsdOf(r, rf, at)
    swap.paidLamports = lamportsOfSwap(r, rf, at, quote)
    swap.feesBefore = feesOfSwap(r, rf, at, quote)
    if (r[at + SwapLane.flags] & Flag.firstOfTransaction)
      swap.feesBefore += numberAt(r, at + SwapLane.chainFeeLo)
  }

  /** A sale of the coin that a sale right before brought: that one got what this one gets. */
  #endSale(swap: SwapContext): void {
    const before = this.#hopBefore(swap, (r, at, index) => {
      const coin = this.#state.quotes.tokenOf(this.#quoteOf(r[at + SwapLane.token]))
      return hopOf(r, at) === Hop.first && coin === swap.token && this.#isOpen(index, at)
    })
    if (before < 0) return
    swap.isPassed = true
    const state = this.#state
    const row = before % SALES
    state.undo.save(this.#undo, row)
    this.#sales.u32[0][row * S_LANES + S.indexPlus1] = 0
    const { tape, positions } = state
    const [r, rf, at] = [tape.u32Of(before), tape.f64Of(before), tape.at(before)]
    const quote = this.#quoteOf(r[at + SwapLane.token])
    const position = this.#sales.u32[0][row * S_LANES + S.position]
    const share = this.#sales.f64[0][((row * S_LANES) >>> 1) + S.shareF]
    state.changePosition(position)
    state.changes.note(r[at + SwapLane.token])
    const pf = positions.f64[position >>> ROW_SHIFT]
    const pAtF = ((position & ROW_MASK) * PositionLane.lanes) >>> 1
    const usd = volumeMicroUsdOf(r, rf, at)
    const realized = shareOf(swap.microUsd, share) - shareOf(usd, share)
    pf[pAtF + PositionLane.soldUsdF] += swap.microUsd - usd
    pf[pAtF + PositionLane.realizedUsdF] += realized
    swap.lf[swap.lAtF + WalletLane.realizedMicroUsdF] += realized
    const lamports = lamportsOfSwap(r, rf, at, quote)
    pf[pAtF + PositionLane.soldSolF] += swap.lamports - lamports
    pf[pAtF + PositionLane.realizedSolF] += shareOf(swap.lamports, share) - shareOf(lamports, share)
    pf[pAtF + PositionLane.feesF] += feesOfSwap(swap.r, swap.rf, swap.rAt, swap.quote)
  }

  /** Tape index of the newest hop of the same route before the swap that is folded, which `is` the one; -1: none is. */
  #hopBefore(
    swap: SwapContext,
    is: (r: Uint32Array, at: number, index: number) => boolean,
  ): number {
    const { tape } = this.#state
    const oldest = Math.max(tape.firstInMemory, swap.index - LOOK_BACK_MAX)
    for (let index = swap.index - 1; index >= oldest; index--) {
      const [r, at] = [tape.u32Of(index), tape.at(index)]
      if (!isSameSignature(r, at, swap.r, swap.rAt)) return -1
      if (walletOf(r, at) === swap.wallet && is(r, at, index)) return index
    }
    return -1
  }

  /** Waits the sale at a tape index, whose record lies at lane `at`, for what it brings? */
  #isOpen(index: number, at: number): boolean {
    if (this.#sales.u32[0][(index % SALES) * S_LANES + S.indexPlus1] !== index + 1) return false
    // Its mint may have been taken to be quoted in SOL or dollars then.
    return this.#state.tape.f64Of(index)[(at >>> 1) + SwapFloatLane.volumeMicroUsd] <= 0
  }

  #quoteOf(token: number): number {
    return this.#state.births.u32[token >>> ROW_SHIFT][
      (token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.quote
    ]
  }
}
