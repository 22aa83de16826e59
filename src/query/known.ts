import type { SwapsOf } from '../engine/history/swap-chains.ts'
import { TokenFlag, TokenLane } from '../engine/state/layout.ts'
import { positionIn } from '../engine/state/position-lists.ts'
import type { State } from '../engine/state/state.ts'

/** Row of a token that an event named, or -1. */
export function knownToken(state: State, mint: string): number {
  const token = state.book.findToken(mint)
  if (token < 0 || token >= state.tokens.count) return -1
  return (state.tokens.get(token, TokenLane.flags) & TokenFlag.exists) === 0 ? -1 : token
}

/** Row of a wallet that traded, or -1. */
export function knownWallet(state: State, wallet: string): number {
  const row = state.book.findWallet(wallet)
  return row < state.wallets.count ? row : -1
}

/** A mint, or (not null) a wallet in it; null when nothing is known of them. */
export function knownSwaps(state: State, mint: string, wallet: string | null): SwapsOf | null {
  const token = knownToken(state, mint)
  if (token < 0) return null
  if (wallet === null) return { token, position: null }
  const row = knownWallet(state, wallet)
  const position = row < 0 ? null : positionIn(state, token, row)
  return position === null ? null : { token, position }
}
