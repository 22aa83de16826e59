/** Of tokens that come in a table's order those with the greatest values, greatest first; equal ones stay in that order. */
export class GreatestTokens {
  /** At most `limit`. */
  readonly tokens: number[] = []
  readonly #limit: number
  /** By token. */
  readonly #values: Float64Array

  constructor(limit: number, values: Float64Array) {
    this.#limit = limit
    this.#values = values
  }

  /** True: the next may be among them, whatever this one was. */
  take(token: number): boolean {
    const { tokens } = this
    const value = this.#values[token]
    const least = tokens.at(-1)
    if (tokens.length === this.#limit && least !== undefined && value <= this.#values[least])
      return true
    let low = 0
    let high = tokens.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#values[tokens[middle]] >= value) low = middle + 1
      else high = middle
    }
    tokens.splice(low, 0, token)
    if (tokens.length > this.#limit) tokens.pop()
    return true
  }
}
