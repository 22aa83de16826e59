import { widened } from '../../engine/memory/views.ts'
import { SolBearing } from '../tables/market-cap-column.ts'
import { WORD_BITS } from './token-set.ts'

const FIRST_TOKENS = 1_024
/** More than there are rules. */
const UNKNOWN = 0xffff
/** Far more than what roundings add up to, as a part of a price of SOL. */
const ROUNDED = 1e-12

/** Some tokens, ascending, and what a quantity of each is in dollars. */
export interface Valued {
  readonly tokens: ArrayLike<number>
  readonly usd: ArrayLike<number>
}

/** At which price of SOL quantities were read, and how that of a token goes with it. */
export interface Pricing {
  readonly solPriceUsd: number
  solBearing(token: number, usd: number): number
}

/**
 * The values that rules wait for a quantity to cross, and between which of them each token was when it was looked at last.
 * Most tokens stay between the same two, so one look at a token serves all rules. Of each word of tokens the prices of SOL
 * are known at which none of them crosses a value by itself: it need not be looked at as long as SOL stays between them.
 */
export class ValueLevels {
  /** Ascending, between minus and plus infinity. */
  readonly #values: Float64Array
  /** By token: the place of the greatest value that it is at or above. */
  #levels = new Uint16Array(FIRST_TOKENS).fill(UNKNOWN)
  /** By word: SOL has to stay above and below these; NaN where the word is looked at each time. */
  #abovePrices = new Float64Array(FIRST_TOKENS / WORD_BITS).fill(Number.NaN)
  #belowPrices = new Float64Array(FIRST_TOKENS / WORD_BITS).fill(Number.NaN)

  constructor(values: readonly number[]) {
    const { NEGATIVE_INFINITY: least, POSITIVE_INFINITY: most } = Number
    this.#values = Float64Array.from([least, ...new Set(values), most]).sort()
  }

  get bytes(): number {
    return this.#levels.byteLength + this.#abovePrices.byteLength + this.#belowPrices.byteLength
  }

  /** May a token of the word have come to other values since it was looked at, though no event changed it? */
  mayCross(word: number, solPriceUsd: number): boolean {
    const isWithin =
      solPriceUsd > (this.#abovePrices[word] ?? Number.NaN) &&
      solPriceUsd < (this.#belowPrices[word] ?? Number.NaN)
    return !isWithin
  }

  /** All tokens of the word are given to the next `crossed`. */
  begin(word: number): void {
    if (word >= this.#abovePrices.length) this.#widen(word * WORD_BITS)
    this.#abovePrices[word] = Number.NEGATIVE_INFINITY
    this.#belowPrices[word] = Number.POSITIVE_INFINITY
  }

  /** Of some tokens: those that are between two other values than at the last look, or have their first one. */
  crossed({ tokens, usd }: Valued, pricing: Pricing): Valued {
    const values = this.#values
    const crossed = { tokens: [] as number[], usd: [] as number[] }
    // They ascend.
    const last = tokens[tokens.length - 1] ?? 0
    if (last >= this.#levels.length) this.#widen(last)
    const levels = this.#levels
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] ?? 0
      const quantity = usd[i] ?? 0
      let level = levels[token] ?? UNKNOWN
      const isWithin =
        quantity >= (values[level] ?? Number.NaN) && quantity < (values[level + 1] ?? Number.NaN)
      if (!isWithin) {
        level = values.findLastIndex((value) => quantity >= value)
        levels[token] = level
        crossed.tokens.push(token)
        crossed.usd.push(quantity)
      }
      this.#narrow(token, quantity, level, pricing)
    }
    return crossed
  }

  /** The word of a token need not be looked at as long as SOL keeps the token between its two values. */
  #narrow(token: number, usd: number, level: number, pricing: Pricing): void {
    const word = token >>> 5
    const bearing = pricing.solBearing(token, usd)
    if (bearing === SolBearing.none) return
    const isKnown = bearing === SolBearing.proportional
    const part = isKnown ? pricing.solPriceUsd / usd : Number.NaN
    const above = part * (this.#values[level] ?? Number.NaN) * (1 + ROUNDED)
    const below = part * (this.#values[level + 1] ?? Number.NaN) * (1 - ROUNDED)
    this.#abovePrices[word] = Math.max(this.#abovePrices[word] ?? Number.NaN, above)
    this.#belowPrices[word] = Math.min(this.#belowPrices[word] ?? Number.NaN, below)
  }

  #widen(token: number): void {
    const size = Math.max(token + 1, this.#levels.length) * 2
    const words = Math.ceil(size / WORD_BITS)
    this.#levels = widened(new Uint16Array(size).fill(UNKNOWN), this.#levels)
    this.#abovePrices = widened(new Float64Array(words).fill(Number.NaN), this.#abovePrices)
    this.#belowPrices = widened(new Float64Array(words).fill(Number.NaN), this.#belowPrices)
  }
}
