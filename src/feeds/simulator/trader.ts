import type { Random } from '../../base/random.ts'
import { Flag } from '../../engine/swap-record.ts'
import { baseBought, quoteFetched, quoteForBase } from './curve.ts'
import {
  CURVE_CREATOR_TENTH_BPS,
  CURVE_PLATFORM_TENTH_BPS,
  feeOf,
  STABLE_TIER_USD_PER_SOL,
  TIER_CREATOR_TENTH_BPS,
  TIER_LIQUIDITY_TENTH_BPS,
  TIER_PLATFORM_TENTH_BPS,
  tierOf,
} from './fees.ts'
import type { Graduation } from './graduation.ts'
import type { HolderTable } from './holder-table.ts'
import type { MarketParts } from './parts.ts'
import { A, type SwapWriter } from './swap-writer.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'

/** Market cap in SOL is quote / base times this: lamports and 1e15 raw supply. */
const SOL_CAP_SCALE = 1e6
/** The same for a quote in millionths of a dollar. */
const USDC_CAP_SCALE = 1e9 / STABLE_TIER_USD_PER_SOL

export interface TraderParts extends Pick<MarketParts, 'tokens' | 'holders' | 'writer' | 'random'> {
  readonly graduation: Graduation
}

/** Carries a trade out: price, fees, reserves, ledger, record. Exact to the raw unit. */
export class Trader {
  readonly #tokens: TokenTable
  readonly #holders: HolderTable
  readonly #writer: SwapWriter
  readonly #graduation: Graduation
  readonly #random: Random
  /** Liquidity fee of the swap under way, in a lane so that it is not boxed. */
  readonly #liquidityFee = new Float64Array(1)

  constructor(parts: TraderParts) {
    this.#tokens = parts.tokens
    this.#holders = parts.holders
    this.#writer = parts.writer
    this.#graduation = parts.graduation
    this.#random = parts.random
  }

  /**
   * Buys for `amounts[A.quote]` before fees, or for what the rest of the curve costs if that is
   * less. Returns the buyer's place in the holder table.
   */
  buy(row: number, wallet: number, flags: number): number {
    const complete = this.#buyWithoutLedger(row, wallet, flags, false)
    const bought = this.#writer.amounts[A.base]
    const place = this.#holders.add(row, wallet, bought, this.#random.next() >>> 1)
    if (complete) this.#graduation.complete(row)
    return place
  }

  /** A buy of the mayhem agent: no fees, and its own balance. */
  agentBuy(row: number, wallet: number): void {
    const complete = this.#buyWithoutLedger(row, wallet, 0, true)
    this.#tokens.lanes[row * TOKEN_LANES + T.agentBase] += this.#writer.amounts[A.base]
    if (complete) this.#graduation.complete(row)
  }

  /**
   * Sells `amounts[A.base]` of the holder at `place`; false, and no swap, when it fetches nothing.
   */
  sell(row: number, place: number): boolean {
    const wallet = this.#holders.walletAt(row, place)
    const sold = this.#sellWithoutLedger(row, wallet, false)
    this.#holders.take(row, place, this.#writer.amounts[A.base])
    return sold
  }

  /** A sell of the mayhem agent, of `amounts[A.base]` that it holds. */
  agentSell(row: number, wallet: number): boolean {
    if (!this.#sellWithoutLedger(row, wallet, true)) return false
    this.#tokens.lanes[row * TOKEN_LANES + T.agentBase] -= this.#writer.amounts[A.base]
    return true
  }

  /** True when the curve is complete after it. */
  #buyWithoutLedger(row: number, wallet: number, flags: number, isAgent: boolean): boolean {
    const lanes = this.#tokens.lanes
    const amounts = this.#writer.amounts
    const lane = row * TOKEN_LANES
    const virtualBase = lanes[lane + T.virtualBase]
    const virtualQuote = lanes[lane + T.virtualQuote]
    const realBase = lanes[lane + T.realBase]
    const isAmm = this.#tokens.has(row, Trait.amm)
    let quote = amounts[A.quote]
    let base = baseBought(virtualBase, virtualQuote, quote)
    const complete = !isAmm && base >= realBase
    if (complete) {
      base = realBase
      quote = quoteForBase(virtualBase, virtualQuote, base)
      amounts[A.quote] = quote
    }
    amounts[A.base] = base
    this.#setFees(row, isAgent)
    lanes[lane + T.virtualBase] = virtualBase - base
    lanes[lane + T.virtualQuote] = virtualQuote + quote + this.#liquidityFee[0]
    lanes[lane + T.realBase] = realBase - base
    this.#tokens.ints[row * TOKEN_INTS + I.trades]++
    this.#writer.swap(row, wallet, flags)
    return complete
  }

  #sellWithoutLedger(row: number, wallet: number, isAgent: boolean): boolean {
    const lanes = this.#tokens.lanes
    const amounts = this.#writer.amounts
    const lane = row * TOKEN_LANES
    const virtualBase = lanes[lane + T.virtualBase]
    const virtualQuote = lanes[lane + T.virtualQuote]
    const base = amounts[A.base]
    const quote = quoteFetched(virtualBase, virtualQuote, base)
    if (quote === 0) return false
    amounts[A.quote] = quote
    this.#setFees(row, isAgent)
    lanes[lane + T.virtualBase] = virtualBase + base
    lanes[lane + T.virtualQuote] = virtualQuote - quote + this.#liquidityFee[0]
    lanes[lane + T.realBase] += base
    this.#tokens.ints[row * TOKEN_INTS + I.trades]++
    this.#writer.swap(row, wallet, Flag.sell)
    return true
  }

  /** Fees of `amounts[A.quote]` at the rates that hold before the trade. */
  #setFees(row: number, isAgent: boolean): void {
    const amounts = this.#writer.amounts
    const quote = amounts[A.quote]
    if (this.#tokens.has(row, Trait.amm)) {
      const tier = this.#tier(row)
      amounts[A.platformFee] = feeOf(quote, TIER_PLATFORM_TENTH_BPS[tier])
      amounts[A.creatorFee] = feeOf(quote, TIER_CREATOR_TENTH_BPS[tier])
      this.#liquidityFee[0] = feeOf(quote, TIER_LIQUIDITY_TENTH_BPS[tier])
      return
    }
    amounts[A.platformFee] = isAgent ? 0 : feeOf(quote, CURVE_PLATFORM_TENTH_BPS)
    amounts[A.creatorFee] = isAgent ? 0 : feeOf(quote, CURVE_CREATOR_TENTH_BPS)
    this.#liquidityFee[0] = 0
  }

  #tier(row: number): number {
    const { lanes, ints } = this.#tokens
    const lane = row * TOKEN_LANES
    const at = row * TOKEN_INTS + I.tier
    const scale = this.#tokens.has(row, Trait.usdc) ? USDC_CAP_SCALE : SOL_CAP_SCALE
    const capSol = (lanes[lane + T.virtualQuote] / lanes[lane + T.virtualBase]) * scale
    const tier = tierOf(capSol, ints[at])
    ints[at] = tier
    return tier
  }
}
