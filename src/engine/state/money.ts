import { differenceAt, numberAt, wholeAt } from '../../base/u64.ts'
import {
  DECIMALS_DEFAULT,
  PUMP_MINT,
  QUOTE_DECIMALS,
  Quote,
  quoteOf,
  USDC_MINT,
  WRAPPED_SOL_MINT,
} from '../../events/platform.ts'
import {
  Flag,
  lamportsPerUnitOf,
  SwapFloatLane,
  SwapLane,
  solPriceOf,
  volumeMicroUsdOf,
} from '../../events/swap-record.ts'
import type { PackedTexts } from '../memory/packed-texts.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { StatePart } from '../memory/state-part.ts'
import type { AddressBook } from './address-book.ts'
import { LifecycleLane, ProfileLane, TokenFlag, TokenLane } from './layout.ts'
import type { Tape } from './tape.ts'
import type { Profiles } from './token-rows.ts'

/**
 * Amounts, prices and quotes: what a swap, a token or a coin is worth in micro-USD, lamports, dollars and SOL.
 *
 * Integer money comes from integer amounts and a price, rounded half up once (contract section 1).
 * Doubles do the work; one too close to a half is decided by exact integers. The price counts as the
 * decimal number it was written as: of its double, half of all halves lie below one.
 */

/** micro-USD of a quote amount. `quoteRaw` is lamports (SOL) or micro-USDC. */
export function microUsdOf(
  quoteNumber: number,
  quoteRaw: () => bigint,
  quote: number,
  solPriceUsd: number,
): number {
  if (quote === Quote.usdc) return quoteNumber
  if (quote === Quote.other || solPriceUsd === 0) return 0
  const estimate = (quoteNumber * solPriceUsd) / 1000
  if (isClear(estimate)) return Math.floor(estimate + 0.5)
  const { numerator, denominator } = decimalOf(solPriceUsd)
  return Number(halfUp(quoteRaw() * numerator, 1000n * denominator))
}

/** Lamports that a micro-USD amount was worth; 0 when the price was unknown. */
export function lamportsOf(microUsd: number, solPriceUsd: number): number {
  if (solPriceUsd === 0) return 0
  // An amount beyond all numbers in dollars, at a price close to the greatest, is no integer.
  if (microUsd === Number.POSITIVE_INFINITY) return microUsd
  const estimate = (microUsd * 1000) / solPriceUsd
  if (isClear(estimate)) return Math.floor(estimate + 0.5)
  const price = decimalOf(solPriceUsd)
  return Number(halfUp(BigInt(microUsd) * 1000n * price.denominator, price.numerator))
}

/** Is the estimate so far from a half that its error (2^-50 of it) cannot change the rounding? */
function isClear(estimate: number): boolean {
  const distance = Math.abs(estimate - Math.floor(estimate) - 0.5)
  return distance > estimate * 2 ** -50 && estimate < 2 ** 50
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n)
}

/** A positive double as the shortest decimal number that reads as it. */
function decimalOf(value: number): { numerator: bigint; denominator: bigint } {
  const [digits, power = '0'] = String(value).split('e')
  const [whole, decimals = ''] = digits.split('.')
  const exponent = Number(power) - decimals.length
  const numerator = BigInt(whole + decimals)
  return exponent < 0
    ? { numerator, denominator: 10n ** BigInt(-exponent) }
    : { numerator: numerator * 10n ** BigInt(exponent), denominator: 1n }
}

/** Price in quote units per whole token, from standing virtual reserves; 0 while there are none. */
export function priceInQuote(
  lanes: Uint32Array,
  baseAt: number,
  quoteAt: number,
  decimals: number,
  quoteDecimals: number,
): number {
  const base = wholeAt(lanes, baseAt, decimals)
  return base === 0 ? 0 : wholeAt(lanes, quoteAt, quoteDecimals) / base
}

/** Dollars of an amount in whole quote units. */
export function usdOfQuote(quoteWhole: number, quote: number, solPriceUsd: number): number {
  if (quote === Quote.usdc) return quoteWhole
  return quote === Quote.sol ? quoteWhole * solPriceUsd : 0
}

/** SOL of an amount in whole quote units; 0 when it depends on an unknown SOL price. */
export function solOfQuote(quoteWhole: number, quote: number, solPriceUsd: number): number {
  if (quote === Quote.sol) return quoteWhole
  return quote === Quote.usdc && solPriceUsd > 0 ? quoteWhole / solPriceUsd : 0
}

/**
 * `part` of `total` in percent, clamped to 0..100 (contract section 1). Multiplied first: 7 of 100 are
 * 7 percent then, where 0.07 × 100 is another double, which a filter of 7 leaves out.
 */
export function percentOf(part: number, total: number): number {
  if (total <= 0 || part <= 0) return 0
  const percent = (part * 100) / total
  return percent > 100 ? 100 : percent
}

/** Percent of the curve's initial real base that is sold. */
export function soldPercent(
  real: Uint32Array,
  realAt: number,
  initial: Uint32Array,
  initialAt: number,
): number {
  const whole = numberAt(initial, initialAt)
  return percentOf(differenceAt(initial, initialAt, real, realAt), whole)
}

/** Coins that others are quoted in; a coin past them has no price and nine decimals. */
export const QUOTE_COINS_MAX = 1 << 16
/** More than there are quotes. */
const QUOTES = QUOTE_COINS_MAX * 2
/** Coins that a price may lead through: more, or a circle of them, is no price (contract section 1). */
const QUOTE_STEPS_MAX = 4

/** Amounts of a mint with more cannot be read. */
const DECIMALS_MAX = 18

/** Number of the first coin. `Quote.other` itself is every coin that has no number of its own. */
const FIRST_COIN = Quote.other + 1

/** A coin that others are quoted in: its address id, and its decimals + 1 if a feed gave them (else 0). */
const Q = { address: 0, decimalsPlus1: 1, lanes: 2 } as const

/** Parts of the state that a price depends on. */
interface PricedTokens {
  readonly book: AddressBook
  readonly texts: PackedTexts
  readonly tokens: Rows
  readonly births: Rows
  readonly profiles: Profiles
  readonly rules: { readonly mintSuffix: string }
}

/**
 * Quotes of mints by number: SOL, USDC, or a coin. A coin gets its number at its first event; its decimals
 * and price are those of its token, if the platform made it.
 */
export class Quotes {
  readonly #state: PricedTokens
  readonly #coins = new Rows(Q.lanes)
  /** By address id. */
  readonly #numbers = new Map<number, number>()
  readonly part: StatePart

  constructor(state: PricedTokens) {
    this.#state = state
    const rows = this.#coins.part('quote coins')
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
    this.#coins.set(row, Q.address, address)
    this.#numbers.set(address, FIRST_COIN + row)
    return FIRST_COIN + row
  }

  /** A feed gave the decimals of a coin: the first ones count. */
  noteDecimals(quote: number, decimals: number): void {
    if (quote < FIRST_COIN || decimals > DECIMALS_MAX) return
    const row = quote - FIRST_COIN
    if (this.#coins.get(row, Q.decimalsPlus1) === 0)
      this.#coins.set(row, Q.decimalsPlus1, decimals + 1)
  }

  /** Mint of a quote; "" for a coin without a number. */
  mintOf(quote: number): string {
    if (quote === Quote.sol) return WRAPPED_SOL_MINT
    if (quote === Quote.usdc) return USDC_MINT
    return quote < FIRST_COIN ? '' : this.#state.book.text(this.#lane(quote, Q.address))
  }

  /** Symbol of a quote; "" for a coin whose creation is not known. */
  symbolOf(quote: number): string {
    if (quote === Quote.sol) return 'SOL'
    if (quote === Quote.usdc) return 'USDC'
    const token = this.tokenOf(quote)
    return token < 0
      ? ''
      : this.#state.texts.get(this.#state.births.get(token, LifecycleLane.symbol))
  }

  /** Token row of the coin, -1 when no event named it as a mint. */
  tokenOf(quote: number): number {
    if (quote < FIRST_COIN) return -1
    const token = this.#state.book.tokenOf(this.#lane(quote, Q.address))
    return token < this.#state.tokens.count ? token : -1
  }

  /**
   * Decimals of a quote. A coin has those of its token, else the given ones, else those of the platform's
   * coins if its mint looks like one of them, else nine.
   */
  decimalsOf(quote: number): number {
    if (quote < FIRST_COIN) return QUOTE_DECIMALS[quote]
    const token = this.tokenOf(quote)
    if (token >= 0 && this.#state.tokens.get(token, TokenLane.flags) & TokenFlag.exists)
      return this.#state.profiles.get(token, ProfileLane.decimals)
    const givenPlus1 = this.#lane(quote, Q.decimalsPlus1)
    if (givenPlus1 > 0) return givenPlus1 - 1
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
   * Dollars of the unit of a token's prices (`TokenReader.priceInUnits`): a whole SOL or dollar, but the raw
   * unit of a coin, so that a price stays the same when the coin's decimals become known.
   */
  unitUsd(quote: number, solPriceUsd: number): number {
    if (quote < FIRST_COIN) return usdOfQuote(1, quote, solPriceUsd)
    const price = this.coinPriceUsd(quote, solPriceUsd)
    return price === 0 ? 0 : price / 10 ** this.decimalsOf(quote)
  }

  /** Lamports that one raw unit of a coin is worth now; 0 while unknown. */
  lamportsPerUnit(quote: number, solPriceUsd: number): number {
    const price = this.coinPriceSol(quote, solPriceUsd)
    return price === 0 ? 0 : (price * 1e9) / 10 ** this.decimalsOf(quote)
  }

  /** In SOL or dollars: `ofQuote` converts the quote of the last coin. */
  #coinPrice(
    quote: number,
    solPriceUsd: number,
    ofQuote: typeof solOfQuote,
    steps: number,
  ): number {
    const token = steps === 0 ? -1 : this.tokenOf(quote)
    if (token < 0) return 0
    const price = this.#priceInQuote(token)
    const own = this.#state.profiles.get(token, ProfileLane.quote)
    if (own < FIRST_COIN) return ofQuote(price, own, solPriceUsd)
    return price * this.#coinPrice(own, solPriceUsd, ofQuote, steps - 1)
  }

  /** Price of a token in whole units of its quote. */
  #priceInQuote(token: number): number {
    const { profiles, tokens } = this.#state
    const lanes = tokens.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * TokenLane.lanes
    const decimals = profiles.get(token, ProfileLane.decimals)
    const quoteDecimals = this.decimalsOf(profiles.get(token, ProfileLane.quote))
    const quoteAt = at + TokenLane.virtualQuoteLo
    return priceInQuote(lanes, at + TokenLane.virtualBaseLo, quoteAt, decimals, quoteDecimals)
  }

  #findAnew(): void {
    this.#numbers.clear()
    for (let row = 0; row < this.#coins.count; row++)
      this.#numbers.set(this.#lane(FIRST_COIN + row, Q.address), FIRST_COIN + row)
  }

  #lane(quote: number, lane: number): number {
    return this.#coins.get(quote - FIRST_COIN, lane)
  }
}

/**
 * Decimals and quote of a mint, on which the prices of its trades depend, as one number. A late creation
 * may change it.
 */
export function pricingOf({ profiles }: Pick<PricedTokens, 'profiles'>, token: number): number {
  const profile = profiles.pageOf(token)
  const at = profiles.at(token)
  return profile[at + ProfileLane.decimals] * QUOTES + profile[at + ProfileLane.quote]
}

/** Price in USD that swap `index` of the tape was traded at, of a mint with this `pricingOf`; 0: not known. */
export function tradePriceUsd(
  { tape }: { readonly tape: Tape },
  index: number,
  pricing: number,
): number {
  const [r, rf] = [tape.u32Of(index), tape.f64Of(index)]
  const decimals = Math.floor(pricing / QUOTES)
  return priceSwap(r, rf, tape.at(index), pricing % QUOTES, decimals).usd
}

/** What `priceSwap` gives: one object for all trades. */
const swapPrice = { usd: 0.5, sol: 0.5 }

/**
 * Prices of a whole token that the record at u32 lane `at` was traded at, good until the next call: by the
 * reserves behind it, at the prices of SOL and of its quote coin that were stored with it. 0: one of them is unknown.
 */
export function priceSwap(
  r: Uint32Array,
  rf: Float64Array,
  at: number,
  quote: number,
  decimals: number,
): Readonly<typeof swapPrice> {
  const solPriceUsd = solPriceOf(rf, at >>> 1)
  if (quote >= Quote.other) {
    const base = wholeAt(r, at + SwapLane.virtualBaseLo, decimals)
    const lamports = numberAt(r, at + SwapLane.virtualQuoteLo) * lamportsPerUnitOf(rf, at >>> 1)
    swapPrice.sol = base === 0 ? 0 : lamports / 1e9 / base
    swapPrice.usd = swapPrice.sol * solPriceUsd
    return swapPrice
  }
  const price = priceInQuote(
    r,
    at + SwapLane.virtualBaseLo,
    at + SwapLane.virtualQuoteLo,
    decimals,
    QUOTE_DECIMALS[quote],
  )
  swapPrice.usd = usdOfQuote(price, quote, solPriceUsd)
  swapPrice.sol = solOfQuote(price, quote, solPriceUsd)
  return swapPrice
}

/** SOL value in lamports of an amount of a quote in raw units, of a swap with these prices. */
export function lamportsOfAmount(
  amount: number,
  quote: number,
  lamportsPerUnit: number,
  solPriceUsd: number,
): number {
  if (quote === Quote.sol) return amount
  if (quote === Quote.usdc) return lamportsOf(amount, solPriceUsd)
  return Math.round(amount * lamportsPerUnit)
}

/** SOL value of a folded swap record in lamports (contract section 1). */
export function lamportsOfSwap(
  r: Uint32Array,
  rf: Float64Array,
  at: number,
  quote: number,
): number {
  const atF = at >>> 1
  // Dollars as they were counted, whatever the quote of the mint was then.
  const amount =
    quote === Quote.usdc ? volumeMicroUsdOf(r, rf, at) : numberAt(r, at + SwapLane.quoteLo)
  return lamportsOfAmount(amount, quote, lamportsPerUnitOf(rf, atF), solPriceOf(rf, atF))
}

/**
 * Quote that a folded swap record was counted in. Another one may have become known for its mint since; the
 * lane of dollars shows the one of then: it is below 0 for coins.
 */
export function quoteCounted(r: Uint32Array, rf: Float64Array, at: number, quote: number): number {
  const microUsd = rf[(at >>> 1) + SwapFloatLane.volumeMicroUsd]
  if (quote === Quote.sol || microUsd <= 0) return quote
  return microUsd === numberAt(r, at + SwapLane.quoteLo) ? Quote.usdc : Quote.sol
}

/** All fees of a folded swap record in lamports, without that of the chain. */
export function feesOfSwap(r: Uint32Array, rf: Float64Array, at: number, quote: number): number {
  let fees = numberAt(r, at + SwapLane.platformFeeLo) + numberAt(r, at + SwapLane.creatorFeeLo)
  if (r[at + SwapLane.flags] & Flag.amm) fees += numberAt(r, at + SwapLane.lpFeeLo)
  fees += numberAt(r, at + SwapLane.cashbackLo)
  if (quote === Quote.sol) return fees
  const atF = at >>> 1
  return lamportsOfAmount(fees, quote, lamportsPerUnitOf(rf, atF), solPriceOf(rf, atF))
}
