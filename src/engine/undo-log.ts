import { ROW_MASK, ROW_SHIFT, type Rows } from './memory/rows.ts'
import { StateError, type StatePart, sizesOf } from './memory/state-part.ts'
import { copyRing, isRingLength, ringBytes } from './memory/views.ts'

/**
 * Images of rows as they were before an event changed them, newest last, so that late events can
 * be folded in their place: roll back to it, fold, fold the later ones again.
 *
 * A ring of u32 lanes (f64 lanes would let the machine touch up bits that look like a NaN). Each
 * image is its lanes followed by [rows id, row]. Positions in the log only ever grow.
 */
const FIRST_LANES = 1 << 18
/** Most memory the log takes; past it the oldest images go, and with them how late an event may be. */
export const UNDO_LANES_MAX = 1 << 26

export class UndoLog {
  #ring = new Uint32Array(FIRST_LANES)
  #mask = FIRST_LANES - 1
  #head = 0
  #tail = 0
  readonly #rows: Rows[] = []
  /** Lanes of each that are not put back. */
  readonly #kept: (readonly number[])[] = []
  readonly #held: number[] = []
  /** By id: told when a row is put back. */
  readonly #restored: (((row: number) => void) | null)[] = []

  /** Positions stay what they are, for the order ring points at them. */
  readonly part: StatePart = {
    name: 'undo',
    facts: () => [this.#ring.length, this.#head, this.#tail],
    views: () => ringBytes(this.#ring, this.#tail, this.#head),
    open: (facts) => {
      this.#open(facts)
      return ringBytes(this.#ring, this.#tail, this.#head)
    },
    settle() {},
  }

  /**
   * Makes rows known to the log; returns the id to save under. `kept` are lanes that stay as they
   * are when a row is put back: links that other rows may have changed since.
   */
  register(rows: Rows, kept: readonly number[] = []): number {
    this.#rows.push(rows)
    this.#kept.push(kept)
    this.#restored.push(null)
    return this.#rows.length - 1
  }

  /** Has the rows of one id told when they are put back. */
  onRestored(id: number, restored: (row: number) => void): void {
    this.#restored[id] = restored
  }

  get bytes(): number {
    return this.#ring.byteLength
  }

  /** Bytes that the log has not come to in its first round. */
  get untouchedBytes(): number {
    return Math.max(0, this.#ring.length - this.#head) * 4
  }

  /** Where the log ends now; roll back to it with `rollBackTo`. */
  get mark(): number {
    return this.#head
  }

  /** Oldest position that can still be rolled back to. */
  get tail(): number {
    return this.#tail
  }

  save(id: number, row: number): void {
    const rows = this.#rows[id]
    const lanes = rows.lanes
    if (this.#head - this.#tail + lanes + 2 > this.#ring.length) this.#makeRoom(lanes + 2)
    const page = rows.u32[row >>> ROW_SHIFT]
    const from = (row & ROW_MASK) * lanes
    const ring = this.#ring
    const start = this.#head & this.#mask
    if (start + lanes + 2 <= ring.length) {
      for (let i = 0; i < lanes; i++) ring[start + i] = page[from + i]
      ring[start + lanes] = id
      ring[start + lanes + 1] = row
    } else this.#saveAcrossTheEnd(page, from, lanes, id, row)
    this.#head += lanes + 2
  }

  /** Puts every row back to what it was at `mark`. */
  rollBackTo(mark: number): void {
    const ring = this.#ring
    const mask = this.#mask
    while (this.#head > mark) {
      const row = ring[(this.#head - 1) & mask]
      const id = ring[(this.#head - 2) & mask]
      const rows = this.#rows[id]
      const page = rows.u32[row >>> ROW_SHIFT]
      const to = (row & ROW_MASK) * rows.lanes
      const start = this.#head - 2 - rows.lanes
      const kept = this.#kept[id]
      for (let i = 0; i < kept.length; i++) this.#held[i] = page[to + kept[i]]
      for (let i = 0; i < rows.lanes; i++) page[to + i] = ring[(start + i) & mask]
      for (let i = 0; i < kept.length; i++) page[to + kept[i]] = this.#held[i]
      this.#head = start
      this.#restored[id]?.(row)
    }
  }

  /** Forgets everything before `mark`. */
  forgetBefore(mark: number): void {
    if (mark > this.#tail) this.#tail = mark
  }

  #open(facts: readonly number[]): void {
    const limits = [UNDO_LANES_MAX, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    const [length, head, tail] = sizesOf('undo', facts, limits)
    if (!isRingLength(length, FIRST_LANES, UNDO_LANES_MAX) || tail > head || head - tail > length)
      throw new StateError(`an undo log of ${length} lanes cannot reach from ${tail} to ${head}`)
    this.#ring = new Uint32Array(length)
    this.#mask = length - 1
    this.#head = head
    this.#tail = tail
  }

  #saveAcrossTheEnd(page: Uint32Array, from: number, lanes: number, id: number, row: number): void {
    const ring = this.#ring
    for (let i = 0; i < lanes; i++) ring[(this.#head + i) & this.#mask] = page[from + i]
    ring[(this.#head + lanes) & this.#mask] = id
    ring[(this.#head + lanes + 1) & this.#mask] = row
  }

  #makeRoom(lanes: number): void {
    if (this.#ring.length >= UNDO_LANES_MAX) {
      this.#tail = this.#head + lanes - this.#ring.length
      return
    }
    const wider = new Uint32Array(this.#ring.length * 2)
    copyRing(this.#ring, wider, this.#tail, this.#head)
    this.#ring = wider
    this.#mask = wider.length - 1
  }
}
