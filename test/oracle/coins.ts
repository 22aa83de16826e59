/**
 * Prices through quote coins: a token quoted in a coin is worth what the coin is, through at most
 * four coins. All of it is asked of the tokens as they stand: at a place of the fold, or now.
 */
import { whole } from './exact.ts'
import { inCoin, inCoinThen, inSol, inUsdc, NOTHING, type Quote, type Valuation } from './quote.ts'
import { decimalsOf, quoteThenOf, supplyOf, type Token } from './world.ts'

export interface Coins {
  readonly tokens: ReadonlyMap<string, Token>
  /** The decimals that a feed told of a coin; undefined where none did. */
  readonly toldDecimals: (coin: string) => number | undefined
}

const STEPS = 4
const PUMP_MINT = 'pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn'
const MINT_SUFFIX = 'pump'
const DECIMALS_OF_PLATFORM = 6
const DECIMALS_UNKNOWN = 9

export function quoteDecimals(coins: Coins, { kind, coin }: Quote): number {
  if (kind === 'sol') return 9
  if (kind === 'usdc') return 6
  const token = coins.tokens.get(coin)
  if (token !== undefined) return token.decimals
  const isOfPlatform = coin === PUMP_MINT || coin.endsWith(MINT_SUFFIX)
  return coins.toldDecimals(coin) ?? (isOfPlatform ? DECIMALS_OF_PLATFORM : DECIMALS_UNKNOWN)
}

/** Whole units of its quote for a whole token; 0 without reserves. */
function priceInQuote(coins: Coins, token: Token): number {
  if (token.reserves === null) return 0
  const { baseRaw, quoteRaw } = token.reserves
  return whole(quoteRaw, quoteDecimals(coins, quoteThenOf(token))) / whole(baseRaw, token.decimals)
}

export function coinPriceSol(coins: Coins, coin: string, solPriceUsd: number): number {
  const ofUsdc = (price: number) => (solPriceUsd === 0 ? 0 : price / solPriceUsd)
  return coinPrice(coins, coin, { ofSol: (price) => price, ofUsdc }, STEPS)
}

export function coinPriceUsd(coins: Coins, coin: string, solPriceUsd: number): number {
  const ofSol = (price: number) => price * solPriceUsd
  return coinPrice(coins, coin, { ofSol, ofUsdc: (price) => price }, STEPS)
}

interface Money {
  ofSol(price: number): number
  ofUsdc(price: number): number
}

/** No steps left is no price, which also ends circles. */
function coinPrice(coins: Coins, coin: string, money: Money, steps: number): number {
  const token = coins.tokens.get(coin)
  if (token === undefined || steps === 0) return 0
  const price = priceInQuote(coins, token)
  const quote = quoteThenOf(token)
  if (quote.kind === 'sol') return money.ofSol(price)
  if (quote.kind === 'usdc') return money.ofUsdc(price)
  return price * coinPrice(coins, quote.coin, money, steps - 1)
}

/** Lamports of one raw unit of a coin at this place of the fold. */
export function lamportsPerUnitOf(coins: Coins, quote: Quote, solPriceUsd: number): number {
  if (quote.kind !== 'coin') return 0
  const power = Number(`1e${quoteDecimals(coins, quote)}`)
  return (coinPriceSol(coins, quote.coin, solPriceUsd) * 1e9) / power
}

/** What one whole unit of a quote is worth in dollars now; 0 while nothing is known. */
export function quoteUsd(coins: Coins, { kind, coin }: Quote, solPriceUsd: number): number {
  if (kind === 'sol') return solPriceUsd
  return kind === 'usdc' ? 1 : coinPriceUsd(coins, coin, solPriceUsd)
}

/** A token's values at the prices of now. */
export function valuationNow(coins: Coins, token: Token, solPriceUsd: number): Valuation {
  const { quote, reserves } = token
  if (reserves === null) return NOTHING
  const decimals = decimalsOf(token)
  const amounts = {
    quoteWhole: whole(reserves.quoteRaw, quoteDecimals(coins, quote)),
    baseWhole: whole(reserves.baseRaw, decimals),
    supplyWhole: whole(supplyOf(token), decimals),
  }
  if (quote.kind === 'sol') return inSol(amounts, solPriceUsd)
  if (quote.kind === 'usdc') return inUsdc(amounts, solPriceUsd)
  const power = Number(`1e${quoteDecimals(coins, quote)}`)
  const unit = {
    usd: coinPriceUsd(coins, quote.coin, solPriceUsd) / power,
    lamports: lamportsPerUnitOf(coins, quote, solPriceUsd),
  }
  return inCoin({ ...amounts, quoteRaw: reserves.quoteRaw }, unit)
}

/** A trade's values at its place: `token` as the trade left it, in the quote that is known by now. */
export function valuationThen(
  coins: Coins,
  token: Token,
  solPriceUsd: number,
  lamportsPerUnit: number,
): Valuation {
  const { quote, reserves } = token
  if (quote.kind !== 'coin') return valuationNow(coins, token, solPriceUsd)
  if (reserves === null) return NOTHING
  const decimals = decimalsOf(token)
  const supplyWhole = whole(supplyOf(token), decimals)
  return inCoinThen(reserves, lamportsPerUnit, decimals, supplyWhole, solPriceUsd)
}
