import { wholeAt } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT } from '../../engine/memory/rows.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import { LifecycleLane } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { Quote } from '../../events/platform.ts'
import { Flag, lamportsPerUnitOf, SwapLane, solPriceOf } from '../../events/swap-record.ts'
import { jsonNumber, jsonString } from '../../protocol/json-text.ts'

/** Additive keys of a token, as they stand behind the others of its object. The reader stands on it. */
export function tokenExtras({ quoteMint, quoteSymbol, isPriced }: TokenReader): string {
  return `${quoteKeys(quoteMint, quoteSymbol)},"priced":${isPriced}`
}

/** An object of a token with its additive keys. The reader stands on it. */
export function withTokenExtras(json: string, token: TokenReader): string {
  return `${json.slice(0, -1)}${tokenExtras(token)}}`
}

/**
 * Additive keys of swap `index` of the tape: fees in whole units of its quote, and whether its dollars are
 * those of a price that was known. A curve has no liquidity providers.
 */
export function swapExtras(state: State, index: number): string {
  const r = state.tape.u32Of(index)
  const rf = state.tape.f64Of(index)
  const at = state.tape.at(index)
  const token = r[at + SwapLane.token]
  const quote =
    state.births.u32[token >>> ROW_SHIFT][
      (token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.quote
    ]
  const decimals = state.quotes.decimalsOf(quote)
  const lpFee = r[at + SwapLane.flags] & Flag.amm ? wholeAt(r, at + SwapLane.lpFeeLo, decimals) : 0
  return (
    `,"lp_fee":${jsonNumber(lpFee)}` +
    `,"cashback":${jsonNumber(wholeAt(r, at + SwapLane.cashbackLo, decimals))}` +
    quoteKeys(state.quotes.mintOf(quote), state.quotes.symbolOf(quote)) +
    `,"priced":${wasPriced(rf, at >>> 1, quote)}`
  )
}

function quoteKeys(mint: string, symbol: string): string {
  return `,"quote_mint":${jsonString(mint)},"quote_symbol":${jsonString(symbol)}`
}

/** By the prices that were stored with the swap, from f64 lane `atF` on. */
function wasPriced(rf: Float64Array, atF: number, quote: number): boolean {
  if (quote === Quote.usdc) return true
  if (solPriceOf(rf, atF) === 0) return false
  return quote === Quote.sol || lamportsPerUnitOf(rf, atF) > 0
}
