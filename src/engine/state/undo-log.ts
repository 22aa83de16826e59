import { ROW_MASK, ROW_SHIFT, type Rows } from '../memory/rows.ts'
import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { bytesOf, isRingLength } from '../memory/views.ts'

/**
 * Images of rows as they were before an event changed them, newest last. A late event is folded in its place:
 * roll back to it, fold, fold the later ones again.
 *
 * The log is a ring of u32 lanes (as f64 lanes, bits that look like a NaN could change) in pages: a wider ring
 * takes the pages of the one before, because copying a hundred megabytes would block the event loop for as many
 * milliseconds. Each image is its lanes followed by [rows id, row]. Positions in the log only ever grow.
 */
const PAGE_BITS = 18
const PAGE_LANES = 1 << PAGE_BITS
const PAGE_MASK = PAGE_LANES - 1
/** Most lanes of the log; past it the oldest images go, and with them how late an event may be. */
const UNDO_LANES_MAX = 1 << 26
/** Stands for a page that is not in use yet. */
const NO_LANES = new Uint32Array(0)

/** Above those that are given in turn. */
export const NEW_IDS = {
  ...{ crowds: 32, tops: 33, barHeads: 34, seldom: 35 },
  ...{ positionSales: 36, widePositions: 37 },
} as const

/** Images of a row as a former snapshot has them. */
export interface FormerImages {
  readonly lanes: number
  /** Is told all images first: rows are taken for what some of them have. */
  foresee(row: number, image: Uint32Array): void
  /** Puts what an image restores into rows of now. */
  convert(
    row: number,
    image: Uint32Array,
    put: (id: number, row: number, lanes: Uint32Array) => void,
  ): void
}

/** The lanes of a row, as it is now: good until it changes. */
export function imageOf(rows: Rows, row: number): Uint32Array {
  const at = (row & ROW_MASK) * rows.lanes
  return rows.u32[row >>> ROW_SHIFT].subarray(at, at + rows.lanes)
}

export class UndoLog {
  /** A power of two of them: lane p of the log lies in the ring at p modulo its length. */
  #pages: Uint32Array<ArrayBuffer>[] = [NO_LANES]
  #mask = PAGE_MASK
  #head = 0
  #tail = 0
  readonly #rows: Rows[] = []
  #nextId = 0
  /** By id: lanes that are not restored. */
  readonly #unsaved: (readonly number[])[] = []
  readonly #scratch: number[] = []
  /** By id: called when a row is restored. */
  readonly #restored: (((row: number) => void) | null)[] = []

  /** Positions stay the same: the order ring refers to them. */
  readonly part: StatePart = {
    name: 'undo',
    facts: () => [this.#length, this.#head, this.#tail],
    views: () => this.#views(),
    open: (facts) => {
      this.#open(facts)
      return this.#views()
    },
    settle() {},
  }

  /**
   * Makes rows known to the log; returns the id to save under. `unsaved` are lanes that stay as they
   * are when a row is restored: links that other rows may have changed since. Rows that version 14 of snapshots brought
   * name an `id` of `NEW_IDS`: those of the others stand in former logs.
   */
  register(rows: Rows, unsaved: readonly number[] = [], id = this.#nextId++): number {
    this.#rows[id] = rows
    this.#unsaved[id] = unsaved
    this.#restored[id] = null
    return id
  }

  /** Calls `restored` whenever a row of this id is restored. */
  onRestored(id: number, restored: (row: number) => void): void {
    this.#restored[id] = restored
  }

  get bytes(): number {
    return this.#pages.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Bytes that the log has not reached in its first round. */
  get untouchedBytes(): number {
    return Math.max(0, this.bytes - this.#head * Uint32Array.BYTES_PER_ELEMENT)
  }

  /** Lanes of the ring. */
  get #length(): number {
    return this.#pages.length * PAGE_LANES
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
    if (this.#head - this.#tail + lanes + 2 > this.#mask + 1) this.#makeRoom(lanes + 2)
    const source = rows.u32[row >>> ROW_SHIFT]
    const from = (row & ROW_MASK) * lanes
    const start = this.#head & PAGE_MASK
    if (start + lanes + 2 <= PAGE_LANES) {
      const page = this.#pageOf(this.#head)
      for (let i = 0; i < lanes; i++) page[start + i] = source[from + i]
      page[start + lanes] = id
      page[start + lanes + 1] = row
    } else {
      for (let i = 0; i < lanes; i++) this.#put(this.#head + i, source[from + i])
      this.#put(this.#head + lanes, id)
      this.#put(this.#head + lanes + 1, row)
    }
    this.#head += lanes + 2
  }

  /** Restores every row as it was at `mark`. */
  rollBackTo(mark: number): void {
    while (this.#head > mark) {
      const row = this.#get(this.#head - 1)
      const id = this.#get(this.#head - 2)
      const rows = this.#rows[id]
      const page = rows.u32[row >>> ROW_SHIFT]
      const to = (row & ROW_MASK) * rows.lanes
      const start = this.#head - 2 - rows.lanes
      const unsaved = this.#unsaved[id]
      for (let i = 0; i < unsaved.length; i++) this.#scratch[i] = page[to + unsaved[i]]
      for (let i = 0; i < rows.lanes; i++) page[to + i] = this.#get(start + i)
      for (let i = 0; i < unsaved.length; i++) page[to + unsaved[i]] = this.#scratch[i]
      this.#head = start
      this.#restored[id]?.(row)
    }
  }

  /** Forgets everything before `mark`. */
  forgetBefore(mark: number): void {
    if (mark > this.#tail) this.#tail = mark
  }

  /** Writes a log with images of former rows anew; returns where a mark of before is now. */
  bringUp(former: ReadonlyMap<number, FormerImages>): (mark: number) => number {
    const images = this.#images(former)
    for (const { id, row, lanes } of images) former.get(id)?.foresee(row, lanes)
    const marks = new Map<number, number>()
    const end = this.#head
    this.#pages = [NO_LANES]
    this.#mask = PAGE_MASK
    // Marks of events whose images are gone stay before it.
    this.#head = images[0]?.start ?? end
    this.#tail = this.#head
    const put = (id: number, row: number, lanes: Uint32Array) => this.#append(id, row, lanes)
    for (const { start, id, row, lanes } of images) {
      marks.set(start, this.#head)
      const rows = former.get(id)
      if (rows === undefined) put(id, row, lanes)
      else rows.convert(row, lanes, put)
    }
    marks.set(end, this.#head)
    return (mark) => marks.get(mark) ?? mark
  }

  /** All images that are there whole, the oldest first. */
  #images(former: ReadonlyMap<number, FormerImages>) {
    const images: { start: number; id: number; row: number; lanes: Uint32Array }[] = []
    for (let end = this.#head; end - 2 >= this.#tail; ) {
      const [id, row] = [this.#get(end - 2), this.#get(end - 1)]
      const length = former.get(id)?.lanes ?? this.#rows[id].lanes
      const start = end - 2 - length
      if (start < this.#tail) break
      images.push({
        start,
        id,
        row,
        lanes: Uint32Array.from({ length }, (_, i) => this.#get(start + i)),
      })
      end = start
    }
    return images.reverse()
  }

  #append(id: number, row: number, lanes: Uint32Array): void {
    if (this.#head - this.#tail + lanes.length + 2 > this.#mask + 1)
      this.#makeRoom(lanes.length + 2)
    for (let i = 0; i < lanes.length; i++) this.#put(this.#head + i, lanes[i])
    this.#put(this.#head + lanes.length, id)
    this.#put(this.#head + lanes.length + 1, row)
    this.#head += lanes.length + 2
  }

  #open(facts: readonly number[]): void {
    const limits = [UNDO_LANES_MAX, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    const [length, head, tail] = sizesOf('undo', facts, limits)
    if (!isRingLength(length, PAGE_LANES, UNDO_LANES_MAX) || tail > head || head - tail > length)
      throw new StateError(`an undo log of ${length} lanes cannot reach from ${tail} to ${head}`)
    this.#pages = new Array(length / PAGE_LANES).fill(NO_LANES)
    this.#mask = length - 1
    this.#head = head
    this.#tail = tail
  }

  /** The lanes in use, oldest first, page by page. */
  #views(): Uint8Array[] {
    const views: Uint8Array[] = []
    for (let at = this.#tail; at < this.#head; ) {
      const start = at & PAGE_MASK
      const end = Math.min(PAGE_LANES, start + this.#head - at)
      views.push(bytesOf(this.#pageOf(at).subarray(start, end)))
      at += end - start
    }
    return views
  }

  #pageOf(position: number): Uint32Array {
    const place = (position & this.#mask) >>> PAGE_BITS
    const page = this.#pages[place]
    return page === NO_LANES ? this.#addPage(place) : page
  }

  #addPage(place: number): Uint32Array {
    const page = new Uint32Array(PAGE_LANES)
    this.#pages[place] = page
    return page
  }

  #get(position: number): number {
    return this.#pages[(position & this.#mask) >>> PAGE_BITS][position & PAGE_MASK]
  }

  #put(position: number, lane: number): void {
    this.#pageOf(position)[position & PAGE_MASK] = lane
  }

  #makeRoom(lanes: number): void {
    if (this.#length < UNDO_LANES_MAX) this.#widen()
    else this.#tail = this.#head + lanes - this.#length
  }

  #widen(): void {
    const pages = this.#pages
    const wider: Uint32Array<ArrayBuffer>[] = new Array(pages.length * 2).fill(NO_LANES)
    const first = Math.floor(this.#tail / PAGE_LANES)
    const last = Math.floor((this.#head - 1) / PAGE_LANES)
    for (let page = first; page <= last; page++)
      wider[page % wider.length] = pages[page % pages.length]
    // The ring is full: the newest images lie in front of the oldest ones, in one page with them.
    if (last - first === pages.length)
      wider[last % wider.length] = wider[first % wider.length].slice()
    this.#pages = wider
    this.#mask = this.#length - 1
  }
}
