import { positionLane, tokenLane } from './lanes.ts'
import { P, T } from './layout.ts'
import type { State } from './state.ts'
import { U } from './swap-record.ts'

/** A page of swap history: how many there are in all, and the tape indexes asked for. */
export interface SwapPage {
  readonly total: number
  readonly swaps: readonly number[]
}

/** Swaps of a mint, newest first. `page` from 1. */
export function swapsOfToken(state: State, token: number, page: number, limit: number): SwapPage {
  const total = tokenLane(state, token, T.swaps)
  const last = tokenLane(state, token, T.lastSwapPlus1)
  return { total, swaps: walk(state, last, U.previousInMint, total, page, limit) }
}

/** Swaps of one wallet in a mint, newest first. */
export function swapsOfPosition(
  state: State,
  position: number,
  page: number,
  limit: number,
): SwapPage {
  const total = positionLane(state, position, P.buys) + positionLane(state, position, P.sells)
  const last = positionLane(state, position, P.lastSwapPlus1)
  return { total, swaps: walk(state, last, U.previousInPosition, total, page, limit) }
}

/** All swaps of a mint, oldest first. */
export function swapsOldestFirst(state: State, token: number): number[] {
  const total = tokenLane(state, token, T.swaps)
  return swapsOfToken(state, token, 1, total).swaps.toReversed()
}

function walk(
  state: State,
  newestPlus1: number,
  link: number,
  total: number,
  page: number,
  limit: number,
): number[] {
  const { tape } = state
  const skip = (page - 1) * limit
  const swaps: number[] = []
  if (skip >= total) return swaps
  let next = newestPlus1
  for (let i = 0; next !== 0 && swaps.length < limit; i++) {
    if (i >= skip) swaps.push(next - 1)
    next = tape.u32Of(next - 1)[tape.at(next - 1) + link]
  }
  return swaps
}
