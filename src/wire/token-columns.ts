import { walletLane } from '../engine/lanes.ts'
import { U32List } from '../engine/memory/u32-list.ts'
import { widened } from '../engine/memory/widened.ts'
import { Quote } from '../engine/platform.ts'
import { usdOfQuote } from '../engine/prices.ts'
import type { State } from '../engine/state.ts'
import { ageSecondsAt, type TokenReader } from '../engine/token-reader.ts'
import type { XLinks } from '../engine/x-links.ts'
import { FIRST_TOKENS, TokenColumn } from './token-column.ts'

/** In the order of their numbers. */
const QUOTES = Object.values(Quote).toSorted((a, b) => a - b)

// Each column has a loop of its own over where its values lie: through a call it takes twice the time.

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

  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    const values = this.#values
    let left = 0
    for (let i = 0; i < count; i++) {
      const token = tokens[i]
      tokens[left] = token
      left += isWithin(values[token], min, max)
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
    const { solPriceUsd } = this.state
    const price = usdOfQuote(this.#pricesInQuote[token], this.#quotes[token], solPriceUsd)
    return price * this.#suppliesWhole[token]
  }

  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    const [prices, supplies, quotes] = [this.#pricesInQuote, this.#suppliesWhole, this.#quotes]
    // Dollars of one, by quote.
    const dollars = Float64Array.from(QUOTES, (quote) =>
      usdOfQuote(1, quote, this.state.solPriceUsd),
    )
    let left = 0
    for (let i = 0; i < count; i++) {
      const token = tokens[i]
      const value = prices[token] * dollars[quotes[token]] * supplies[token]
      tokens[left] = token
      left += isWithin(value, min, max)
    }
    return left
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
    return ageMinutesAt(this.state.now, this.#createdAt[token])
  }

  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    const { now } = this.state
    const createdAt = this.#createdAt
    let left = 0
    for (let i = 0; i < count; i++) {
      const token = tokens[i]
      tokens[left] = token
      left += isWithin(ageMinutesAt(now, createdAt[token]), min, max)
    }
    return left
  }

  protected get ownBytes(): number {
    return this.#createdAt.byteLength
  }

  protected widen(size: number): void {
    this.#createdAt = widened(new Float64Array(size), this.#createdAt)
  }
}

/**
 * A count of the creator's, over all of its tokens: a lane of its wallet row. Creators are numbered
 * and their counts lie side by side, so that one that changes is one write, however many tokens it has.
 */
export class CreatorColumn extends TokenColumn {
  readonly #lane: number
  /** By token: number of its creator; 0 is nobody's. */
  #creators = new Uint32Array(FIRST_TOKENS)
  /** By creator: its count and its wallet row. */
  #counts = new Float64Array(FIRST_TOKENS)
  readonly #wallets = new U32List()
  readonly #numbers = new Map<number, number>()
  /** Place in the log of creators up to which counts were read. */
  #readTo = 0

  constructor(state: State, reader: TokenReader, lane: number) {
    super(state, reader)
    this.#lane = lane
  }

  override cover(): void {
    super.cover()
    const log = this.state.creatorChanges
    if (log.reaches(this.#readTo))
      for (let place = this.#readTo; place < log.end; place++) {
        const creator = this.#numbers.get(log.at(place))
        if (creator !== undefined) this.#readCount(creator)
      }
    else for (let creator = 1; creator <= this.#numbers.size; creator++) this.#readCount(creator)
    this.#readTo = log.end
  }

  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    const [creators, counts] = [this.#creators, this.#counts]
    let left = 0
    for (let i = 0; i < count; i++) {
      const token = tokens[i]
      tokens[left] = token
      left += isWithin(counts[creators[token]], min, max)
    }
    return left
  }

  protected read(token: number, reader: TokenReader): void {
    const { creatorPlus1 } = reader
    this.#creators[token] = creatorPlus1 === 0 ? 0 : this.#numberOf(creatorPlus1 - 1)
  }

  protected value(token: number): number {
    return this.#counts[this.#creators[token]]
  }

  #numberOf(wallet: number): number {
    const known = this.#numbers.get(wallet)
    if (known !== undefined) return known
    const creator = this.#numbers.size + 1
    this.#numbers.set(wallet, creator)
    this.#wallets.set(creator, wallet)
    if (creator >= this.#counts.length)
      this.#counts = widened(new Float64Array(creator * 2), this.#counts)
    this.#readCount(creator)
    return creator
  }

  #readCount(creator: number): void {
    const wallet = this.#wallets.get(creator)
    // Rows that were loaded may be fewer.
    const isThere = wallet < this.state.wallets.count
    this.#counts[creator] = isThere ? walletLane(this.state, wallet, this.#lane) : 0
  }

  protected get ownBytes(): number {
    return this.#creators.byteLength + this.#counts.byteLength + this.#wallets.bytes
  }

  protected widen(size: number): void {
    this.#creators = widened(new Uint32Array(size), this.#creators)
  }
}

/** Reuses of X links: kept by the links themselves, since they hang on other tokens. */
export class ReusesColumn extends TokenColumn {
  readonly #links: XLinks
  #reuses: Uint32Array = new Uint32Array(0)

  constructor(state: State, reader: TokenReader, links: XLinks) {
    super(state, reader)
    this.#links = links
  }

  override cover(): void {
    super.cover()
    this.#reuses = this.#links.reuses(this.state.tokens.count)
  }

  narrow(tokens: Uint32Array, count: number, min: number, max: number): number {
    const reuses = this.#reuses
    let left = 0
    for (let i = 0; i < count; i++) {
      const token = tokens[i]
      tokens[left] = token
      left += isWithin(reuses[token], min, max)
    }
    return left
  }

  /** There is nothing to read anew. */
  override refresh(): void {}
  override settle(): void {}
  override isNear(): boolean {
    return true
  }
  override get isSettledSoon(): boolean {
    return true
  }

  protected read(): void {}

  protected value(token: number): number {
    return this.#reuses[token]
  }

  protected get ownBytes(): number {
    return 0
  }

  protected widen(): void {}
}

function ageMinutesAt(now: number, createdAt: number): number {
  return ageSecondsAt(now, createdAt) / 60
}

/** 1 or 0: without a branch, since which tokens pass cannot be foretold. */
function isWithin(value: number, min: number, max: number): number {
  return Number(value >= min) & Number(value <= max)
}
