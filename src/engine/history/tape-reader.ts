import { SwapLane, type SwapMark, walletOf } from '../../events/swap-record.ts'
import { positionLane, tokenLane } from '../state/lanes.ts'
import { PositionLane, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import {
  chainOfPosition,
  chainOfToken,
  indexOfMark,
  linkOf,
  type SwapChain,
} from './swap-chains.ts'

/** Records looked at for one that late swaps may have moved: more are not told late before it is settled. */
const MOVES_MAX = 1_024

/** All swaps of a mint, oldest first. */
export function swapsOldestFirst(state: State, token: number): number[] {
  const swaps: number[] = []
  let next = tokenLane(state, token, TokenLane.lastSwapPlus1)
  for (; next !== 0; next = linkOf(state, next - 1, SwapLane.previousInMint)) swaps.push(next - 1)
  return swaps.reverse()
}

/** Swaps of a mint, or of one wallet in it (`position` not null), newest first, behind one of them. */
interface SwapsBehind {
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
 * The chain of swaps, and in it the first (tape index + 1, 0 for none) older than the one of a mark
 * (null: the newest); null when that is no swap of theirs.
 */
export function chainBehind(
  state: State,
  of: SwapsOf,
  mark: SwapMark | null,
): { readonly chain: SwapChain; readonly firstPlus1: number } | null {
  const chain = chainOf(state, of)
  if (mark === null) return { chain, firstPlus1: chain.newestPlus1 }
  const at = swapOf(state, of, mark)
  return at < 0 ? null : { chain, firstPlus1: linkOf(state, at, chain.link) }
}

/** Up to `limit` swaps behind that of a mark, newest first; null when that is no swap of theirs. */
export function swapsBehind(
  state: State,
  of: SwapsOf,
  mark: SwapMark | null,
  limit: number,
): SwapsBehind | null {
  const behind = chainBehind(state, of, mark)
  if (behind === null) return null
  const { total, link } = behind.chain
  let next = behind.firstPlus1
  const found: number[] = []
  for (; next !== 0 && found.length < limit; next = linkOf(state, next - 1, link))
    found.push(next - 1)
  return { total, swaps: found, hasMore: next !== 0 }
}

/** Their swap of a mark, -1 when there is none. */
function swapOf(state: State, of: SwapsOf, mark: SwapMark): number {
  const { tape } = state
  const index = indexOfMark(tape, mark, MOVES_MAX)
  if (index < 0) return -1
  const at = tape.at(index)
  const u32 = tape.u32Of(index)
  const wallet = of.position === null ? -1 : positionLane(state, of.position, PositionLane.wallet)
  const isTheirs =
    u32[at + SwapLane.token] === of.token && (wallet < 0 || walletOf(u32, at) === wallet)
  return isTheirs ? index : -1
}
