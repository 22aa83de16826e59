import { P, P_LANES, T, T_LANES } from './layout.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import type { State } from './state.ts'
import { SWAP_U32_LANES, U } from './swap-record.ts'

/** A page of swap history: how many there are in all, and the tape indexes asked for. */
export interface SwapPage {
  readonly total: number
  readonly swaps: readonly number[]
}

/** Swaps of a mint, newest first. `page` from 1. */
export function swapsOfToken(state: State, token: number, page: number, limit: number): SwapPage {
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const at = (token & ROW_MASK) * T_LANES
  const total = t[at + T.swaps]
  return {
    total,
    swaps: walk(state, t[at + T.lastSwapPlus1], U.previousInMint, total, page, limit),
  }
}

/** Swaps of one wallet in a mint, newest first. */
export function swapsOfPosition(
  state: State,
  position: number,
  page: number,
  limit: number,
): SwapPage {
  const p = state.positions.u32[position >>> ROW_SHIFT]
  const at = (position & ROW_MASK) * P_LANES
  const total = p[at + P.buys] + p[at + P.sells]
  const last = p[at + P.lastSwapPlus1]
  return { total, swaps: walk(state, last, U.previousInPosition, total, page, limit) }
}

function walk(
  state: State,
  newestPlus1: number,
  link: number,
  total: number,
  page: number,
  limit: number,
): number[] {
  const skip = (page - 1) * limit
  const swaps: number[] = []
  if (skip >= total) return swaps
  let next = newestPlus1
  for (let i = 0; next !== 0 && swaps.length < limit; i++) {
    if (i >= skip) swaps.push(next - 1)
    const r = state.tape.u32[(next - 1) >>> ROW_SHIFT]
    next = r[((next - 1) & ROW_MASK) * SWAP_U32_LANES + link]
  }
  return swaps
}
