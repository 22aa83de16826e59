import { Quote, USDC_MINT, WRAPPED_SOL_MINT } from '../../events/platform.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { LIFECYCLE_LANES, LifecycleLane } from './layout.ts'
import type { State } from './state.ts'

/** Mint of a quote (quotes.ts); "" for a coin that nobody named. */
export function mintOfQuote(state: State, quote: number): string {
  if (quote === Quote.sol) return WRAPPED_SOL_MINT
  return quote === Quote.usdc ? USDC_MINT : state.quotes.mintOf(quote)
}

/** Symbol of a quote; "" for a coin whose creation is not known. */
export function symbolOfQuote(state: State, quote: number): string {
  if (quote === Quote.sol) return 'SOL'
  if (quote === Quote.usdc) return 'USDC'
  const token = state.quotes.tokenOf(quote)
  if (token < 0) return ''
  const b = state.births.u32[token >>> ROW_SHIFT]
  return state.texts.get(b[(token & ROW_MASK) * LIFECYCLE_LANES + LifecycleLane.symbol])
}
