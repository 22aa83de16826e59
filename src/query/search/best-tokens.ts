/**
 * The best `size` of many tokens: lowest rank first, then highest value, then `compare`. Most
 * offers are worse than the worst kept one and cost a comparison.
 */
export class BestTokens {
  readonly tokens: number[] = []
  readonly #ranks: number[] = []
  readonly #values: number[] = []
  readonly #size: number
  readonly #compare: (a: number, b: number) => number

  constructor(size: number, compare: (a: number, b: number) => number) {
    this.#size = size
    this.#compare = compare
  }

  offer(token: number, rank: number, value: number): void {
    let place = this.tokens.length
    if (place === this.#size && !this.#isBefore(token, rank, value, place - 1)) return
    while (place > 0 && this.#isBefore(token, rank, value, place - 1)) place--
    this.tokens.splice(place, 0, token)
    this.#ranks.splice(place, 0, rank)
    this.#values.splice(place, 0, value)
    if (this.tokens.length <= this.#size) return
    this.tokens.pop()
    this.#ranks.pop()
    this.#values.pop()
  }

  #isBefore(token: number, rank: number, value: number, place: number): boolean {
    if (rank !== this.#ranks[place]) return rank < this.#ranks[place]
    if (value !== this.#values[place]) return value > this.#values[place]
    return this.#compare(token, this.tokens[place]) < 0
  }
}
