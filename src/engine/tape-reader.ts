import { positionLane, tokenLane } from './lanes.ts'
import { P, T } from './layout.ts'
import type { State } from './state.ts'
import { chainOfPosition, chainOfToken, linkOf } from './swap-chains.ts'
import { U } from './swap-record.ts'
import { comparePlace, firstAtPlace, type TapePlace } from './tape-place.ts'

/** All swaps of a mint, oldest first. */
export function swapsOldestFirst(state: State, token: number): number[] {
  const swaps: number[] = []
  let next = tokenLane(state, token, T.lastSwapPlus1)
  for (; next !== 0; next = linkOf(state, next - 1, U.previousInMint)) swaps.push(next - 1)
  return swaps.reverse()
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
  const { total, newestPlus1, link } =
    of.position === null ? chainOfToken(state, of.token) : chainOfPosition(state, of.position)
  let next = newestPlus1
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
