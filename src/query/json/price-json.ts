import type { TokenReader } from '../../engine/read/token-reader.ts'
import { TokenLane } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { SwapLane } from '../../events/swap-record.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'
import { SwapReader } from './swap-reader.ts'

/** The present price of a token; the reader stands on it. `seq` is the number of its last trade. */
export function priceJson(state: State, token: TokenReader): string {
  const { tokens, tape } = state
  const lastPlus1 = tokens.get(token.token, TokenLane.lastSwapPlus1)
  const timestamp =
    lastPlus1 === 0
      ? 'null'
      : `"${timeText(tape.u32Of(lastPlus1 - 1)[tape.at(lastPlus1 - 1) + SwapLane.timestamp])}"`
  const prices = pricesJson(token.mint, token.priceUsd, token.priceSol, token.marketCapUsd)
  return `${prices},"timestamp":${timestamp},"seq":${tokens.get(token.token, TokenLane.swaps)}}`
}

/** The price behind swap `index` of the tape, the trade of its mint with number `seq`. The reader stands on its token. */
export function priceOfTradeJson(
  state: State,
  token: TokenReader,
  index: number,
  seq: number,
): string {
  const swap = new SwapReader(state).at(index)
  // One object for all swaps: what it has is read before the next.
  const { usd, sol } = swap.price
  return (
    `${pricesJson(token.mint, usd, sol, usd * swap.supply)}` +
    `,"timestamp":"${timeText(swap.timestamp)}"` +
    `,"seq":${seq},"signature":${jsonString(swap.signature)}}`
  )
}

function pricesJson(mint: string, usd: number, sol: number, marketCapUsd: number): string {
  return (
    `{"mint":${jsonString(mint)},"price_usd":${jsonNumber(usd)},"price_sol":${jsonNumber(sol)}` +
    `,"market_cap_usd":${jsonNumber(marketCapUsd)}`
  )
}
