import { positionLane, tokenLane } from './lanes.ts'
import { P, T } from './layout.ts'
import type { State } from './state.ts'
import { U } from './swap-record.ts'
import { comparePlace, firstAtPlace, type TapePlace } from './tape-place.ts'

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

/** Swaps of a mint, or of one wallet in it (`position` not null), newest first, behind a place. */
export interface SwapsBehind {
  readonly total: number
  readonly swaps: readonly number[]
  readonly hasMore: boolean
}

/**
 * Up to `limit` swaps older than the one at `place` (null: from the newest on); null when no swap
 * of theirs is there.
 */
export function swapsBehind(
  state: State,
  of: { readonly token: number; readonly position: number | null },
  place: TapePlace | null,
  limit: number,
): SwapsBehind | null {
  const { total, swaps } =
    of.position === null
      ? swapsOfToken(state, of.token, 1, 1)
      : swapsOfPosition(state, of.position, 1, 1)
  const link = of.position !== null ? U.previousInPosition : U.previousInMint
  let next = (swaps[0] ?? -1) + 1
  if (place !== null) {
    const at = swapAt(state, of, place)
    if (at < 0) return null
    next = linkOf(state, at, link)
  }
  const found: number[] = []
  for (; next !== 0 && found.length < limit; next = linkOf(state, next - 1, link))
    found.push(next - 1)
  return { total, swaps: found, hasMore: next !== 0 }
}

/** The first of their swaps at a place, -1 when there is none. */
function swapAt(
  state: State,
  of: { readonly token: number; readonly position: number | null },
  place: TapePlace,
): number {
  const { tape } = state
  const wallet = of.position === null ? -1 : positionLane(state, of.position, P.wallet)
  for (let index = firstAtPlace(tape, place); index < tape.count; index++) {
    if (comparePlace(tape, index, place) !== 0) break
    const at = tape.at(index)
    const u32 = tape.u32Of(index)
    const isTheirs = u32[at + U.token] === of.token && (wallet < 0 || u32[at + U.wallet] === wallet)
    if (isTheirs) return index
  }
  return -1
}

function linkOf({ tape }: State, index: number, link: number): number {
  return tape.u32Of(index)[tape.at(index) + link]
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
