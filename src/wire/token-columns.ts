import { walletLane } from '../engine/lanes.ts'
import { U32List } from '../engine/memory/u32-list.ts'
import { widened } from '../engine/memory/widened.ts'
import type { State } from '../engine/state.ts'
import { ageSecondsAt, type TokenReader } from '../engine/token-reader.ts'
import type { XLinks } from '../engine/x-links.ts'
import { finiteNumber } from './json-text.ts'
import {
  type Bounds,
  type Column,
  FIRST_TOKENS,
  TokenColumn,
  type TokenRun,
} from './token-column.ts'

// Each kind of column has a loop of its own over where its values lie: through a call for each it takes
// twice the time.

/** A quantity that hangs on nothing but its token. */
export class NumberColumn extends TokenColumn {
  readonly #read: (token: TokenReader) => number
  #values = new Float64Array(FIRST_TOKENS)

  constructor(state: State, reader: TokenReader, read: (token: TokenReader) => number) {
    super(state, reader)
    this.#read = read
  }

  protected read(token: number, reader: TokenReader): void {
    // What is told of it: sums of dollars beyond all numbers are none.
    this.#values[token] = finiteNumber(this.#read(reader))
  }

  /** The values of all tokens, until the state changes. */
  all(): Float64Array {
    this.settle()
    return this.#values.subarray(0, this.state.tokens.count)
  }

  narrow(run: TokenRun, kept: Uint32Array, end: number, bounds: Bounds): number {
    return narrowed(this.#values, run, kept, end, bounds)
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
  #quotes = new Uint32Array(FIRST_TOKENS)
  /** What `all` gives, kept up with what is read. */
  #all = new Float64Array(0)
  /** Is it of the dollars below? */
  #areWeighed = false
  /** Dollars of one, by quote. */
  #dollarsOfOne = new Float64Array(0)

  protected read(token: number, reader: TokenReader): void {
    this.#pricesInQuote[token] = reader.priceInQuote
    this.#suppliesWhole[token] = reader.supplyWhole
    this.#quotes[token] = reader.quote
    if (token < this.#all.length) this.#all[token] = this.#worth(token)
  }

  usdOf(token: number): number {
    this.refreshOne(token)
    return this.#value(token)
  }

  /** The values of all tokens, until the next call. */
  all(): Float64Array {
    this.settle()
    this.#dollars()
    const { count } = this.state.tokens
    if (!this.#areWeighed || this.#all.length < count) this.#weighAll()
    return this.#all.subarray(0, count)
  }

  #weighAll(): void {
    const { length } = this.#suppliesWhole
    if (this.#all.length < length) this.#all = new Float64Array(length)
    for (let token = 0; token < length; token++) this.#all[token] = this.#worth(token)
    this.#areWeighed = true
  }

  /** At the prices of quotes that were asked for last. */
  #worth(token: number): number {
    const price = this.#pricesInQuote[token] * this.#dollarsOfOne[this.#quotes[token]]
    return finiteNumber(price * this.#suppliesWhole[token])
  }

  /** The same steps as `TokenReader.marketCapUsd`, so the same bits. */
  #value(token: number): number {
    const { quotes, solPriceUsd } = this.state
    const price = quotes.usdOf(this.#pricesInQuote[token], this.#quotes[token], solPriceUsd)
    return finiteNumber(price * this.#suppliesWhole[token])
  }

  /** Dollars of one, by quote: asked for at each use, since a coin has another price with each of its trades. */
  #dollars(): Float64Array {
    const { quotes, solPriceUsd } = this.state
    if (this.#dollarsOfOne.length < quotes.count)
      this.#dollarsOfOne = widened(new Float64Array(quotes.count * 2), this.#dollarsOfOne)
    const dollars = this.#dollarsOfOne
    for (let quote = 0; quote < quotes.count; quote++) {
      const usd = quotes.usdOf(1, quote, solPriceUsd)
      if (dollars[quote] === usd) continue
      dollars[quote] = usd
      this.#areWeighed = false
    }
    return dollars
  }

  narrow(
    { tokens, from, to }: TokenRun,
    kept: Uint32Array,
    end: number,
    { min, max }: Bounds,
  ): number {
    const [prices, supplies, quotes] = [this.#pricesInQuote, this.#suppliesWhole, this.#quotes]
    const dollars = this.#dollars()
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      const value = finiteNumber(prices[token] * dollars[quotes[token]] * supplies[token])
      kept[at] = token
      at -= isWithin(value, min, max)
    }
    return at + 1
  }

  protected get ownBytes(): number {
    const parts = [this.#pricesInQuote, this.#suppliesWhole, this.#quotes, this.#all]
    return parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  protected widen(size: number): void {
    this.#pricesInQuote = widened(new Float64Array(size), this.#pricesInQuote)
    this.#suppliesWhole = widened(new Float64Array(size), this.#suppliesWhole)
    this.#quotes = widened(new Uint32Array(size), this.#quotes)
  }
}

/** Minutes since the creation, at the clock's now. */
export class AgeColumn extends TokenColumn {
  #createdAt = new Float64Array(FIRST_TOKENS)

  protected read(token: number, reader: TokenReader): void {
    this.#createdAt[token] = reader.createdAt
  }

  narrow(
    { tokens, from, to }: TokenRun,
    kept: Uint32Array,
    end: number,
    { min, max }: Bounds,
  ): number {
    const { now } = this.state
    const createdAt = this.#createdAt
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      kept[at] = token
      at -= isWithin(ageSecondsAt(now, createdAt[token]) / 60, min, max)
    }
    return at + 1
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
  /** By creator. */
  #counts = new Uint32Array(FIRST_TOKENS)
  /** By wallet row: number of the creator; 0 is none. */
  readonly #numbers = new U32List()
  /** By number of the creator: its wallet row; nobody has the first. */
  readonly #wallets = new U32List()
  /** Place in the log of creators up to which counts were read. */
  #readTo = 0

  constructor(state: State, reader: TokenReader, lane: number) {
    super(state, reader)
    this.#lane = lane
    this.#wallets.push(0)
  }

  override cover(): void {
    super.cover()
    const log = this.state.creatorChanges
    if (log.reaches(this.#readTo))
      for (let place = this.#readTo; place < log.end; place++) {
        const wallet = log.at(place)
        const creator = this.#numbers.get(wallet)
        if (creator !== 0) this.#readCount(creator, wallet)
      }
    else
      for (let creator = 1; creator < this.#wallets.length; creator++)
        this.#readCount(creator, this.#wallets.get(creator))
    this.#readTo = log.end
  }

  narrow(
    { tokens, from, to }: TokenRun,
    kept: Uint32Array,
    end: number,
    { min, max }: Bounds,
  ): number {
    const [creators, counts] = [this.#creators, this.#counts]
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      kept[at] = token
      at -= isWithin(counts[creators[token]], min, max)
    }
    return at + 1
  }

  protected read(token: number, reader: TokenReader): void {
    const { creatorPlus1 } = reader
    this.#creators[token] = creatorPlus1 === 0 ? 0 : this.#numberOf(creatorPlus1 - 1)
  }

  #numberOf(wallet: number): number {
    const known = this.#numbers.get(wallet)
    if (known !== 0) return known
    const creator = this.#wallets.length
    this.#numbers.set(wallet, creator)
    this.#wallets.push(wallet)
    if (creator >= this.#counts.length)
      this.#counts = widened(new Uint32Array(creator * 2), this.#counts)
    this.#readCount(creator, wallet)
    return creator
  }

  #readCount(creator: number, wallet: number): void {
    // Rows that were loaded may be fewer.
    const isThere = wallet < this.state.wallets.count
    this.#counts[creator] = isThere ? walletLane(this.state, wallet, this.#lane) : 0
  }

  protected get ownBytes(): number {
    const lists = this.#numbers.bytes + this.#wallets.bytes
    return this.#creators.byteLength + this.#counts.byteLength + lists
  }

  protected widen(size: number): void {
    this.#creators = widened(new Uint32Array(size), this.#creators)
  }
}

/** Reuses of X links: kept by the links themselves, since they hang on other tokens; never stale. */
export class ReusesColumn implements Column {
  readonly bytes = 0
  readonly unsettled = 0
  readonly #state: State
  readonly #links: XLinks
  #reuses: Uint32Array = new Uint32Array(0)

  constructor(state: State, links: XLinks) {
    this.#state = state
    this.#links = links
  }

  cover(): void {
    this.#reuses = this.#links.reuses(this.#state.tokens.count)
  }

  refresh(): void {}

  settle(): void {}

  isNear(): boolean {
    return true
  }

  narrow(run: TokenRun, kept: Uint32Array, end: number, bounds: Bounds): number {
    return narrowed(this.#reuses, run, kept, end, bounds)
  }
}

function narrowed(
  values: Float64Array | Uint32Array,
  { tokens, from, to }: TokenRun,
  kept: Uint32Array,
  end: number,
  { min, max }: Bounds,
): number {
  let at = end - 1
  for (let i = to - 1; i >= from; i--) {
    const token = tokens[i]
    kept[at] = token
    at -= isWithin(values[token], min, max)
  }
  return at + 1
}

/** 1 or 0: without a branch, since which tokens pass cannot be foretold. */
function isWithin(value: number, min: number, max: number): number {
  return Number(value >= min) & Number(value <= max)
}
