import type { Random } from '../../../base/random.ts'
import { REAL_BASE_RAW } from './curve.ts'
import { T, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'

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

/** Tokens that are watched: more than a board shows of the completing ones. */
const WATCHED_MAX = 40
/** A curve that has sold this share of its base is worth a look: the engine calls it completing. */
const SOLD_SHARE = 0.4
const REAL_BASE_MAX_RAW = REAL_BASE_RAW * (1 - SOLD_SHARE)

/**
 * The curves closest to completion, which somebody always trades. Without it attention would leave them
 * where they are, and a board of the completing fill with tokens that never trade again.
 */
export class WatchList {
  readonly #tokens: TokenTable
  readonly #rows = new Int32Array(WATCHED_MAX)
  #count = 0
  #next = 0

  constructor(tokens: TokenTable) {
    this.#tokens = tokens
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** One watched token after the other, so that each is traded as often; the caller has checked `isEmpty`. */
  next(): number {
    if (this.#next >= this.#count) this.#next = 0
    return this.#rows[this.#next++]
  }

  /** A curve was bought from: it is watched once it is closer to completion than one of those that are. */
  consider(row: number): void {
    const tokens = this.#tokens
    const left = tokens.lanes[row * TOKEN_LANES + T.realBase]
    if (left > REAL_BASE_MAX_RAW || tokens.has(row, Trait.watched)) return
    if (this.#count < WATCHED_MAX) {
      this.#watch(this.#count++, row)
      return
    }
    const last = this.#farthest()
    const other = this.#rows[last]
    if (tokens.lanes[other * TOKEN_LANES + T.realBase] <= left) return
    this.#watch(last, row)
    tokens.drop(other, Trait.watched)
    tokens.release(other)
  }

  /** The curve is complete. */
  leave(row: number): void {
    if (!this.#tokens.has(row, Trait.watched)) return
    const place = this.#rows.indexOf(row)
    this.#rows[place] = this.#rows[--this.#count]
    this.#tokens.drop(row, Trait.watched)
    this.#tokens.release(row)
  }

  #watch(place: number, row: number): void {
    this.#rows[place] = row
    this.#tokens.add(row, Trait.watched)
    this.#tokens.hold(row)
  }

  /** Place of the one that has most left to sell. */
  #farthest(): number {
    const { lanes } = this.#tokens
    let farthest = 0
    let most = 0
    for (let place = 0; place < this.#count; place++) {
      const left = lanes[this.#rows[place] * TOKEN_LANES + T.realBase]
      if (left <= most) continue
      most = left
      farthest = place
    }
    return farthest
  }
}
