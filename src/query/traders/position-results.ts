import type { Budget } from '../../base/budget.ts'
import type { PositionReader } from '../../engine/read/position-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { finiteNumber } from '../../protocol/wire.ts'

const MICRO = 1e6
/** Positions that are read between two looks at the budget: rows, and those of dormant tokens, which the disk may have. */
const ROWS_A_LOOK = 256
const RECORDS_A_LOOK = 16

/** Numbers of a position: what its result is made of but the price of the quote. */
const Lane = {
  inventory: 0,
  costUsd: 1,
  realizedUsd: 2,
  priceInUnits: 3,
  mintOrder: 4,
  lanes: 5,
} as const

/**
 * What positions brought, at the prices of now. Each is read once and again after a change of its token: an answer is of
 * one moment, though the positions of a bot are read over many turns. They have to be good for as long as it is.
 */
export class PositionResults {
  readonly #state: State
  readonly #trader: PositionReader
  readonly #positions: readonly number[]
  readonly #numbers: Float64Array
  readonly #tokens: Uint32Array
  readonly #quotes: Uint32Array
  /** Changes of its token when a position was read, + 1; 0: it was not. */
  readonly #readAt: Float64Array

  /** `trader` is moved. */
  constructor(state: State, trader: PositionReader, positions: readonly number[]) {
    const { length } = positions
    this.#state = state
    this.#trader = trader
    this.#positions = positions
    this.#numbers = new Float64Array(length * Lane.lanes)
    this.#tokens = new Uint32Array(length)
    this.#quotes = new Uint32Array(length)
    this.#readAt = new Float64Array(length)
  }

  /**
   * The sum of what is not realised, and the positions that brought most and least.
   * @throws OutOfTime before all are read
   */
  now(budget: Budget) {
    this.#read(budget)
    const dollarsOf = this.#dollarsOfQuotes()
    const numbers = this.#numbers
    let unrealizedMicroUsd = 0
    let [best, most] = [-1, Number.NEGATIVE_INFINITY]
    let [worst, least] = [-1, Number.POSITIVE_INFINITY]
    for (let place = 0; place < this.#positions.length; place++) {
      const at = place * Lane.lanes
      const priceUsd = numbers[at + Lane.priceInUnits] * dollarsOf(this.#quotes[place])
      const unrealized = numbers[at + Lane.inventory] * priceUsd - numbers[at + Lane.costUsd]
      const pnl = finiteNumber(numbers[at + Lane.realizedUsd] + unrealized)
      unrealizedMicroUsd += Math.round(finiteNumber(unrealized) * MICRO)
      if (pnl > most || (pnl === most && this.#isBefore(place, best))) [best, most] = [place, pnl]
      if (pnl < least || (pnl === least && this.#isBefore(place, worst)))
        [worst, least] = [place, pnl]
    }
    const positionAt = (place: number) => this.#positions[place] ?? null
    return { unrealizedMicroUsd, best: positionAt(best), worst: positionAt(worst) }
  }

  #read(budget: Budget): void {
    const { changes } = this.#state
    let read = 0
    for (let place = 0; place < this.#positions.length; place++) {
      if (this.#readAt[place] === changes.of(this.#tokens[place]) + 1) continue
      this.#readOne(place)
      const most = this.#positions[place] < 0 ? RECORDS_A_LOOK : ROWS_A_LOOK
      if (++read % most === 0) budget.throwIfSpent()
    }
  }

  #readOne(place: number): void {
    const record = this.#trader.at(this.#positions[place])
    const { token, quote, priceInUnits, mintOrder } = record.token
    this.#tokens[place] = token
    this.#quotes[place] = quote
    this.#readAt[place] = this.#state.changes.of(token) + 1
    this.#numbers.set(
      [record.inventory, record.costUsd, record.realizedUsd, priceInUnits, mintOrder],
      place * Lane.lanes,
    )
  }

  /** The same numbers as `TokenReader.unitUsd`, each made once. */
  #dollarsOfQuotes(): (quote: number) => number {
    const { quotes, solPriceUsd } = this.#state
    const known = new Map<number, number>()
    return (quote) => {
      const before = known.get(quote)
      if (before !== undefined) return before
      const dollars = quotes.unitUsd(quote, solPriceUsd)
      known.set(quote, dollars)
      return dollars
    }
  }

  /** Of equal ones the lesser mint is first. */
  #isBefore(place: number, other: number): boolean {
    const orderAt = (at: number) => this.#numbers[at * Lane.lanes + Lane.mintOrder]
    const difference = orderAt(place) - orderAt(other)
    if (difference !== 0) return difference < 0
    const { book } = this.#state
    return book.mintOf(this.#tokens[place]) < book.mintOf(this.#tokens[other])
  }
}
