import { StateError, type StatePart, sizesOf } from './state-part.ts'

/**
 * Fixed-size rows off the V8 heap: pages of one buffer each, reached as u32 or f64 lanes. The buffers
 * are shared ones, though nobody shares them: V8 counts the bytes of others as its own and collects
 * garbage for every few megabytes of new rows, tens of milliseconds each.
 * Growing adds a page and copies nothing, so that no event waits for a big copy; the garbage
 * collector sees a handful of objects however many rows there are.
 *
 * Row r lives in page r >>> ROW_SHIFT at lane (r & ROW_MASK) * lanes.
 */
export const ROW_SHIFT = 12
export const ROWS_PER_PAGE = 1 << ROW_SHIFT
export const ROW_MASK = ROWS_PER_PAGE - 1
/** Rows refer to each other by row + 1 in a u32 lane. */
export const ROWS_MAX = 0xffffffff

export class Rows {
  /** u32 lanes a row; even, so that f64 lanes stay aligned. */
  readonly lanes: number
  /** Rows in use, and those given back among them. */
  count = 0
  /** The row given back last + 1; each holds the one given back before it + 1 in its first lane. */
  freePlus1 = 0
  /** Rows given back and not taken again. */
  free = 0
  /** Rows ever used: a row below it may hold old bytes, `add` clears it. */
  #used = 0
  readonly u32: Uint32Array<SharedArrayBuffer>[] = []
  readonly f64: Float64Array<SharedArrayBuffer>[] = []

  constructor(lanes: number) {
    this.lanes = lanes
  }

  /** Takes the next row, zeroed. */
  add(): number {
    if (this.freePlus1 !== 0) return this.#takeFree()
    const row = this.count++
    if (row < this.#used) {
      const at = (row & ROW_MASK) * this.lanes
      this.u32[row >>> ROW_SHIFT].fill(0, at, at + this.lanes)
      return row
    }
    this.#used = row + 1
    if (row >>> ROW_SHIFT === this.u32.length) this.#addPage()
    return row
  }

  /** Gives a row back, zeroed: it is the next that `add` takes. Nothing may name it any more. */
  giveBack(row: number): void {
    const page = this.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * this.lanes
    page.fill(0, at, at + this.lanes)
    page[at] = this.freePlus1
    this.freePlus1 = row + 1
    this.free += 1
  }

  /** Drops all rows from `count` on; they can be added again. */
  truncate(count: number): void {
    this.count = count
  }

  /** Makes it `count` zeroed rows in new pages; what it held is gone. */
  reset(count: number): void {
    this.u32.length = 0
    this.f64.length = 0
    while (this.u32.length * ROWS_PER_PAGE < count) this.#addPage()
    this.count = count
    this.#used = count
    this.freePlus1 = 0
    this.free = 0
  }

  /** The bytes of the rows in use, page by page. */
  views(): Uint8Array[] {
    const rowBytes = this.lanes * 4
    const pages = this.u32.slice(0, Math.ceil(this.count / ROWS_PER_PAGE))
    return pages.map(({ buffer, byteOffset }, page) => {
      const rows = Math.min(this.count - page * ROWS_PER_PAGE, ROWS_PER_PAGE)
      return new Uint8Array(buffer, byteOffset, rows * rowBytes)
    })
  }

  get bytes(): number {
    return this.u32.length * ROWS_PER_PAGE * this.lanes * 4
  }

  /** Bytes of the last page behind the rows ever used. */
  get untouchedBytes(): number {
    return this.bytes - this.#used * this.lanes * 4
  }

  #takeFree(): number {
    const row = this.freePlus1 - 1
    const page = this.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * this.lanes
    this.freePlus1 = page[at]
    this.free -= 1
    page[at] = 0
    return row
  }

  #addPage(): void {
    const buffer = new SharedArrayBuffer(ROWS_PER_PAGE * this.lanes * 4)
    this.u32.push(new Uint32Array(buffer))
    this.f64.push(new Float64Array(buffer))
  }
}

/** Rows as a part of the state; `fixed` when there are always that many. */
export function rowsPart(name: string, rows: Rows, fixed?: number): StatePart {
  return {
    name,
    facts: () => [rows.count],
    views: () => rows.views(),
    open(facts) {
      const [count] = sizesOf(name, facts, [ROWS_MAX])
      if (fixed !== undefined && count !== fixed)
        throw new StateError(`the state has ${count} rows of ${name} instead of ${fixed}`)
      rows.reset(count)
      return rows.views()
    },
    settle() {},
  }
}

/** Rows of which some are given back and taken again, as a part of the state; `settle` comes last. */
export function reusedRowsPart(name: string, rows: Rows, settle: () => void = () => {}): StatePart {
  return {
    name,
    facts: () => [rows.count, rows.freePlus1, rows.free],
    views: () => rows.views(),
    open(facts) {
      const [count, freePlus1, free] = sizesOf(name, facts, [ROWS_MAX, ROWS_MAX, ROWS_MAX])
      if (freePlus1 > count || free > count)
        throw new StateError(`the state has ${free} free rows of ${name} among ${count}`)
      rows.reset(count)
      rows.freePlus1 = freePlus1
      rows.free = free
      return rows.views()
    },
    settle() {
      checkFree(name, rows)
      settle()
    },
  }
}

/** A chain of free rows that is longer or shorter than it says would give one row out twice. */
function checkFree(name: string, rows: Rows): void {
  let next = rows.freePlus1
  let found = 0
  for (; next !== 0 && next <= rows.count && found < rows.free; found++)
    next = rows.u32[(next - 1) >>> ROW_SHIFT][((next - 1) & ROW_MASK) * rows.lanes]
  if (next !== 0 || found !== rows.free)
    throw new StateError(`the free rows of the state's ${name} are not ${rows.free} in a chain`)
}
