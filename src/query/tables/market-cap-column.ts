import { U32List } from '../../engine/memory/rows.ts'
import { widened } from '../../engine/memory/views.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import { ProfileLane } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { Quote } from '../../events/platform.ts'
import { finiteNumber } from '../../protocol/wire.ts'
import type { Candidates, NarrowColumn, TokenRun } from './candidates.ts'
import { FIRST_TOKENS, type Predicate, TokenColumn } from './column-scan.ts'
import { filtered, isWithin } from './number-column.ts'

/**
 * A filter that compares more than this part of all tokens makes the values of all: they are compared in a fifth of the
 * time, and stay until SOL has another price.
 */
const WEIGHED_PART = 16

/** How a value goes with the price of SOL while no event changes the token. */
export const SolBearing = { none: 0, proportional: 1, unknown: 2 } as const
/** Doubles below and above these are rounded more, or may come to zero or infinity. */
const LEAST_USD = 1e-200
const MOST_USD = 1e200

/**
 * Market caps in dollars, from their parts: no token is read anew when SOL, or a coin that others are quoted in, has
 * another price. The price of a quote is read once at each use, of those that the tokens have. Prices are the market caps
 * of one token.
 */
export class MarketCapColumn extends TokenColumn {
  readonly #isPrice: boolean
  #pricesInUnits = new Float64Array(FIRST_TOKENS)
  #suppliesWhole = new Float64Array(FIRST_TOKENS)
  #quotes = new Uint32Array(FIRST_TOKENS)
  /** The result of `all`, updated by each read. */
  #all = new Float64Array(0)
  /** Has `#all` all tokens at the price of SOL in `#dollars`? */
  #areWeighed = false
  /** `#all` as candidates have it. */
  #narrow: NarrowColumn | null = null
  /** Tokens that are quoted in coins, or were, in no order. */
  readonly #ofCoins = new U32List()
  #isOfCoin = new Uint8Array(FIRST_TOKENS)
  /** By token: may others be quoted in it? */
  #isCoin = new Uint8Array(FIRST_TOKENS)
  #areCoinsKnown = true
  /** Place in the log of changes up to which `#all` was made valid. */
  #weighedTo = 0
  /** By quote: dollars of a unit of it, and the use that asked for them last. */
  #dollars = new Float64Array(FIRST_TOKENS)
  #askedAt = new Float64Array(FIRST_TOKENS)
  #use = 0
  /** By coin: its token + 1, 0 where `#dollars` has to be made anew; changes of the token when it was made. */
  #coins = new Uint32Array(FIRST_TOKENS)
  #pricedAt = new Float64Array(FIRST_TOKENS)
  /** Tokens that filters compared in this use, and the use in which `#all` was last made valid. */
  #compared = 0
  #weighedUse = -1

  constructor(state: State, reader: TokenReader, isPrice = false) {
    super(state, reader)
    this.#isPrice = isPrice
  }

  override cover(): void {
    super.cover()
    const { count } = this.state.quotes
    if (count > this.#dollars.length) {
      this.#dollars = widened(new Float64Array(count * 2), this.#dollars)
      this.#askedAt = widened(new Float64Array(count * 2), this.#askedAt)
      this.#coins = widened(new Uint32Array(count * 2), this.#coins)
      this.#pricedAt = widened(new Float64Array(count * 2), this.#pricedAt)
    }
    this.#use += 1
    this.#compared = 0
    const before = this.#dollars[Quote.sol]
    this.#priceQuote(Quote.sol)
    if (this.#dollars[Quote.sol] === before) return
    this.#areWeighed = false
    this.#coins.fill(0)
  }

  protected read(token: number, reader: TokenReader): void {
    this.#pricesInUnits[token] = reader.priceInUnits
    this.#suppliesWhole[token] = this.#isPrice ? 1 : reader.supplyWhole
    this.#quotes[token] = reader.quote
    if (reader.quote >= Quote.other && this.#isOfCoin[token] === 0) {
      this.#ofCoins.push(token)
      this.#isOfCoin[token] = 1
    }
    if (token < this.#all.length) this.#weighOne(token)
  }

  /** Valid after `cover`. */
  usdOf(token: number): number {
    this.refreshOne(token)
    return this.#worth(token)
  }

  /** Those of some tokens, in their order; valid after `cover`. */
  usdOfAll(tokens: Uint32Array): Float64Array {
    this.settle()
    const usd = new Float64Array(tokens.length)
    for (let i = 0; i < tokens.length; i++) usd[i] = this.#worth(tokens[i])
    return usd
  }

  /** One of `SolBearing`, of a token whose value is `usd`; valid after its value was read. */
  solBearing(token: number, usd: number): number {
    const quote = this.#quotes[token]
    const price = this.#pricesInUnits[token]
    if (quote === Quote.usdc || price === 0 || this.#suppliesWhole[token] === 0)
      return SolBearing.none
    if (quote !== Quote.sol) return SolBearing.unknown
    const isUsual = usd > LEAST_USD && usd < MOST_USD && price > LEAST_USD
    return isUsual ? SolBearing.proportional : SolBearing.unknown
  }

  /** The values of all tokens, until the next call; valid after `cover`. */
  all(): Float64Array {
    this.settle()
    this.#weigh()
    return this.#all.subarray(0, this.state.tokens.count)
  }

  /** Makes `#all` valid; a token that is read later puts its own value in. */
  #weigh(): void {
    if (this.#weighedUse === this.#use) return
    this.#weighedUse = this.#use
    if (!this.#areWeighed || this.#all.length < this.state.tokens.count) this.#weighAll()
    else if (this.#haveCoinsChanged())
      for (let i = 0; i < this.#ofCoins.length; i++) this.#weighOne(this.#ofCoins.get(i))
    this.#weighedTo = this.state.changes.log.end
  }

  #weighAll(): void {
    const { length } = this.#suppliesWhole
    if (this.#all.length < length) this.#all = new Float64Array(length)
    for (let token = 0; token < length; token++) this.#all[token] = this.#worth(token)
    this.#areWeighed = true
    if (this.#narrow !== null) this.#fillNarrow(this.#narrow)
  }

  /** At one price of SOL the price of a coin follows from its token, and from those that this one is quoted in. */
  #haveCoinsChanged(): boolean {
    const { log } = this.state.changes
    if (!this.#areCoinsKnown || !log.reaches(this.#weighedTo)) return true
    for (let place = this.#weighedTo; place < log.end; place++)
      if (this.#isCoin[log.at(place)] === 1) return true
    return false
  }

  #weighOne(token: number): void {
    const usd = this.#worth(token)
    this.#all[token] = usd
    if (this.#narrow !== null) this.#narrow.f32[token] = usd
  }

  #fillNarrow({ f32 }: NarrowColumn): void {
    f32.set(this.#all.subarray(0, f32.length))
  }

  /** The same steps as `TokenReader.marketCapUsd`, so the same bits. */
  #worth(token: number): number {
    const quote = this.#quotes[token]
    if (this.#askedAt[quote] !== this.#use) this.#priceQuote(quote)
    const price = this.#pricesInUnits[token] * this.#dollars[quote]
    return finiteNumber(price * this.#suppliesWhole[token])
  }

  #priceQuote(quote: number): void {
    this.#askedAt[quote] = this.#use
    if (this.#isPriced(quote)) return
    const { quotes, profiles, changes, solPriceUsd } = this.state
    this.#dollars[quote] = quotes.unitUsd(quote, solPriceUsd)
    const coin = quotes.tokenOf(quote)
    if (coin >= 0 && coin < this.#isCoin.length) this.#isCoin[coin] = 1
    else if (quote >= Quote.other) this.#areCoinsKnown = false
    const isOfSol = coin >= 0 && profiles.get(coin, ProfileLane.quote) < Quote.other
    this.#coins[quote] = isOfSol ? coin + 1 : 0
    if (isOfSol) this.#pricedAt[quote] = changes.of(coin)
  }

  /** Is the price of a coin still that in `#dollars`? At one price of SOL it follows from its token's row alone. */
  #isPriced(quote: number): boolean {
    const coin = this.#coins[quote] - 1
    const { changes, tokens } = this.state
    return coin >= 0 && coin < tokens.count && this.#pricedAt[quote] === changes.of(coin)
  }

  filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Predicate): number {
    this.#compared += run.to - run.from
    if (this.#compared * WEIGHED_PART > this.state.tokens.count) {
      this.#weigh()
      return filtered(this.#all, run, kept, end, bounds)
    }
    const { tokens, from, to } = run
    const { min, max } = bounds
    const [prices, supplies, quotes] = [this.#pricesInUnits, this.#suppliesWhole, this.#quotes]
    const [dollars, askedAt, use] = [this.#dollars, this.#askedAt, this.#use]
    let at = end - 1
    for (let i = to - 1; i >= from; i--) {
      const token = tokens[i]
      const quote = quotes[token]
      if (askedAt[quote] !== use) this.#priceQuote(quote)
      const value = finiteNumber(prices[token] * dollars[quote] * supplies[token])
      kept[at] = token
      at -= isWithin(value, min, max)
    }
    return at + 1
  }

  narrow(candidates: Candidates, { min, max }: Predicate): void {
    this.#weigh()
    this.#narrow = candidates.kept(this.#narrow, (column) => this.#fillNarrow(column))
    if (this.#narrow !== null) candidates.keepValues(this.#narrow, min, max)
  }

  protected get ownBytes(): number {
    const parts = [this.#pricesInUnits, this.#suppliesWhole, this.#quotes, this.#all]
    const ofCoins = [
      this.#isOfCoin,
      this.#isCoin,
      this.#dollars,
      this.#askedAt,
      this.#coins,
      this.#pricedAt,
    ]
    return [...parts, ...ofCoins].reduce((sum, one) => sum + one.byteLength, this.#ofCoins.bytes)
  }

  protected widen(size: number): void {
    this.#pricesInUnits = widened(new Float64Array(size), this.#pricesInUnits)
    this.#suppliesWhole = widened(new Float64Array(size), this.#suppliesWhole)
    this.#quotes = widened(new Uint32Array(size), this.#quotes)
    this.#isOfCoin = widened(new Uint8Array(size), this.#isOfCoin)
    this.#isCoin = widened(new Uint8Array(size), this.#isCoin)
  }
}
