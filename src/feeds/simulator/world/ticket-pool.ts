import type { Random } from '../../../base/random.ts'
import type { TokenTable } from './token-table.ts'

/**
 * Which token trades next: a draw among tickets. A popular token has many; every newcomer's tickets
 * take the places of random old ones, so attention decays by itself and a token without tickets is
 * dead. O(1) a draw, fixed memory.
 */
export class TicketPool {
  readonly #rows: Int32Array
  readonly #tokens: TokenTable
  readonly #random: Random
  #count = 0

  constructor(capacity: number, tokens: TokenTable, random: Random) {
    this.#rows = new Int32Array(capacity)
    this.#tokens = tokens
    this.#random = random
  }

  get capacity(): number {
    return this.#rows.length
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  add(row: number, tickets: number): void {
    for (let i = 0; i < tickets; i++) {
      this.#tokens.hold(row)
      if (this.#count < this.#rows.length) {
        this.#rows[this.#count++] = row
      } else {
        const at = this.#random.below(this.#count)
        const loser = this.#rows[at]
        this.#rows[at] = row
        this.#tokens.release(loser)
      }
    }
  }

  draw(): number {
    return this.#rows[this.#random.below(this.#count)]
  }
}
