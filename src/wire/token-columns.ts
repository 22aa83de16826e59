import { widened } from '../engine/memory/widened.ts'
import { usdOfQuote } from '../engine/prices.ts'
import type { State } from '../engine/state.ts'
import type { TokenReader } from '../engine/token-reader.ts'

const FIRST_TOKENS = 1024

/** Values of one quantity by token, read once for each change of the token. */
export abstract class TokenColumn {
  readonly #state: State
  readonly #reader: TokenReader
  /** Count of changes + 1 that each value was read at; 0: never read. */
  #changes = new Float64Array(FIRST_TOKENS)

  /** `reader` is moved. */
  constructor(state: State, reader: TokenReader) {
    this.#state = state
    this.#reader = reader
  }

  /** Makes room for all tokens: before each use. */
  cover(): void {
    const { count } = this.#state.tokens
    if (count <= this.#changes.length) return
    const size = Math.max(count, this.#changes.length * 2)
    this.#changes = widened(new Float64Array(size), this.#changes)
    this.widen(size)
  }

  valueOf(token: number): number {
    if (this.#changes[token] !== this.#state.changes.of(token) + 1) this.#readAnew(token)
    return this.value(token)
  }

  /** The values of all tokens. */
  all(): Float64Array {
    const { count } = this.#state.tokens
    const changes = this.#state.changes.counts(count)
    const known = this.#changes
    const values = new Float64Array(count)
    for (let token = 0; token < count; token++) {
      if (known[token] !== changes[token] + 1) this.#readAnew(token)
      values[token] = this.value(token)
    }
    return values
  }

  /** As `Gate.lastPassing`, where the values lie. */
  lastWithin(tokens: readonly number[], from: number, min: number, max: number): number {
    const known = this.#changes
    const changes = this.#state.changes.counts(this.#state.tokens.count)
    for (let place = from; place >= 0; place--) {
      const token = tokens[place]
      if (known[token] !== changes[token] + 1) this.#readAnew(token)
      if (isWithin(this.value(token), min, max)) return place
    }
    return -1
  }

  #readAnew(token: number): void {
    this.read(token, this.#reader.at(token))
    this.#changes[token] = this.#state.changes.of(token) + 1
  }

  /** Keeps what the token's value is made of. */
  protected abstract read(token: number, reader: TokenReader): void
  /** The value as it was kept. */
  protected abstract value(token: number): number
  protected abstract widen(size: number): void
}

/** A quantity that hangs on nothing but its token. */
export class NumberColumn extends TokenColumn {
  readonly #read: (token: TokenReader) => number
  #values = new Float64Array(FIRST_TOKENS)

  constructor(state: State, reader: TokenReader, read: (token: TokenReader) => number) {
    super(state, reader)
    this.#read = read
  }

  protected read(token: number, reader: TokenReader): void {
    this.#values[token] = this.#read(reader)
  }

  protected value(token: number): number {
    return this.#values[token]
  }

  protected widen(size: number): void {
    this.#values = widened(new Float64Array(size), this.#values)
  }
}

/** Market caps in dollars, out of their parts: nothing is read anew when SOL has another price. */
export class MarketCapColumn extends TokenColumn {
  readonly #globals: Pick<State, 'solPriceUsd'>
  #pricesInQuote = new Float64Array(FIRST_TOKENS)
  #suppliesWhole = new Float64Array(FIRST_TOKENS)
  #quotes = new Uint8Array(FIRST_TOKENS)

  constructor(state: State, reader: TokenReader) {
    super(state, reader)
    this.#globals = state
  }

  protected read(token: number, reader: TokenReader): void {
    this.#pricesInQuote[token] = reader.priceInQuote
    this.#suppliesWhole[token] = reader.supplyWhole
    this.#quotes[token] = reader.quote
  }

  /** The same steps as `TokenReader.marketCapUsd`, so the same bits. */
  protected value(token: number): number {
    const price = usdOfQuote(
      this.#pricesInQuote[token],
      this.#quotes[token],
      this.#globals.solPriceUsd,
    )
    return price * this.#suppliesWhole[token]
  }

  protected widen(size: number): void {
    this.#pricesInQuote = widened(new Float64Array(size), this.#pricesInQuote)
    this.#suppliesWhole = widened(new Float64Array(size), this.#suppliesWhole)
    this.#quotes = widened(new Uint8Array(size), this.#quotes)
  }
}

export function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max
}
