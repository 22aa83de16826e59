import type { Budget } from '../../base/budget.ts'
import { widened } from '../../engine/memory/views.ts'
import type { PositionReader } from '../../engine/read/position-reader.ts'
import type { State } from '../../engine/state/state.ts'
import type { TraderQuery } from '../../protocol/queries.ts'
import { finiteNumber } from '../../protocol/wire.ts'

const MICRO = 1e6
/** Positions that are read between two looks at the budget: rows, and those of dormant tokens, which the disk may have. */
const ROWS_A_LOOK = 256
const RECORDS_A_LOOK = 16

/** Numbers of a position: what its result is made of but the price of the quote, and what pages are ordered by. */
const Lane = {
  inventory: 0,
  costUsd: 1,
  realizedUsd: 2,
  priceInUnits: 3,
  mintOrder: 4,
  holding: 5,
  bought: 6,
  sold: 7,
  lastActiveAt: 8,
  lanes: 9,
} as const

/** The number of each order but that of the result, as on the wire. */
const ORDER_LANES = {
  holding_amount: Lane.holding,
  bought_tokens: Lane.bought,
  sold_tokens: Lane.sold,
  last_active_ts: Lane.lastActiveAt,
} as const

/**
 * What positions brought, at the prices of now. Each is read once and again after a change of its token: an answer is of
 * one moment, though the positions of a bot are read over many turns. They have to be good for as long as it is.
 */
export class PositionResults {
  readonly #state: State
  readonly #trader: PositionReader
  #positions: readonly number[] = []
  #numbers = new Float64Array(0)
  #tokens = new Uint32Array(0)
  #quotes = new Uint32Array(0)
  /** Changes of its token when a position was read, + 1; 0: it was not. */
  #readAt = new Float64Array(0)

  /** `trader` is moved. */
  constructor(state: State, trader: PositionReader, positions: readonly number[] = []) {
    this.#state = state
    this.#trader = trader
    this.take(positions)
  }

  get count(): number {
    return this.#positions.length
  }

  /** From here on the results are those of these positions: those at its begin that it had there stay read. */
  take(positions: readonly number[]): void {
    const { length } = positions
    let same = 0
    while (same < length && positions[same] === this.#positions[same]) same++
    this.#positions = positions
    this.#readAt.fill(0, same)
    if (length <= this.#readAt.length) return
    const room = Math.max(length, 2 * this.#readAt.length)
    this.#numbers = widened(new Float64Array(room * Lane.lanes), this.#numbers)
    this.#tokens = widened(new Uint32Array(room), this.#tokens)
    this.#quotes = widened(new Uint32Array(room), this.#quotes)
    this.#readAt = widened(new Float64Array(room), this.#readAt)
  }

  positionAt(place: number): number {
    return this.#positions[place]
  }

  mintOrderAt(place: number): number {
    return this.#numbers[place * Lane.lanes + Lane.mintOrder]
  }

  mintAt(place: number): string {
    return this.#state.book.mintOf(this.#tokens[place])
  }

  /**
   * The number of each position that an order compares, times `sign`.
   * @throws OutOfTime before all are read
   */
  values(orderBy: TraderQuery['orderBy'], sign: number, budget: Budget): Float64Array {
    this.#read(budget)
    const values = new Float64Array(this.count)
    if (orderBy === 'pnl') {
      this.#eachResult((place, _unrealized, pnl) => {
        values[place] = pnl * sign
      })
      return values
    }
    const lane = ORDER_LANES[orderBy]
    for (let place = 0; place < values.length; place++)
      values[place] = this.#numbers[place * Lane.lanes + lane] * sign
    return values
  }

  /**
   * The sum of what is not realised, and the positions that brought most and least.
   * @throws OutOfTime before all are read
   */
  now(budget: Budget) {
    this.#read(budget)
    let unrealizedMicroUsd = 0
    let [best, most] = [-1, Number.NEGATIVE_INFINITY]
    let [worst, least] = [-1, Number.POSITIVE_INFINITY]
    this.#eachResult((place, unrealized, pnl) => {
      unrealizedMicroUsd += Math.round(finiteNumber(unrealized) * MICRO)
      if (pnl > most || (pnl === most && this.#isBefore(place, best))) [best, most] = [place, pnl]
      if (pnl < least || (pnl === least && this.#isBefore(place, worst)))
        [worst, least] = [place, pnl]
    })
    const positionAt = (place: number) => this.#positions[place] ?? null
    return { unrealizedMicroUsd, best: positionAt(best), worst: positionAt(worst) }
  }

  #eachResult(take: (place: number, unrealizedUsd: number, pnlUsd: number) => void): void {
    const dollarsOf = this.#dollarsOfQuotes()
    const numbers = this.#numbers
    for (let place = 0; place < this.count; place++) {
      const at = place * Lane.lanes
      const priceUsd = numbers[at + Lane.priceInUnits] * dollarsOf(this.#quotes[place])
      const unrealized = numbers[at + Lane.inventory] * priceUsd - numbers[at + Lane.costUsd]
      take(place, unrealized, finiteNumber(numbers[at + Lane.realizedUsd] + unrealized))
    }
  }

  #read(budget: Budget): void {
    const { changes } = this.#state
    let read = 0
    for (let place = 0; place < this.count; place++) {
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
      [
        ...[record.inventory, record.costUsd, record.realizedUsd, priceInUnits, mintOrder],
        ...[record.holding, record.bought, record.sold, record.lastActiveAt],
      ],
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
    const difference = this.mintOrderAt(place) - this.mintOrderAt(other)
    if (difference !== 0) return difference < 0
    return this.mintAt(place) < this.mintAt(other)
  }
}
