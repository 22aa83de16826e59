import { notOfThisRun, positionOf } from './dormant.ts'
import { tokenLane, walletLane } from './lanes.ts'
import { D, L, N, P, R, T } from './layout.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import type { State } from './state.ts'

/** Positions of a mint, the newest first; below 0 those on the dormant tape. */
export function positionsOfToken(state: State, token: number): number[] {
  const found: number[] = []
  const run = runOf(state, token)
  if (run !== null) {
    for (let record = run.first; record < run.end; record++) found.push(positionOf(record))
    return found
  }
  const { positions } = state
  let next = tokenLane(state, token, T.positionsPlus1)
  while (next !== 0) {
    const row = next - 1
    found.push(row)
    const at = (row & ROW_MASK) * positions.lanes
    next = positions.u32[row >>> ROW_SHIFT][at + P.nextInMintPlus1]
  }
  return found
}

/** Positions of a wallet in all mints, in no order. */
export function positionsOfWallet(state: State, wallet: number): number[] {
  const found: number[] = []
  let next = walletLane(state, wallet, L.positionsPlus1)
  for (; next !== 0; next = state.nextInWallet(next - 1)) found.push(next - 1)
  const { dormant } = state
  const row = walletLane(state, wallet, L.dormantPlus1) - 1
  let recordPlus1 = row < 0 ? 0 : dormant.walletLane(row, N.newestPlus1)
  while (recordPlus1 !== 0) {
    const record = recordPlus1 - 1
    if (isDormant(state, dormant.lane(record, P.token), record)) found.push(positionOf(record))
    recordPlus1 = dormant.previous(record, D.previousOfWalletPlus1)
  }
  return found
}

/** Does a record hold what is so now? Its mint may have been traded since, and dormant again. */
export function isDormant(state: State, token: number, record: number): boolean {
  if (token >= state.tokens.count) throw notOfThisRun(record)
  const run = tokenLane(state, token, T.dormantPlus1) - 1
  return run >= 0 && state.dormant.holds(run, record)
}

/** The position of a wallet in a mint for reads, dormant or not; null when there is none. */
export function positionIn(state: State, token: number, wallet: number): number | null {
  const run = runOf(state, token)
  if (run === null) {
    const row = state.findPosition(token, wallet)
    return row < 0 ? null : row
  }
  for (let record = run.first; record < run.end; record++)
    if (state.dormant.lane(record, P.wallet) === wallet) return positionOf(record)
  return null
}

/** Records of a dormant token on the tape; null when it is awake. */
function runOf(state: State, token: number): { first: number; end: number } | null {
  const run = tokenLane(state, token, T.dormantPlus1) - 1
  if (run < 0) return null
  const first = state.dormant.runLane(run, R.first)
  return { first, end: first + state.dormant.runLane(run, R.count) }
}
