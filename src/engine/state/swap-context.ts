import {
  Flag,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
  walletOf,
} from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import {
  LIFECYCLE_LANES,
  LifecycleLane,
  POSITION_LANES,
  PositionLane,
  TOKEN_LANES,
  WALLET_LANES,
} from './layout.ts'
import type { State } from './state.ts'

/**
 * The swap being folded, with the pages and lanes of every row it touches: the parts of the fold
 * pass this one object along, so that nothing is looked up twice and nothing is allocated.
 * Names of lanes: `r` record, `t` token, `p` position, `l` wallet; `...F` the f64 lane.
 */
export class SwapContext {
  /** Tape index. */
  index = 0
  r: Uint32Array = new Uint32Array(0)
  rf: Float64Array = new Float64Array(0)
  rAt = 0
  rAtF = 0
  token = 0
  t: Uint32Array = new Uint32Array(0)
  tf: Float64Array = new Float64Array(0)
  tAt = 0
  tAtF = 0
  b: Uint32Array = new Uint32Array(0)
  bf: Float64Array = new Float64Array(0)
  bAt = 0
  wallet = 0
  l: Uint32Array = new Uint32Array(0)
  lf: Float64Array = new Float64Array(0)
  lAt = 0
  lAtF = 0
  position = 0
  p: Uint32Array = new Uint32Array(0)
  pf: Float64Array = new Float64Array(0)
  pAt = 0
  pAtF = 0
  flags = 0
  timestamp = 0
  isBuy = false
  isAmm = false
  /** First swap of this position. */
  isFirst = false
  /** The coin passes through on a route: nobody holds it. */
  isPassed = false
  quote = 0
  decimals = 0
  slot = 0.5
  solPriceUsd = 0.5
  /** Dollars per SOL that came with the swap; 0 for none. */
  givenSolPriceUsd = 0.5
  microUsd = 0.5
  /** SOL value of the swap in lamports. */
  lamports = 0.5
  /** What the trader paid or got; of a route what its hop of SOL or dollars did. */
  paidMicroUsd = 0.5
  paidLamports = 0.5
  /** Part of what a sale sold that the inventory had, 0 to 1. */
  soldShare = 0.5
  /** Fees in lamports that hops before this one paid. */
  feesBefore = 0.5
  priceUsd = 0.5
  priceSol = 0.5

  readonly #copy = new Uint32Array(SWAP_U32_LANES)
  readonly #copyF = new Float64Array(this.#copy.buffer)

  takeRecord(state: State, index: number): void {
    this.index = index
    const { tape } = state
    this.r = tape.u32Of(index)
    this.rf = tape.f64Of(index)
    this.rAt = tape.at(index)
    if (index < tape.firstInMemory) this.#copyRecord()
    this.rAtF = this.rAt >>> 1
    this.token = this.r[this.rAt + SwapLane.token]
    this.wallet = walletOf(this.r, this.rAt)
    this.flags = this.r[this.rAt + SwapLane.flags]
    this.timestamp = this.r[this.rAt + SwapLane.timestamp]
    this.isBuy = (this.flags & Flag.sell) === 0
    this.isAmm = (this.flags & Flag.amm) !== 0
    this.slot = this.rf[this.rAtF + SwapFloatLane.slot]
  }

  /** Other records are read while this one is folded; only those in memory stay where they are. */
  #copyRecord(): void {
    this.#copy.set(this.r.subarray(this.rAt, this.rAt + SWAP_U32_LANES))
    this.r = this.#copy
    this.rf = this.#copyF
    this.rAt = 0
  }

  takeToken(state: State): void {
    const token = this.token
    this.t = state.tokens.u32[token >>> ROW_SHIFT]
    this.tf = state.tokens.f64[token >>> ROW_SHIFT]
    this.tAt = (token & ROW_MASK) * TOKEN_LANES
    this.tAtF = this.tAt >>> 1
    this.b = state.births.u32[token >>> ROW_SHIFT]
    this.bf = state.births.f64[token >>> ROW_SHIFT]
    this.bAt = (token & ROW_MASK) * LIFECYCLE_LANES
    this.quote = this.b[this.bAt + LifecycleLane.quote]
    this.decimals = this.b[this.bAt + LifecycleLane.decimals]
  }

  takeWallet(state: State): void {
    const wallet = this.wallet
    this.l = state.wallets.u32[wallet >>> ROW_SHIFT]
    this.lf = state.wallets.f64[wallet >>> ROW_SHIFT]
    this.lAt = (wallet & ROW_MASK) * WALLET_LANES
    this.lAtF = this.lAt >>> 1
  }

  takePosition(state: State, position: number): void {
    this.position = position
    this.p = state.positions.u32[position >>> ROW_SHIFT]
    this.pf = state.positions.f64[position >>> ROW_SHIFT]
    this.pAt = (position & ROW_MASK) * POSITION_LANES
    this.pAtF = this.pAt >>> 1
    this.isFirst =
      this.p[this.pAt + PositionLane.buys] + this.p[this.pAt + PositionLane.sells] === 0
  }
}
