/**
 * The tokens that still trade, in fixed typed arrays. A row lives as long as something holds it (a
 * ticket of the draw, an appointment); then it is used again for a new token.
 */

/** f64 lanes of a row. */
export const T = {
  virtualBase: 0,
  virtualQuote: 1,
  /** Base left on the curve; on the AMM the pool's base. */
  realBase: 2,
  /** Virtual quote around which buyers and sellers are in balance. */
  targetQuote: 3,
  /** Base that the mayhem agent holds. */
  agentBase: 4,
  /** Virtual quote at launch. */
  launchQuote: 5,
  /** Trade size of this token relative to the common distribution, in quote units per lamport. */
  sizeFactor: 6,
  /** Number of trades after which the creator sells everything. */
  dumpAt: 7,
} as const
export const TOKEN_LANES = 8

/** i32 lanes of a row. */
export const I = {
  token: 0,
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
} as const

export class TokenTable {
  readonly lanes: Float64Array
  readonly ints: Int32Array
  readonly mints: string[] = []
  readonly curves: string[] = []
  readonly #free: Int32Array
  #freeCount: number

  constructor(capacity: number) {
    this.lanes = new Float64Array(capacity * TOKEN_LANES)
    this.ints = new Int32Array(capacity * TOKEN_INTS)
    this.#free = new Int32Array(capacity)
    for (let i = 0; i < capacity; i++) this.#free[i] = capacity - 1 - i
    this.#freeCount = capacity
  }

  get isFull(): boolean {
    return this.#freeCount === 0
  }

  /** A zeroed row, held once; the caller has checked `isFull`. */
  take(): number {
    const row = this.#free[--this.#freeCount]
    this.lanes.fill(0, row * TOKEN_LANES, (row + 1) * TOKEN_LANES)
    this.ints.fill(0, row * TOKEN_INTS, (row + 1) * TOKEN_INTS)
    this.ints[row * TOKEN_INTS + I.holds] = 1
    return row
  }

  hold(row: number): void {
    this.ints[row * TOKEN_INTS + I.holds]++
  }

  release(row: number): void {
    const at = row * TOKEN_INTS + I.holds
    const holds = this.ints[at] - 1
    this.ints[at] = holds
    if (holds === 0) this.#free[this.#freeCount++] = row
  }

  has(row: number, trait: number): boolean {
    return (this.ints[row * TOKEN_INTS + I.traits] & trait) !== 0
  }
}
