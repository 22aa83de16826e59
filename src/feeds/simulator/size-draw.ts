import type { Random } from '../../base/random.ts'
import { QUANTILES, SIZE_LAMPORTS } from './trade-sizes.ts'
import type { MarketParts } from './world/parts.ts'
import { A, type SwapWriter } from './world/swap-writer.ts'
import { T, TOKEN_LANES, type TokenTable, Trait } from './world/token-table.ts'

/** Millionths of a dollar a lamport at 150 dollars per SOL: trade sizes of USDC tokens. */
export const MICRO_USDC_PER_LAMPORT = 0.15
/** A buy takes at most this share of the quote reserve. */
const MAX_CURVE_SHARE = 0.25
const MAX_POOL_SHARE = 0.03
/** Smallest trade, quote units. */
const MIN_QUOTE_RAW = 1_000

/** How large a buy is. */
export class SizeDraw {
  readonly #tokens: TokenTable
  readonly #writer: SwapWriter
  readonly #random: Random

  constructor(parts: Pick<MarketParts, 'tokens' | 'writer' | 'random'>) {
    this.#tokens = parts.tokens
    this.#writer = parts.writer
    this.#random = parts.random
  }

  /** Puts a trade size into the writer's lane, times `factor`. */
  draw(row: number, factor: number): void {
    const bits = this.#random.next()
    const spread = 0.75 + (bits >>> 12) * 2 ** -21
    const size = SIZE_LAMPORTS[bits & (QUANTILES - 1)] * spread * factor
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const isCoin = this.#tokens.has(row, Trait.coin)
    const quote = size * (isCoin ? this.quotePerLamport(row) : lanes[lane + T.sizeFactor])
    const share = this.#tokens.has(row, Trait.amm) ? MAX_POOL_SHARE : MAX_CURVE_SHARE
    const limit = lanes[lane + T.virtualQuote] * share
    this.#writer.amounts[A.quote] = Math.max(MIN_QUOTE_RAW, Math.floor(Math.min(quote, limit)))
  }

  /** Puts an amount of quote into the writer's lane, within the bounds of a buy of the token. */
  put(row: number, quote: number): void {
    const share = this.#tokens.has(row, Trait.amm) ? MAX_POOL_SHARE : MAX_CURVE_SHARE
    const limit = this.#tokens.lanes[row * TOKEN_LANES + T.virtualQuote] * share
    this.#writer.amounts[A.quote] = Math.max(MIN_QUOTE_RAW, Math.floor(Math.min(quote, limit)))
  }

  /** Quote units of the token for a lamport of trade size. */
  quotePerLamport(row: number): number {
    const lanes = this.#tokens.lanes
    const factor = lanes[row * TOKEN_LANES + T.sizeFactor]
    if (!this.#tokens.has(row, Trait.coin)) return factor
    const quoteRow = this.#tokens.quoteRow[row]
    const lane = quoteRow * TOKEN_LANES
    const coinPerQuote = lanes[lane + T.virtualBase] / lanes[lane + T.virtualQuote]
    const isUsdc = this.#tokens.has(quoteRow, Trait.usdc)
    return factor * coinPerQuote * (isUsdc ? MICRO_USDC_PER_LAMPORT : 1)
  }
}
