import { widened } from '../../engine/memory/views.ts'

const FIRST_TOKENS = 1_024
/** More than there are rules. */
const UNKNOWN = 0xffff

/** Some tokens, and what a quantity of each is in dollars. */
export interface Valued {
  readonly tokens: ArrayLike<number>
  readonly usd: ArrayLike<number>
}

/**
 * The values that rules wait for a quantity to cross, and between which of them each token was when it was looked at last.
 * Most tokens stay between the same two, so one look at a token serves all rules.
 */
export class ValueLevels {
  /** Ascending, between minus and plus infinity. */
  readonly #values: Float64Array
  /** By token: the place of the greatest value that it is at or above. */
  #levels = new Uint16Array(FIRST_TOKENS).fill(UNKNOWN)

  constructor(values: readonly number[]) {
    const { NEGATIVE_INFINITY: least, POSITIVE_INFINITY: most } = Number
    this.#values = Float64Array.from([least, ...new Set(values), most]).sort()
  }

  get bytes(): number {
    return this.#levels.byteLength
  }

  /** Of some tokens, ascending: those that are between two other values than at the last look, or have their first one. */
  crossed({ tokens, usd }: Valued): Valued {
    const values = this.#values
    const crossed = { tokens: [] as number[], usd: [] as number[] }
    // They ascend.
    const last = tokens[tokens.length - 1] ?? 0
    if (last >= this.#levels.length) this.#widen(last)
    const levels = this.#levels
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] ?? 0
      const quantity = usd[i] ?? 0
      const level = levels[token] ?? UNKNOWN
      if (quantity >= (values[level] ?? Number.NaN) && quantity < (values[level + 1] ?? Number.NaN))
        continue
      levels[token] = values.findLastIndex((value) => quantity >= value)
      crossed.tokens.push(token)
      crossed.usd.push(quantity)
    }
    return crossed
  }

  #widen(token: number): void {
    const known = this.#levels
    this.#levels = widened(new Uint16Array(token * 2).fill(UNKNOWN), known)
  }
}
