import { walletLane } from '../engine/lanes.ts'
import { widened } from '../engine/memory/widened.ts'
import { usdOfQuote } from '../engine/prices.ts'
import type { State } from '../engine/state.ts'
import { ageSecondsAt, type TokenReader } from '../engine/token-reader.ts'
import type { XLinks } from '../engine/x-links.ts'

const FIRST_TOKENS = 1024

/** Values of one quantity by token, read once for each change of the token. */
export abstract class TokenColumn {
  protected readonly state: State
  readonly #reader: TokenReader
  /** Count of changes + 1 that each value was read at; 0: never read. */
  #changes = new Float64Array(FIRST_TOKENS)

  /** `reader` is moved. */
  constructor(state: State, reader: TokenReader) {
    this.state = state
    this.#reader = reader
  }

  get bytes(): number {
    return this.#changes.byteLength + this.ownBytes
  }

  /** Makes room for all tokens: before each use. */
  cover(): void {
    const { count } = this.state.tokens
    if (count <= this.#changes.length) return
    const size = Math.max(count, this.#changes.length * 2)
    this.#changes = widened(new Float64Array(size), this.#changes)
    this.widen(size)
  }

  valueOf(token: number): number {
    if (this.#changes[token] !== this.state.changes.of(token) + 1) this.#readAnew(token)
    return this.value(token)
  }

  /** The values of all tokens. */
  all(): Float64Array {
    const values = new Float64Array(this.state.tokens.count)
    for (let token = 0; token < values.length; token++) values[token] = this.valueOf(token)
    return values
  }

  /** Reads the first `count` of some tokens anew where they have changed. */
  refresh(tokens: Uint32Array, count: number): void {
    const known = this.#changes
    const changes = this.state.changes.counts(this.state.tokens.count)
    for (let i = 0; i < count; i++) {
      const token = tokens[i]
      if (known[token] !== changes[token] + 1) this.#readAnew(token)
    }
  }

  /**
   * Keeps those of the first `count` tokens, refreshed, whose values are from `min` to `max`, in
   * their order; returns how many.
   */
  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    let left = 0
    for (let i = 0; i < count; i++) {
      const value = this.value(tokens[i])
      if (isWithin(value, min, max)) tokens[left++] = tokens[i]
    }
    return left
  }

  #readAnew(token: number): void {
    this.read(token, this.#reader.at(token))
    this.#changes[token] = this.state.changes.of(token) + 1
  }

  /** Keeps what the token's value is made of. */
  protected abstract read(token: number, reader: TokenReader): void
  /** The value as it was kept. */
  protected abstract value(token: number): number
  protected abstract widen(size: number): void
  /** Bytes of what values are made of. */
  protected abstract get ownBytes(): number
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

  /** The same where the values lie: most conditions are of this kind, and a call doubles their cost. */
  override narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    const values = this.#values
    let left = 0
    for (let i = 0; i < count; i++) {
      const value = values[tokens[i]]
      if (isWithin(value, min, max)) tokens[left++] = tokens[i]
    }
    return left
  }

  protected get ownBytes(): number {
    return this.#values.byteLength
  }

  protected widen(size: number): void {
    this.#values = widened(new Float64Array(size), this.#values)
  }
}

/** Market caps in dollars, out of their parts: nothing is read anew when SOL has another price. */
export class MarketCapColumn extends TokenColumn {
  #pricesInQuote = new Float64Array(FIRST_TOKENS)
  #suppliesWhole = new Float64Array(FIRST_TOKENS)
  #quotes = new Uint8Array(FIRST_TOKENS)

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
      this.state.solPriceUsd,
    )
    return price * this.#suppliesWhole[token]
  }

  protected get ownBytes(): number {
    return this.#pricesInQuote.byteLength + this.#suppliesWhole.byteLength + this.#quotes.byteLength
  }

  protected widen(size: number): void {
    this.#pricesInQuote = widened(new Float64Array(size), this.#pricesInQuote)
    this.#suppliesWhole = widened(new Float64Array(size), this.#suppliesWhole)
    this.#quotes = widened(new Uint8Array(size), this.#quotes)
  }
}

/** Minutes since the creation, at the clock's now. */
export class AgeColumn extends TokenColumn {
  #createdAt = new Float64Array(FIRST_TOKENS)

  protected read(token: number, reader: TokenReader): void {
    this.#createdAt[token] = reader.createdAt
  }

  protected value(token: number): number {
    return ageSecondsAt(this.state.now, this.#createdAt[token]) / 60
  }

  protected get ownBytes(): number {
    return this.#createdAt.byteLength
  }

  protected widen(size: number): void {
    this.#createdAt = widened(new Float64Array(size), this.#createdAt)
  }
}

/** A count of the creator's, over all of its tokens: a lane of its wallet row. */
export class CreatorColumn extends TokenColumn {
  readonly #lane: number
  #creatorsPlus1 = new Uint32Array(FIRST_TOKENS)

  constructor(state: State, reader: TokenReader, lane: number) {
    super(state, reader)
    this.#lane = lane
  }

  protected read(token: number, reader: TokenReader): void {
    this.#creatorsPlus1[token] = reader.creatorPlus1
  }

  protected value(token: number): number {
    const creator = this.#creatorsPlus1[token]
    return creator === 0 ? 0 : walletLane(this.state, creator - 1, this.#lane)
  }

  protected get ownBytes(): number {
    return this.#creatorsPlus1.byteLength
  }

  protected widen(size: number): void {
    this.#creatorsPlus1 = widened(new Uint32Array(size), this.#creatorsPlus1)
  }
}

/** Reuses of X links: kept by the links themselves, since they hang on other tokens. */
export class ReusesColumn extends TokenColumn {
  readonly #links: XLinks

  constructor(state: State, reader: TokenReader, links: XLinks) {
    super(state, reader)
    this.#links = links
  }

  protected read(): void {}

  protected value(token: number): number {
    return this.#links.reusesOf(token)
  }

  protected get ownBytes(): number {
    return 0
  }

  protected widen(): void {}
}

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max
}
