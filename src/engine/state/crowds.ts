import { TWO_32 } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT, type Rows } from '../memory/rows.ts'
import type { StatePart } from '../memory/state-part.ts'
import { CrowdLane, HolderClass, TokenLane, TopsLane } from './layout.ts'
import { SparseRows } from './sparse-rows.ts'
import { NEW_IDS, type UndoLog } from './undo-log.ts'

/**
 * Balances of a mint's holders, added up: of all, in the token's own row, and of each class, in a row that the token gets with
 * its first holder of one. A sum has two lanes, and a third one in a row of its own once it is 2^64 or more, which no sane
 * supply is: adding and taking away always meets 0 again.
 */
export class Crowds {
  readonly classes: SparseRows
  /** By row of a class: how often each sum has passed 2^64. */
  readonly tops: SparseRows
  readonly #tokens: Rows

  constructor(tokens: Rows, undo: UndoLog) {
    this.#tokens = tokens
    this.classes = new SparseRows(
      { owners: tokens, lane: TokenLane.crowd },
      CrowdLane.lanes,
      undo,
      {
        ...{ id: NEW_IDS.crowds, unsaved: [CrowdLane.tops] },
      },
    )
    const named = { owners: this.classes.rows, lane: CrowdLane.tops }
    this.tops = new SparseRows(named, TopsLane.lanes, undo, { id: NEW_IDS.tops })
  }

  /** Saves what is apart from the token's own row. */
  save(token: number): void {
    const crowd = this.classes.rowOf(token)
    if (crowd === 0) return
    this.classes.save(token)
    this.tops.save(crowd)
  }

  /** Counts a holder of a balance (`sign` 1), or one no longer (-1), in a class. The token was saved. */
  count(token: number, of: number, lo: number, hi: number, sign: number): void {
    const isAll = of === HolderClass.any
    const rows = isAll ? this.#tokens : this.classes.rows
    const row = isAll ? token : this.classes.take(token)
    const lanes = rows.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * rows.lanes + laneOf(of)
    lanes[at + 2] += sign
    const low = lanes[at] + sign * lo
    const high = lanes[at + 1] + sign * hi + carryOf(low)
    // Lanes keep what is below 2^32, of negative numbers too.
    lanes[at] = low
    lanes[at + 1] = high
    if (carryOf(high) !== 0) this.#countTop(token, of, carryOf(high))
  }

  /** Wallets with a balance, of a class. */
  holders(token: number, of: number): number {
    return of === HolderClass.any
      ? this.#tokens.get(token, TokenLane.holders)
      : this.classes.get(token, laneOf(of) + 2)
  }

  /** The sum of their balances as the nearest double. */
  sum(token: number, of: number): number {
    const isAll = of === HolderClass.any
    const rows = isAll ? this.#tokens : this.classes.rows
    const crowd = this.classes.rowOf(token)
    const row = isAll ? token : crowd
    const lanes = rows.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * rows.lanes + laneOf(of)
    return (this.tops.get(crowd, of) * TWO_32 + lanes[at + 1]) * TWO_32 + lanes[at]
  }

  get parts(): readonly StatePart[] {
    return [this.classes.part('token crowds'), this.tops.part('crowd tops')]
  }

  #countTop(token: number, of: number, change: number): void {
    const row = this.tops.take(this.classes.take(token))
    this.tops.rows.set(row, of, this.tops.rows.get(row, of) + change)
  }
}

/** The lane that the sum of a class begins at, in whichever row it is; its holders are two behind. */
function laneOf(of: number): number {
  return of === HolderClass.any ? TokenLane.holdersSumLo : of * CrowdLane.apart
}

function carryOf(lane: number): number {
  if (lane < 0) return -1
  return lane >= TWO_32 ? 1 : 0
}
