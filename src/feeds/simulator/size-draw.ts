import type { Random } from '../../base/random.ts'
import type { MarketParts } from './world/parts.ts'
import { A } from './world/swap-writer.ts'
import { T, TOKEN_LANES, Trait } from './world/token-table.ts'

/** Tokens that are meant to be bought out. */
const RUNNER_SHARE = 0.012
/** Runners trade in larger sizes. */
const RUNNER_SIZE = 6
/** Virtual quote that a runner is bought up to, in launch quotes: far more than completes a curve. */
export const RUNNER_TARGET = 10
/** Ordinary tokens never see this virtual quote, in launch quotes; 3.83 completes a curve. */
export const MAX_ORDINARY_TARGET = 2.8

/** Is the token meant to be bought out? */
export function drawIsRunner(random: Random): boolean {
  return random.chance(RUNNER_SHARE)
}

/** Its trade size relative to the common distribution (`T.sizeFactor`). */
export function sizeFactorOf(traits: number): number {
  const unitSize = (traits & Trait.usdc) !== 0 ? MICRO_USDC_PER_LAMPORT : 1
  return (traits & Trait.runner) !== 0 ? unitSize * RUNNER_SIZE : unitSize
}

/** Millionths of a dollar a lamport at 150 dollars per SOL: trade sizes of USDC tokens. */
const MICRO_USDC_PER_LAMPORT = 0.15
/** A buy takes at most this share of the quote reserve. */
const MAX_CURVE_SHARE = 0.25
const MAX_POOL_SHARE = 0.03
/** Smallest trade, quote units. */
const MIN_QUOTE_RAW = 1_000
const QUANTILES = 4096
/** Median trade, lamports. */
const MEDIAN_LAMPORTS = 100_000_000
/** Spread of the log of trade sizes: the mean is about three times the median. */
const SIGMA = 1.5
/** Popularity is Zipf's law with this exponent over tokens, cut at `MAX_TICKETS`. */
const POPULARITY_EXPONENT = 1.05
const MAX_TICKETS = 1024

/** How large a buy is. */
export class SizeDraw {
  readonly #parts: MarketParts

  constructor(parts: MarketParts) {
    this.#parts = parts
  }

  /** Puts a trade size into the writer's lane, times `factor`. */
  draw(row: number, factor: number): void {
    const bits = this.#parts.random.next()
    const spread = 0.75 + (bits >>> 12) * 2 ** -21
    const size = SIZE_LAMPORTS[bits & (QUANTILES - 1)] * spread * factor
    this.put(row, size * this.quotePerLamport(row))
  }

  /** Puts an amount of quote into the writer's lane, within the bounds of a buy of the token. */
  put(row: number, quote: number): void {
    const share = this.#parts.tokens.has(row, Trait.amm) ? MAX_POOL_SHARE : MAX_CURVE_SHARE
    const limit = this.#parts.tokens.lanes[row * TOKEN_LANES + T.virtualQuote] * share
    const amount = Math.floor(Math.min(quote, limit))
    this.#parts.writer.amounts[A.quote] = Math.max(MIN_QUOTE_RAW, amount)
  }

  /** Quote units of the token for a lamport of trade size. */
  quotePerLamport(row: number): number {
    const lanes = this.#parts.tokens.lanes
    const factor = lanes[row * TOKEN_LANES + T.sizeFactor]
    if (!this.#parts.tokens.has(row, Trait.coin)) return factor
    const quoteRow = this.#parts.tokens.quoteRow[row]
    const lane = quoteRow * TOKEN_LANES
    const coinPerQuote = lanes[lane + T.virtualBase] / lanes[lane + T.virtualQuote]
    const isUsdc = this.#parts.tokens.has(quoteRow, Trait.usdc)
    return factor * coinPerQuote * (isUsdc ? MICRO_USDC_PER_LAMPORT : 1)
  }
}

/** Shapes of the heavy-tailed quantities, as tables of quantiles: a draw is one lookup. */

/** Trade sizes in lamports, log-normal. */
const SIZE_LAMPORTS = Float64Array.from({ length: QUANTILES }, (_, i) =>
  Math.round(MEDIAN_LAMPORTS * Math.exp(SIGMA * normalQuantile((i + 0.5) / QUANTILES))),
)

/** Tickets of a new token in the draw for trades. */
export const TICKETS = Int32Array.from({ length: QUANTILES }, (_, i) =>
  Math.min(MAX_TICKETS, Math.floor((1 - (i + 0.5) / QUANTILES) ** (-1 / POPULARITY_EXPONENT))),
)

/** Inverse of the normal distribution by bisection; built once, so plain is fast enough. */
function normalQuantile(probability: number): number {
  let low = -6
  let high = 6
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (normalCdf(middle) < probability) low = middle
    else high = middle
  }
  return low
}

/** Zelen and Severo's approximation, Abramowitz and Stegun 26.2.17; error below 1e-7. */
function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series
  return x > 0 ? 1 - tail : tail
}
