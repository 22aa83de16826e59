import { wholeAt } from '../../base/u64.ts'
import {
  DECIMALS_DEFAULT,
  PUMP_MINT,
  QUOTE_DECIMALS,
  Quote,
  quoteOf,
} from '../../events/platform.ts'
import { ROW_MASK, ROW_SHIFT, Rows, rowsPart } from '../memory/rows.ts'
import type { StatePart } from '../memory/state-part.ts'
import type { AddressBook } from './address-book.ts'
import { LIFECYCLE_LANES, LifecycleLane, TOKEN_LANES, TokenFlag, TokenLane } from './layout.ts'
import { solOfQuote, usdOfQuote } from './prices.ts'

/** Coins that others are quoted in; a coin past them has no price and nine decimals. */
export const QUOTE_COINS_MAX = 1 << 16
/** Coins that a price may lead through: more, or a circle of them, is no price (contract section 1). */
export const QUOTE_STEPS_MAX = 4

/** More no mint has that amounts can be read of. */
const DECIMALS_MAX = 18

/** Number of the first coin. `Quote.other` itself is every coin that has no number of its own. */
const FIRST_COIN = Quote.other + 1

/** A coin that others are quoted in: its address id, its decimals + 1 where a feed told them (else 0). */
const Q = { address: 0, decimalsPlus1: 1 } as const
const Q_LANES = 2

/** What of the state a price is made of. */
interface PricedTokens {
  readonly book: AddressBook
  readonly tokens: Rows
  readonly births: Rows
  readonly rules: { readonly mintSuffix: string }
}

/**
 * What mints are quoted in: SOL, USDC, or a coin, by number. A coin is numbered when it is first told and
 * keeps its number; what is known of it is that of its token, if the platform made it.
 */
export class Quotes {
  readonly #state: PricedTokens
  readonly #coins = new Rows(Q_LANES)
  /** By address id. */
  readonly #numbers = new Map<number, number>()
  readonly part: StatePart

  constructor(state: PricedTokens) {
    this.#state = state
    const rows = rowsPart('quote coins', this.#coins)
    this.part = { ...rows, settle: () => this.#findAnew() }
  }

  /** Numbers are below this. */
  get count(): number {
    return FIRST_COIN + this.#coins.count
  }

  get bytes(): number {
    return this.#coins.bytes
  }

  /** Number of a quote mint, given on first use. `undefined` and "" are SOL. */
  numberOf(mint: string | undefined): number {
    const quote = quoteOf(mint)
    return quote === Quote.other ? this.numberOfCoin(this.#state.book.address(mint ?? '')) : quote
  }

  /** Number of the coin with this address id, given on first use. */
  numberOfCoin(address: number): number {
    const known = this.#numbers.get(address)
    if (known !== undefined) return known
    if (this.#coins.count === QUOTE_COINS_MAX) return Quote.other
    const row = this.#coins.add()
    this.#coins.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * Q_LANES + Q.address] = address
    this.#numbers.set(address, FIRST_COIN + row)
    return FIRST_COIN + row
  }

  /** A feed says how many decimals a coin has: the first word counts. */
  tellDecimals(quote: number, decimals: number): void {
    if (quote < FIRST_COIN || decimals > DECIMALS_MAX) return
    const row = quote - FIRST_COIN
    const lanes = this.#coins.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * Q_LANES + Q.decimalsPlus1
    if (lanes[at] === 0) lanes[at] = decimals + 1
  }

  /** Address of the coin, "" for one without a number. */
  mintOf(quote: number): string {
    return quote < FIRST_COIN ? '' : this.#state.book.text(this.#lane(quote, Q.address))
  }

  /** Token row of the coin, -1 when no event named it as a mint. */
  tokenOf(quote: number): number {
    if (quote < FIRST_COIN) return -1
    const token = this.#state.book.tokenOf(this.#lane(quote, Q.address))
    return token < this.#state.tokens.count ? token : -1
  }

  /**
   * Decimals of a quote: of a coin that the engine knows as a token those of the token, else what was told,
   * else those of the platform's coins where its mint looks like one of them, else nine.
   */
  decimalsOf(quote: number): number {
    if (quote < FIRST_COIN) return QUOTE_DECIMALS[quote]
    const token = this.tokenOf(quote)
    if (token >= 0 && this.#flagsOf(token) & TokenFlag.exists)
      return this.#birth(token, LifecycleLane.decimals)
    const told = this.#lane(quote, Q.decimalsPlus1)
    if (told > 0) return told - 1
    const mint = this.mintOf(quote)
    const isPlatform = mint === PUMP_MINT || mint.endsWith(this.#state.rules.mintSuffix)
    return isPlatform ? DECIMALS_DEFAULT : QUOTE_DECIMALS[Quote.other]
  }

  /** SOL of one whole unit of a coin, through the coins that it is quoted in itself. */
  coinPriceSol(quote: number, solPriceUsd: number): number {
    return this.#coinPrice(quote, solPriceUsd, solOfQuote, QUOTE_STEPS_MAX)
  }

  /** As `coinPriceSol`, in dollars. */
  coinPriceUsd(quote: number, solPriceUsd: number): number {
    return this.#coinPrice(quote, solPriceUsd, usdOfQuote, QUOTE_STEPS_MAX)
  }

  /**
   * Dollars of what prices of a token are counted in (`TokenReader.priceInUnits`): a whole SOL or dollar, but
   * the raw unit of a coin, so that a price stays what it is when more is learned of the coin's decimals.
   */
  unitUsd(quote: number, solPriceUsd: number): number {
    if (quote < FIRST_COIN) return usdOfQuote(1, quote, solPriceUsd)
    const price = this.coinPriceUsd(quote, solPriceUsd)
    return price === 0 ? 0 : price / 10 ** this.decimalsOf(quote)
  }

  /** Lamports that one raw unit of a coin is worth now; 0 while nobody knows. */
  lamportsPerUnit(quote: number, solPriceUsd: number): number {
    const price = this.coinPriceSol(quote, solPriceUsd)
    return price === 0 ? 0 : (price * 1e9) / 10 ** this.decimalsOf(quote)
  }

  /** In SOL or dollars, as `ofQuote` counts what the last coin is quoted in. */
  #coinPrice(
    quote: number,
    solPriceUsd: number,
    ofQuote: typeof solOfQuote,
    steps: number,
  ): number {
    const token = steps === 0 ? -1 : this.tokenOf(quote)
    if (token < 0) return 0
    const price = this.#priceInQuote(token)
    const own = this.#birth(token, LifecycleLane.quote)
    if (own < FIRST_COIN) return ofQuote(price, own, solPriceUsd)
    return price * this.#coinPrice(own, solPriceUsd, ofQuote, steps - 1)
  }

  /** Price of a token in whole units of its quote. */
  #priceInQuote(token: number): number {
    const lanes = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * TOKEN_LANES
    const base = wholeAt(
      lanes,
      at + TokenLane.virtualBaseLo,
      this.#birth(token, LifecycleLane.decimals),
    )
    if (base === 0) return 0
    const quoteDecimals = this.decimalsOf(this.#birth(token, LifecycleLane.quote))
    return wholeAt(lanes, at + TokenLane.virtualQuoteLo, quoteDecimals) / base
  }

  #findAnew(): void {
    this.#numbers.clear()
    for (let row = 0; row < this.#coins.count; row++)
      this.#numbers.set(this.#lane(FIRST_COIN + row, Q.address), FIRST_COIN + row)
  }

  #lane(quote: number, lane: number): number {
    const row = quote - FIRST_COIN
    return this.#coins.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * Q_LANES + lane]
  }

  #flagsOf(token: number): number {
    return this.#state.tokens.u32[token >>> ROW_SHIFT][
      (token & ROW_MASK) * TOKEN_LANES + TokenLane.flags
    ]
  }

  #birth(token: number, lane: number): number {
    return this.#state.births.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * LIFECYCLE_LANES + lane]
  }
}
