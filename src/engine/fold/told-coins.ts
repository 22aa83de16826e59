import type { TokenCreated } from '../../events/event.ts'
import { Quote } from '../../events/platform.ts'
import { toldQuoteDecimals, toldQuoteOf, U } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { B, B_LANES } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Where the swap at u32 lane `at` says that its mint is quoted in a coin: the first that is told of a mint counts. */
export function noteCoinOfSwap({ births, quotes }: State, u32: Uint32Array, at: number): void {
  if (toldQuoteOf(u32, at) !== Quote.other) return
  const quote = quotes.numberOfCoin(u32[at + U.quoteMint])
  const decimals = toldQuoteDecimals(u32[at + U.flags])
  if (decimals >= 0) quotes.tellDecimals(quote, decimals)
  const token = u32[at + U.token]
  const b = births.u32[token >>> ROW_SHIFT]
  const lane = (token & ROW_MASK) * B_LANES + B.toldCoin
  if (b[lane] === 0) b[lane] = quote
}

/** A creation may say how many decimals its quote has. */
export function noteDecimalsOfCreation({ quotes }: State, event: TokenCreated): void {
  if (event.quoteDecimals === undefined) return
  quotes.tellDecimals(quotes.numberOf(event.quoteMint), event.quoteDecimals)
}
