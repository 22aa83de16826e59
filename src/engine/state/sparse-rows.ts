import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import { StateError, type StatePart } from '../memory/state-part.ts'
import type { UndoLog } from './undo-log.ts'

/**
 * Rows of what few tokens have, each named by a lane of its owner's row. Row 0 is nobody's and all zeros: who has none reads
 * that one, so that no reader asks. A row that was taken stays its owner's: rolling back empties it. So the lane that names
 * it is not to be restored, and there are at most as many as owners.
 */
export class SparseRows {
  readonly rows: Rows
  readonly #owners: Rows
  readonly #lane: number
  readonly #undo: UndoLog
  readonly #id: number

  /** `lane` of an owner's row names its row here; `id` and `unsaved` are those of the undo log. */
  constructor(
    { owners, lane }: { readonly owners: Rows; readonly lane: number },
    lanes: number,
    undo: UndoLog,
    { id, unsaved = [] }: { readonly id: number; readonly unsaved?: readonly number[] },
  ) {
    this.rows = new Rows(lanes)
    this.rows.add()
    this.#owners = owners
    this.#lane = lane
    this.#undo = undo
    this.#id = undo.register(this.rows, unsaved, id)
  }

  /** The row of an owner; 0: it has none. */
  rowOf(owner: number): number {
    return this.#owners.get(owner, this.#lane)
  }

  /** One u32 lane of an owner. */
  get(owner: number, lane: number): number {
    return this.rows.get(this.rowOf(owner), lane)
  }

  /** One f64 lane of an owner. */
  getF(owner: number, laneF: number): number {
    const row = this.rowOf(owner)
    return this.rows.f64[row >>> ROW_SHIFT][(((row & ROW_MASK) * this.rows.lanes) >>> 1) + laneF]
  }

  /** Saves an owner's row for the undo log, before an event changes it. */
  save(owner: number): void {
    const row = this.rowOf(owner)
    if (row !== 0) this.#undo.save(this.#id, row)
  }

  /** The row of an owner whose row was saved; a new one, which rolling back empties, where it has none. */
  take(owner: number): number {
    const known = this.rowOf(owner)
    if (known !== 0) return known
    const row = this.add(owner)
    this.#undo.save(this.#id, row)
    return row
  }

  /** A new row for an owner without one, which no event brings. */
  add(owner: number): number {
    const row = this.rows.add()
    this.#owners.set(owner, this.#lane, row)
    return row
  }

  /** Forgets all rows but that of nobody. */
  reset(): void {
    this.rows.reset(1)
  }

  part(name: string): StatePart {
    const settle = () => {
      if (this.rows.count === 0 || this.rows.u32[0].subarray(0, this.rows.lanes).some(Boolean))
        throw new StateError(`the state has no empty row among its ${name}`)
    }
    return { ...this.rows.part(name), settle }
  }
}
