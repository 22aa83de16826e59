import { positionLane, tokenLane } from './lanes.ts'
import { P, T } from './layout.ts'
import type { State } from './state.ts'
import { chainOfPosition, chainOfToken, linkOf, type SwapChain } from './swap-chains.ts'
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

/** A mint, or one wallet in it. */
export interface SwapsOf {
  readonly token: number
  readonly position: number | null
}

/** Their swaps. */
export function chainOf(state: State, { token, position }: SwapsOf): SwapChain {
  return position === null ? chainOfToken(state, token) : chainOfPosition(state, position)
}

/**
 * The chain of swaps, and in it the first (tape index + 1, 0 for none) older than the one at `place`
 * (null: the newest); null when no swap of theirs is there.
 */
export function chainBehind(
  state: State,
  of: SwapsOf,
  place: TapePlace | null,
): { readonly chain: SwapChain; readonly firstPlus1: number } | null {
  const chain = chainOf(state, of)
  if (place === null) return { chain, firstPlus1: chain.newestPlus1 }
  const at = swapAt(state, of, place)
  return at < 0 ? null : { chain, firstPlus1: linkOf(state, at, chain.link) }
}

/** Up to `limit` swaps behind a place, newest first; null when no swap of theirs is there. */
export function swapsBehind(
  state: State,
  of: SwapsOf,
  place: TapePlace | null,
  limit: number,
): SwapsBehind | null {
  const behind = chainBehind(state, of, place)
  if (behind === null) return null
  const { total, link } = behind.chain
  let next = behind.firstPlus1
  const found: number[] = []
  for (; next !== 0 && found.length < limit; next = linkOf(state, next - 1, link))
    found.push(next - 1)
  return { total, swaps: found, hasMore: next !== 0 }
}

/** The first of their swaps at a place, -1 when there is none. */
function swapAt(state: State, of: SwapsOf, place: TapePlace): number {
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
