import { Quote } from '../../../events/platform.ts'
import { poolLane } from '../../../events/swap-record.ts'

/**
 * The tokens that still trade, in fixed typed arrays. A row lives as long as something holds it (a
 * ticket of the draw, an appointment, the watch list, a token that is quoted in it); then it is used again for a new token.
 */

/** f64 lanes of a row: what every trade looks at, in one line of a processor's cache. */
export const T = {
  virtualBase: 0,
  virtualQuote: 1,
  /** Base left on the curve; on the AMM the pool's base. */
  realBase: 2,
  /** Virtual quote around which buyers and sellers are in balance. */
  targetQuote: 3,
  /** How much of the virtual quote is not real. */
  offsetQuote: 4,
  supply: 5,
  /**
   * Trade size of this token relative to the common distribution, in quote units per lamport; of one
   * quoted in a coin, in lamports.
   */
  sizeFactor: 6,
  /** Number of trades after which the creator sells everything. */
  dumpAt: 7,
} as const
export const TOKEN_LANES = 8

/** i32 lanes of a row. */
export const I = {
  token: 0,
  /** Address id of curve or pool, with the quote that its swaps name (`poolLane`). */
  pool: 1,
  creator: 2,
  traits: 3,
  holders: 4,
  /** Things that hold the row. */
  holds: 5,
  trades: 6,
  /** Fee tier of the pool. */
  tier: 7,
} as const
export const TOKEN_INTS = 8

/** Bits of the traits lane. */
export const Trait = {
  mayhem: 1,
  usdc: 2,
  /** Meant to be bought out. */
  runner: 4,
  amm: 8,
  /** Complete and not migrated: nobody can trade it. */
  frozen: 16,
  /** Quoted in another token of the market. */
  coin: 32,
  /** The creator's fee is paid back to the traders. */
  cashback: 64,
  /** Its pool buys back and burns now and then. */
  boosted: 128,
  /** Its supply is not that of its launch, so swaps name it. */
  supplyGiven: 256,
  /** It stands in the watch list. */
  watched: 512,
} as const

/** The pool's lane of the swaps of a token: SOL is not named as a quote, anything else is. */
export function quotedPoolLane(pool: number, traits: number): number {
  if ((traits & Trait.usdc) !== 0) return poolLane(pool, Quote.usdc)
  if ((traits & Trait.coin) !== 0) return poolLane(pool, Quote.other)
  return poolLane(pool)
}

export class TokenTable {
  readonly lanes: Float64Array
  readonly ints: Int32Array
  readonly mints: string[] = []
  readonly curves: string[] = []
  readonly creators: string[] = []
  /** Virtual quote at launch. */
  readonly launchQuote: Float64Array
  /** Base that the mayhem agent holds. */
  readonly agentBase: Float64Array
  /** Base that depositors put into the pool and have not taken out. */
  readonly depositedBase: Float64Array
  /** Address id of the quote mint that its swaps name. */
  readonly quoteMint: Int32Array
  /** Row of the token it is quoted in, -1 for none. */
  readonly quoteRow: Int32Array
  readonly #free: Int32Array
  #freeCount: number

  constructor(capacity: number) {
    this.lanes = new Float64Array(capacity * TOKEN_LANES)
    this.ints = new Int32Array(capacity * TOKEN_INTS)
    this.launchQuote = new Float64Array(capacity)
    this.agentBase = new Float64Array(capacity)
    this.depositedBase = new Float64Array(capacity)
    this.quoteMint = new Int32Array(capacity)
    this.quoteRow = new Int32Array(capacity)
    this.#free = new Int32Array(capacity)
    for (let i = 0; i < capacity; i++) this.#free[i] = capacity - 1 - i
    this.#freeCount = capacity
  }

  get isFull(): boolean {
    return this.#freeCount === 0
  }

  /** An empty row, held once; the caller has checked `isFull`. */
  take(): number {
    const row = this.#free[--this.#freeCount]
    this.lanes.fill(0, row * TOKEN_LANES, (row + 1) * TOKEN_LANES)
    this.ints.fill(0, row * TOKEN_INTS, (row + 1) * TOKEN_INTS)
    this.ints[row * TOKEN_INTS + I.holds] = 1
    this.agentBase[row] = 0
    this.depositedBase[row] = 0
    this.quoteRow[row] = -1
    return row
  }

  hold(row: number): void {
    this.ints[row * TOKEN_INTS + I.holds]++
  }

  release(row: number): void {
    const at = row * TOKEN_INTS + I.holds
    const holds = this.ints[at] - 1
    this.ints[at] = holds
    if (holds > 0) return
    this.#free[this.#freeCount++] = row
    const quoteRow = this.quoteRow[row]
    if (quoteRow >= 0) this.release(quoteRow)
  }

  add(row: number, trait: number): void {
    this.ints[row * TOKEN_INTS + I.traits] |= trait
  }

  drop(row: number, trait: number): void {
    this.ints[row * TOKEN_INTS + I.traits] &= ~trait
  }

  has(row: number, trait: number): boolean {
    return (this.ints[row * TOKEN_INTS + I.traits] & trait) !== 0
  }
}
