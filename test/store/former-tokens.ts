import { ROW_SHIFT, Rows } from '../../src/engine/memory/rows.ts'
import { LifecycleLane, ProfileLane, SeldomLane, TokenLane } from '../../src/engine/state/layout.ts'
import type { State } from '../../src/engine/state/state.ts'

/** Classes in the order of former lanes: `any`, then as now. */
const CLASSES = [5, 0, 1, 2, 3, 4]
const TOKEN_MOVES = [
  [0, 0, 10],
  [TokenLane.swaps, 40, 7],
  [TokenLane.lastSignature, 50, 2],
]
const BIRTH_MOVES = [
  [0, 0, 7],
  [LifecycleLane.name, 12, 3],
]
const PROFILE_MOVES = [
  [ProfileLane.tokenProgramPlus1, 7, 5],
  [ProfileLane.passedSupplyLo, 22, 2],
]
const SELDOM_MOVES = [
  [0, 16, 6],
  [2 * SeldomLane.createdArrivalF, 24, 4],
  [SeldomLane.migrationSignature, 15, 1],
]

/** Rows of tokens, of births and of windows as snapshots before version 14 have them. */
export function tokensOf(state: State): Rows {
  const { tokens, crowds, barHeads } = state
  const former = new Rows(52)
  for (let token = 0; token < tokens.count; token++) {
    former.add()
    move(tokens, token, former, token, TOKEN_MOVES)
    move(barHeads.rows, barHeads.rowOf(token), former, token, [[0, 47, 3]])
    const sums = former.f64[token >>> ROW_SHIFT]
    const at = (token % (1 << ROW_SHIFT)) * 26
    for (const [place, of] of CLASSES.entries()) {
      const sum = BigInt(crowds.sum(token, of))
      if (sums !== undefined) {
        sums[at + 5 + 2 * place] = Number(sum % 2n ** 32n)
        sums[at + 6 + 2 * place] = Number(sum / 2n ** 32n)
      }
      former.set(token, 34 + place, crowds.holders(token, of))
    }
  }
  return former
}

export function birthsOf({ births, profiles, seldom }: State): Rows {
  const former = new Rows(28)
  for (let token = 0; token < births.count; token++) {
    former.add()
    move(births, token, former, token, BIRTH_MOVES)
    const profile = births.get(token, LifecycleLane.profile)
    move(profiles.rows, profile, former, token, PROFILE_MOVES)
    move(seldom.rows, seldom.rowOf(token), former, token, SELDOM_MOVES)
  }
  return former
}

export function windowsOf({ tokens, windows }: State): Rows {
  const former = new Rows(6)
  for (let token = 0; token < tokens.count; token++)
    move(windows.rows, windows.rowOf(token), former, former.add(), [[0, 0, 6]])
  return former
}

/** Copies runs of lanes: the first one, the first one there, how many. */
function move(
  from: Rows,
  row: number,
  to: Rows,
  toRow: number,
  runs: readonly (readonly number[])[],
): void {
  for (const [first = 0, at = 0, count = 0] of runs)
    for (let i = 0; i < count; i++) to.set(toRow, at + i, from.get(row, first + i))
}
