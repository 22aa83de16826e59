import { isZeroAt, numberAt, readU64 } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { tokenLane } from './lanes.ts'
import { LIFECYCLE_LANES, LifecycleLane, TOKEN_LANES, TokenFlag, TokenLane } from './layout.ts'
import { soldPercent } from './prices.ts'
import type { State } from './state.ts'

/** The three groups of the token tables; exclusive (contract section 2). */
export const Lifecycle = { new: 0, completing: 1, graduated: 2 } as const

/** More than what a few roundings add up to, as a part of the greatest value among them. */
const ROUNDED = 2 ** -50

export function flagsOf(state: State, token: number): number {
  return tokenLane(state, token, TokenLane.flags)
}

export function lifecycleOf(state: State, token: number): number {
  const flags = flagsOf(state, token)
  if (flags & TokenFlag.graduated) return Lifecycle.graduated
  if (flags & TokenFlag.complete) return Lifecycle.completing
  return isCompleting(state, token) ? Lifecycle.completing : Lifecycle.new
}

/** Percent of the curve that is sold, 100 once complete. */
export function completionOf(state: State, token: number): number {
  if (flagsOf(state, token) & (TokenFlag.graduated | TokenFlag.complete)) return 100
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const tAt = (token & ROW_MASK) * TOKEN_LANES
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LIFECYCLE_LANES
  return soldPercent(t, tAt + TokenLane.realBaseLo, b, bAt + LifecycleLane.initialRealBaseLo)
}

/** Sold the rule's percent of the initial real base or more, compared exactly. */
function isCompleting(state: State, token: number): boolean {
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const tAt = (token & ROW_MASK) * TOKEN_LANES + TokenLane.realBaseLo
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LIFECYCLE_LANES + LifecycleLane.initialRealBaseLo
  if (isZeroAt(b, bAt)) return false
  const initial = numberAt(b, bAt)
  const real = numberAt(t, tAt)
  const sold = (initial - real) * 100
  const needed = state.rules.completingPercent * initial
  // Far enough apart for doubles: BigInts would leave garbage behind every swap.
  if (Math.abs(sold - needed) > ROUNDED * (initial + real) * 100) return sold >= needed
  const exact = readU64(b, bAt)
  return (
    (exact - readU64(t, tAt)) * 100n >= BigInt(Math.round(state.rules.completingPercent)) * exact
  )
}
