import { StateError, type StatePart, sizesOf } from './state-part.ts'
import { bytesOf, isRingLength } from './views.ts'

/**
 * Fixed-size rows off the V8 heap: pages of one buffer each, reached as u32 or f64 lanes. The buffers
 * are SharedArrayBuffers, though no thread shares them: V8 counts the bytes of other buffers as its own and
 * collects garbage for every few megabytes of new rows, tens of milliseconds each. Growing adds a page and copies
 * nothing, so that no event waits for a big copy; the collector sees a handful of objects however many rows there are.
 *
 * Row r lives in page r >>> ROW_SHIFT at lane (r & ROW_MASK) * lanes.
 */
export const ROW_SHIFT = 12
export const ROWS_PER_PAGE = 1 << ROW_SHIFT
export const ROW_MASK = ROWS_PER_PAGE - 1
/** Rows refer to each other by row + 1 in a u32 lane. */
export const ROWS_MAX = 0xffffffff
/** Stands for a page that left. */
const GONE = new SharedArrayBuffer(0)

export class Rows {
  /** u32 lanes a row; even, so that f64 lanes stay aligned. */
  readonly lanes: number
  /** Rows in use, and those given back or gone among them. */
  count = 0
  /** Rows before it are gone (`leave`): what is read there is no number, what is written is dropped. */
  first = 0
  /** The row given back last + 1; each holds the one given back before it + 1 in its first lane. */
  freePlus1 = 0
  /** Rows given back and not taken again. */
  free = 0
  /** Rows ever used: a row below it may hold old bytes, `add` clears it. */
  #used = 0
  readonly u32: Uint32Array<SharedArrayBuffer>[] = []
  readonly f64: Float64Array<SharedArrayBuffer>[] = []
  /** The page that left last: a dropped buffer is freed at V8's next full collection, which may be hours away. */
  #spare: SharedArrayBuffer | null = null

  constructor(lanes: number) {
    this.lanes = lanes
  }

  /** One u32 lane of a row. */
  get(row: number, lane: number): number {
    return this.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * this.lanes + lane]
  }

  /** Sets one u32 lane of a row. */
  set(row: number, lane: number, value: number): void {
    this.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * this.lanes + lane] = value
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

  /** Lets the oldest pages go, all of rows before `settled`, while more than `kept` rows are there. */
  leave(kept: number, settled: number): void {
    while (this.count - this.first > kept && this.first + ROWS_PER_PAGE <= settled) {
      const page = this.first >>> ROW_SHIFT
      this.#spare = this.u32[page].fill(0).buffer
      this.u32[page] = new Uint32Array(GONE)
      this.f64[page] = new Float64Array(GONE)
      this.first += ROWS_PER_PAGE
    }
  }

  /** Makes it `count` zeroed rows in new pages, those before `first` gone; what it held is gone. */
  reset(count: number, first = 0): void {
    this.u32.length = 0
    this.f64.length = 0
    this.first = first
    while (this.u32.length * ROWS_PER_PAGE < first) this.#addPage(GONE)
    while (this.u32.length * ROWS_PER_PAGE < count) this.#addPage()
    this.count = count
    this.#used = count
    this.freePlus1 = 0
    this.free = 0
  }

  /** The bytes of the rows in use, page by page. */
  views(): Uint8Array[] {
    const rowBytes = this.lanes * 4
    const gone = this.first >>> ROW_SHIFT
    const pages = this.u32.slice(gone, Math.ceil(this.count / ROWS_PER_PAGE))
    return pages.map(({ buffer, byteOffset }, page) => {
      const rows = Math.min(this.count - (gone + page) * ROWS_PER_PAGE, ROWS_PER_PAGE)
      return new Uint8Array(buffer, byteOffset, rows * rowBytes)
    })
  }

  get bytes(): number {
    const rows = this.u32.length * ROWS_PER_PAGE - this.first
    return rows * this.lanes * 4 + (this.#spare?.byteLength ?? 0)
  }

  /** Bytes of the last page behind the rows ever used. */
  get untouchedBytes(): number {
    return (this.u32.length * ROWS_PER_PAGE - this.#used) * this.lanes * 4
  }

  /** The rows as a part of the state; `fixed` when there are always that many. */
  part(name: string, fixed?: number): StatePart {
    return {
      name,
      facts: () => [this.count],
      views: () => this.views(),
      open: (facts) => {
        const [count] = sizesOf(name, facts, [ROWS_MAX])
        if (fixed !== undefined && count !== fixed)
          throw new StateError(`the state has ${count} rows of ${name} instead of ${fixed}`)
        this.reset(count)
        return this.views()
      },
      settle() {},
    }
  }

  /** As `part`, of rows of which the oldest leave; none did before version `since` of snapshots. */
  leavingPart(name: string, since: number): StatePart {
    const part = this.part(name)
    const open = (facts: readonly number[]) => {
      const [count, first] = sizesOf(name, facts, [ROWS_MAX, ROWS_MAX])
      if (first > count || first % ROWS_PER_PAGE !== 0)
        throw new StateError(`the state has no ${name} from ${first} to ${count}`)
      this.reset(count, first)
      return this.views()
    }
    const facts = () => [this.count, this.first]
    return { ...part, facts, open, former: (version) => (version < since ? part : null) }
  }

  /** As `part`, of rows of which some are given back and taken again; `settle` comes last. */
  reusedPart(name: string, settle: () => void = () => {}): StatePart {
    return {
      name,
      facts: () => [this.count, this.freePlus1, this.free],
      views: () => this.views(),
      open: (facts) => {
        const [count, freePlus1, free] = sizesOf(name, facts, [ROWS_MAX, ROWS_MAX, ROWS_MAX])
        if (freePlus1 > count || free > count)
          throw new StateError(`the state has ${free} free rows of ${name} among ${count}`)
        this.reset(count)
        this.freePlus1 = freePlus1
        this.free = free
        return this.views()
      },
      settle: () => {
        this.#checkFree(name)
        settle()
      },
    }
  }

  /** A chain of free rows that is longer or shorter than it says would give one row out twice. */
  #checkFree(name: string): void {
    let next = this.freePlus1
    let found = 0
    for (; next !== 0 && next <= this.count && found < this.free; found++)
      next = this.u32[(next - 1) >>> ROW_SHIFT][((next - 1) & ROW_MASK) * this.lanes]
    if (next !== 0 || found !== this.free)
      throw new StateError(`the free rows of the state's ${name} are not ${this.free} in a chain`)
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

  #addPage(page?: SharedArrayBuffer): void {
    const buffer = page ?? this.#spare ?? new SharedArrayBuffer(ROWS_PER_PAGE * this.lanes * 4)
    if (page === undefined) this.#spare = null
    this.u32.push(new Uint32Array(buffer))
    this.f64.push(new Float64Array(buffer))
  }
}

/**
 * Open addressing from a 32-bit hash to a row, in shards that grow one at a time: a table of
 * millions never stops the loop to rehash itself, only one 256th of it.
 * A slot is [hash, row + 1]; the caller compares the rows of equal hashes (`first`, `next`).
 */
const SHARD_BITS = 8
const SHARDS = 1 << SHARD_BITS
const FIRST_SLOTS = 16
/** Lanes of one shard at most, two a slot: far past what 2^32 rows spread over all shards need. */
const SHARD_LANES_MAX = 1 << 28

export class HashSlots {
  readonly #shards: Uint32Array<ArrayBuffer>[] = []
  readonly #counts = new Uint32Array(SHARDS)
  #shard: Uint32Array<ArrayBuffer>
  #at = 0
  #mask = 0
  #hash = 0

  constructor() {
    for (let i = 0; i < SHARDS; i++) this.#shards.push(new Uint32Array(FIRST_SLOTS * 2))
    this.#shard = this.#shards[0]
  }

  get bytes(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.byteLength, 0)
  }

  /** First row with this hash, or -1. */
  first(hash: number): number {
    this.#hash = hash >>> 0
    this.#shard = this.#shards[this.#hash >>> (32 - SHARD_BITS)]
    this.#mask = this.#shard.length - 1
    this.#at = (this.#hash << 1) & this.#mask
    return this.#scan()
  }

  /** Next row with the hash of the last `first`, or -1. */
  next(): number {
    this.#at = (this.#at + 2) & this.#mask
    return this.#scan()
  }

  /** Reads the slot that a search would begin at. */
  touch(hash: number): number {
    const shard = this.#shards[hash >>> (32 - SHARD_BITS)]
    return shard[(hash << 1) & (shard.length - 1)]
  }

  /** Adds a row; the caller has looked for it with `first` and `next` and not found it. */
  add(hash: number, row: number): void {
    const shardIndex = hash >>> (32 - SHARD_BITS)
    let shard = this.#shards[shardIndex]
    if (isFull(this.#counts[shardIndex], shard)) shard = this.#grow(shardIndex)
    put(shard, hash >>> 0, row + 1)
    this.#counts[shardIndex] += 1
  }

  /** Takes a row out that is there; later slots of its run move up, so that none becomes unfindable. */
  remove(hash: number, row: number): void {
    const shardIndex = hash >>> (32 - SHARD_BITS)
    const shard = this.#shards[shardIndex]
    const mask = shard.length - 1
    let hole = (hash << 1) & mask
    while (shard[hole + 1] !== row + 1) {
      if (shard[hole + 1] === 0) throw new RangeError(`Row ${row} has no slot.`)
      hole = (hole + 2) & mask
    }
    for (let at = (hole + 2) & mask; shard[at + 1] !== 0; at = (at + 2) & mask) {
      const home = (shard[at] << 1) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      shard[hole] = shard[at]
      shard[hole + 1] = shard[at + 1]
      hole = at
    }
    shard[hole] = 0
    shard[hole + 1] = 0
    this.#counts[shardIndex] -= 1
  }

  /** The table as a part of the state: its shards as they are. */
  part(name: string): StatePart {
    return {
      name,
      facts: () => this.#shards.map((shard) => shard.length),
      views: () => this.#shards.map(bytesOf),
      open: (facts) => {
        const lengths = sizesOf(name, facts, new Array<number>(SHARDS).fill(SHARD_LANES_MAX))
        if (!lengths.every((length) => isRingLength(length, FIRST_SLOTS * 2, SHARD_LANES_MAX)))
          throw new StateError(`a shard of the state's ${name} has a size that none can have`)
        lengths.forEach((length, i) => {
          this.#shards[i] = new Uint32Array(length)
        })
        this.#shard = this.#shards[0]
        return this.#shards.map(bytesOf)
      },
      settle: () => this.#recount(name),
    }
  }

  #recount(name: string): void {
    this.#shards.forEach((shard, i) => {
      let count = 0
      for (let at = 1; at < shard.length; at += 2) if (shard[at] !== 0) count++
      // A search in a shard without a free slot would never end.
      if (count > 0 && isFull(count - 1, shard))
        throw new StateError(`a shard of the state's ${name} holds more than it may`)
      this.#counts[i] = count
    })
  }

  #scan(): number {
    const shard = this.#shard
    let at = this.#at
    while (shard[at + 1] !== 0) {
      if (shard[at] === this.#hash) {
        this.#at = at
        return shard[at + 1] - 1
      }
      at = (at + 2) & this.#mask
    }
    this.#at = at
    return -1
  }

  #grow(shardIndex: number): Uint32Array<ArrayBuffer> {
    const old = this.#shards[shardIndex]
    const wider = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2)
      if (old[at + 1] !== 0) put(wider, old[at], old[at + 1])
    this.#shards[shardIndex] = wider
    return wider
  }
}

/** Does a shard have to grow before it takes another row? */
function isFull(count: number, shard: Uint32Array): boolean {
  return count * 8 >= shard.length * 3
}

function put(shard: Uint32Array, hash: number, value: number): void {
  const mask = shard.length - 1
  let at = (hash << 1) & mask
  while (shard[at + 1] !== 0) at = (at + 2) & mask
  shard[at] = hash
  shard[at + 1] = value
}

const LIST_SHIFT = 12
const NUMBERS_PER_PAGE = 1 << LIST_SHIFT
const LIST_MASK = NUMBERS_PER_PAGE - 1

/** Numbers, in pages: growing copies nothing. Places never written are 0. */
export class U32List {
  readonly #pages: Uint32Array<SharedArrayBuffer>[] = []
  /** One past the highest place ever written. */
  length = 0

  get bytes(): number {
    return this.#pages.length * NUMBERS_PER_PAGE * 4
  }

  /** Bytes behind the last number. */
  get untouchedBytes(): number {
    return this.bytes - this.length * 4
  }

  get(place: number): number {
    return place < this.length ? this.#pages[place >>> LIST_SHIFT][place & LIST_MASK] : 0
  }

  set(place: number, value: number): void {
    if (place >= this.length) this.#lengthen(place + 1)
    this.#pages[place >>> LIST_SHIFT][place & LIST_MASK] = value
  }

  push(value: number): void {
    this.set(this.length, value)
  }

  /** Makes it `length` zeros; what it held is gone. */
  reset(length: number): void {
    this.#pages.length = 0
    this.#lengthen(length)
  }

  /** The numbers as a part of the state. */
  part(name: string): StatePart {
    return {
      name,
      facts: () => [this.length],
      views: () => this.views(),
      open: (facts) => {
        const [length] = sizesOf(name, facts, [ROWS_MAX])
        this.reset(length)
        return this.views()
      },
      settle() {},
    }
  }

  /** The numbers in use, page by page. */
  views(): Uint8Array[] {
    return this.#pages.map((page, i) =>
      bytesOf(page.subarray(0, Math.min(NUMBERS_PER_PAGE, this.length - i * NUMBERS_PER_PAGE))),
    )
  }

  #lengthen(length: number): void {
    while (this.#pages.length * NUMBERS_PER_PAGE < length)
      this.#pages.push(new Uint32Array(new SharedArrayBuffer(NUMBERS_PER_PAGE * 4)))
    this.length = length
  }
}

/** Texts that were read lately, each at a place of its own; one that falls on it takes it. */
const READ_TEXTS = 1 << 12
const READ_SHIFT = 32 - 12
/** Longer ones are seldom read, and decoded each time. */
const READ_BYTES_MAX = 128

/** Texts that were read lately, by a number of theirs. */
export class ReadTexts {
  readonly #texts = new Array<string>(READ_TEXTS).fill('')
  /** Numbers of those texts, -1 for none. */
  readonly #numbers = new Float64Array(READ_TEXTS).fill(-1)

  get(number: number): string | null {
    const place = placeOf(number)
    return this.#numbers[place] === number ? this.#texts[place] : null
  }

  /** The text whose UTF-8 is the first bytes of a buffer, kept unless it is long; a byte order mark, as a name may have, stays. */
  set(number: number, buffer: Buffer, bytes: number): string {
    const text = buffer.toString('utf8', 0, bytes)
    if (bytes > READ_BYTES_MAX) return text
    const place = placeOf(number)
    this.#numbers[place] = number
    this.#texts[place] = text
    return text
  }

  clear(): void {
    this.#numbers.fill(-1)
  }
}

function placeOf(number: number): number {
  return Math.imul(number, 0x9e3779b1) >>> READ_SHIFT
}
