import { numberAt, wholeAt } from '../../base/u64.ts'
import { QUOTE_DECIMALS, Quote } from '../../events/platform.ts'
import {
  Flag,
  lamportsPerUnitOf,
  SwapFloatLane,
  SwapLane,
  solPriceOf,
  volumeMicroUsdOf,
} from '../../events/swap-record.ts'
import { lamportsOf } from './money.ts'
import { priceInQuote, solOfQuote, usdOfQuote } from './prices.ts'

/** Prices of a trade by whole token, as `priceSwap` leaves them. */
export const swapPrice = { usd: 0.5, sol: 0.5 }

/**
 * Prices that the record at u32 lane `at` was traded at, into `swapPrice`: by the reserves behind it, at the
 * prices of SOL and of its quote coin that were stored with it. 0: nobody knew one of them.
 */
export function priceSwap(
  r: Uint32Array,
  rf: Float64Array,
  at: number,
  quote: number,
  decimals: number,
): void {
  const solPriceUsd = solPriceOf(rf, at >>> 1)
  if (quote >= Quote.other) {
    const base = wholeAt(r, at + SwapLane.virtualBaseLo, decimals)
    const lamports = numberAt(r, at + SwapLane.virtualQuoteLo) * lamportsPerUnitOf(rf, at >>> 1)
    swapPrice.sol = base === 0 ? 0 : lamports / 1e9 / base
    swapPrice.usd = swapPrice.sol * solPriceUsd
    return
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
  // Dollars are those that were counted, whatever the mint was taken to be quoted in then.
  const amount =
    quote === Quote.usdc ? volumeMicroUsdOf(r, rf, at) : numberAt(r, at + SwapLane.quoteLo)
  return lamportsOfAmount(amount, quote, lamportsPerUnitOf(rf, atF), solPriceOf(rf, atF))
}

/**
 * Quote that a folded swap record was counted in. Its mint may be known by now to be quoted in a coin or
 * in dollars, and have been taken for another then: the lane of dollars tells it, which is below 0 for coins.
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
