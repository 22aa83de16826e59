import { TapeDamage } from '../../base/errors.ts'
import { SWAP_U32_LANES, SwapLane, type SwapMark } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT, ROWS_MAX, ROWS_PER_PAGE } from '../memory/rows.ts'
import { type Sized, StateError, type StatePart, sizesOf } from '../memory/state-part.ts'

/** Records of a block, the unit in which records that have left memory are read. */
export const TAPE_BLOCK_RECORDS = 64
/** Records archived at once, and leaving memory together; whole blocks and whole pages. */
export const TAPE_CHUNK_RECORDS = 65_536

const BLOCK_SHIFT = Math.log2(TAPE_BLOCK_RECORDS)
const BLOCK_MASK = TAPE_BLOCK_RECORDS - 1
/** Most spare pages: those of two chunks that left together and of a snapshot's swaps. */
const SPARE_PAGES_MAX = 256

/** Records of a tape that have left memory. Blocks never change. */
export interface TapeArchive {
  /**
   * Lanes of block `block` (TAPE_BLOCK_RECORDS records); valid until the next call. Throws
   * TapeDamage when it cannot be read right.
   */
  block(block: number): { readonly u32: Uint32Array; readonly f64: Float64Array }
}

const NO_LANES: ReturnType<TapeArchive['block']> = {
  u32: new Uint32Array(0),
  f64: new Float64Array(0),
}

/**
 * Records of one width behind each other: every swap in the total order, or the positions of dormant
 * tokens (dormant.ts). The newest lie in memory, in pages; the oldest may leave it
 * once an archive has them, and are then read through it in blocks. Record `index` begins at u32 lane
 * `at(index)` of `u32Of(index)`, at f64 lane `at(index) >>> 1` of `f64Of(index)`.
 *
 * Lanes of a record in memory stay where they are. Those of one that has left it are good only until
 * a record of another block is read: a caller that needs two at once copies the first.
 */
export class Tape {
  /** Records that leave memory together. */
  readonly chunkRecords: number
  /** u32 lanes of a record; even. */
  readonly lanes: number
  readonly #recordBytes: number
  /** Records the archive has, from the first; the one that fills it sets this. */
  archivedCount = 0
  /** Crc of each chunk of the archive, from the first, as far as known. */
  chunkCrcs: number[] = []
  #count = 0
  /** Records ever added: one below it may hold old lanes, `add` clears it. */
  #used = 0
  #firstInMemory = 0
  readonly #u32: Uint32Array[] = []
  readonly #f64: Float64Array[] = []
  /** Pages that have left, to be used again. */
  readonly #spare: SharedArrayBuffer[] = []
  /** Pages that have left; their places in the lists stay. */
  #pagesGone = 0
  #archive: TapeArchive | null = null
  /** The block read last: reading it again must not make the archive overwrite it. */
  #block = -1
  #blockLanes = NO_LANES

  constructor(chunkRecords: number = TAPE_CHUNK_RECORDS, lanes: number = SWAP_U32_LANES) {
    if (chunkRecords < 1 || chunkRecords % TAPE_BLOCK_RECORDS !== 0)
      throw new RangeError(`A chunk of the tape is whole blocks, not ${chunkRecords} records.`)
    this.chunkRecords = chunkRecords
    this.lanes = lanes
    this.#recordBytes = lanes * 4
  }

  /** Records of the tape, wherever they are. */
  get count(): number {
    return this.#count
  }

  /** The oldest record that is in memory; those before it are in the archive alone. */
  get firstInMemory(): number {
    return this.#firstInMemory
  }

  /** Bytes in memory. */
  get bytes(): number {
    return (this.#u32.length - this.#pagesGone) * ROWS_PER_PAGE * this.#recordBytes
  }

  /** Bytes of the last page behind the records ever added. */
  get untouchedBytes(): number {
    return (this.#u32.length * ROWS_PER_PAGE - this.#used) * this.#recordBytes
  }

  /** Pages that have left and wait to be used again. */
  get spare(): Sized {
    return { bytes: this.#spare.length * ROWS_PER_PAGE * this.#recordBytes }
  }

  get archive(): TapeArchive | null {
    return this.#archive
  }

  set archive(archive: TapeArchive | null) {
    this.#archive = archive
    this.#block = -1
    this.#blockLanes = NO_LANES
  }

  /** Takes the next record, zeroed. */
  add(): number {
    const index = this.#count++
    if (index < this.#used) {
      const at = (index & ROW_MASK) * this.lanes
      this.#u32[index >>> ROW_SHIFT].fill(0, at, at + this.lanes)
      return index
    }
    this.#used = index + 1
    if (index >>> ROW_SHIFT === this.#u32.length) this.#addPage()
    return index
  }

  /** Drops all records from `count` on; throws when one of them is archived. */
  truncate(count: number): void {
    if (count < this.#firstInMemory || count < this.archivedCount)
      throw new RangeError(`Records from ${count} on are archived and cannot be taken back.`)
    this.#count = count
  }

  /** Bytes of the records from `first` on, page by page; all of them lie in memory. */
  views(first: number): Uint8Array[] {
    const views: Uint8Array[] = []
    for (let from = first; from < this.#count; ) {
      const page = this.#u32[from >>> ROW_SHIFT]
      const to = Math.min(this.#count, from - (from & ROW_MASK) + ROWS_PER_PAGE)
      const start = page.byteOffset + (from & ROW_MASK) * this.#recordBytes
      views.push(new Uint8Array(page.buffer, start, (to - from) * this.#recordBytes))
      from = to
    }
    return views
  }

  /** Makes it a tape of `count` records, zeroed, of which the archive has the first. */
  reset(count: number, archivedCount: number): void {
    this.#u32.length = 0
    this.#f64.length = 0
    this.#block = -1
    this.#blockLanes = NO_LANES
    this.#count = count
    this.#used = count
    this.#firstInMemory = archivedCount
    this.archivedCount = archivedCount
    this.chunkCrcs = []
    this.#pagesGone = archivedCount >>> ROW_SHIFT
    for (let page = 0; page < this.#pagesGone; page++) {
      this.#u32.push(NO_LANES.u32)
      this.#f64.push(NO_LANES.f64)
    }
    while (this.#u32.length * ROWS_PER_PAGE < count) this.#addPage()
  }

  /** Lets the oldest archived chunks leave memory until no more than `bytes` lie in it. */
  shrink(bytes: number): void {
    const recordsMax = Math.floor(bytes / this.#recordBytes)
    const wanted = this.#count - recordsMax
    const chunks = Math.ceil(Math.max(0, wanted) / this.chunkRecords)
    this.leaveMemory(Math.min(chunks * this.chunkRecords, this.archivedCount))
  }

  /** The u32 lanes that hold a record, from lane `at(index)` on. */
  u32Of(index: number): Uint32Array {
    if (index >= this.#firstInMemory) return this.#u32[index >>> ROW_SHIFT]
    return this.#blockOf(index).u32
  }

  /** The f64 lanes that hold a record, from lane `at(index) >>> 1` on. */
  f64Of(index: number): Float64Array {
    if (index >= this.#firstInMemory) return this.#f64[index >>> ROW_SHIFT]
    return this.#blockOf(index).f64
  }

  /** First u32 lane of a record in `u32Of(index)`. */
  at(index: number): number {
    const place = index >= this.#firstInMemory ? index & ROW_MASK : index & BLOCK_MASK
    return place * this.lanes
  }

  /** Lets the records before `beforeRecord`, whole chunks that the archive has, leave memory. */
  leaveMemory(beforeRecord: number): void {
    if (beforeRecord % this.chunkRecords !== 0)
      throw new RangeError(`Record ${beforeRecord} is not the first of a chunk.`)
    if (this.#archive === null || beforeRecord > Math.min(this.archivedCount, this.#count))
      throw new RangeError(`Records before ${beforeRecord} are not all archived.`)
    if (beforeRecord <= this.#firstInMemory) return
    this.#firstInMemory = beforeRecord
    for (; this.#pagesGone < beforeRecord >>> ROW_SHIFT; this.#pagesGone++) {
      this.#keepSpare(this.#u32[this.#pagesGone].buffer)
      this.#u32[this.#pagesGone] = NO_LANES.u32
      this.#f64[this.#pagesGone] = NO_LANES.f64
    }
  }

  #blockOf(index: number): typeof NO_LANES {
    const block = index >>> BLOCK_SHIFT
    if (block === this.#block) return this.#blockLanes
    if (this.#archive === null) throw new TapeDamage(`Record ${index} has left memory for nowhere.`)
    // Forgotten first: a failed read may have spoilt the lanes of the block before.
    this.#block = -1
    this.#blockLanes = this.#archive.block(block)
    this.#block = block
    return this.#blockLanes
  }

  /** A dropped buffer is freed at V8's next full collection, which may be hours away. */
  #keepSpare(buffer: ArrayBufferLike): void {
    if (!(buffer instanceof SharedArrayBuffer) || this.#spare.length === SPARE_PAGES_MAX) return
    this.#spare.push(buffer)
  }

  #newPage(): SharedArrayBuffer {
    const spare = this.#spare.pop()
    if (spare === undefined) return new SharedArrayBuffer(ROWS_PER_PAGE * this.#recordBytes)
    new Uint8Array(spare).fill(0)
    return spare
  }

  #addPage(): void {
    const buffer = this.#newPage()
    this.#u32.push(new Uint32Array(buffer))
    this.#f64.push(new Float64Array(buffer))
  }

  /**
   * The tape as a part of the state: its last records. Whole chunks that no late event can reach
   * (`settled` = first record that one may) belong to the archive, whether they still lie in memory
   * or not, so that the part is the same wherever they are.
   */
  part(name: string, settled: () => number): StatePart {
    const archived = () => settled() - (settled() % this.chunkRecords)
    return {
      name,
      facts: () => [this.count, archived()],
      views: () => this.views(archived()),
      open: (facts) => {
        const [count, archivedCount] = sizesOf(name, facts, [ROWS_MAX, ROWS_MAX])
        if (archivedCount > count || archivedCount % this.chunkRecords !== 0)
          throw new StateError(
            `a ${name} of ${count} records cannot have ${archivedCount} archived`,
          )
        this.reset(count, archivedCount)
        return this.views(archivedCount)
      },
      settle() {},
    }
  }
}

/** By what swap `index` is found again. */
export function markOf(tape: Tape, index: number): SwapMark {
  const u32 = tape.u32Of(index)
  const at = tape.at(index)
  return { index, ordinal: u32[at + SwapLane.ordinal], word: u32[at + SwapLane.signature] }
}

/** Index of the swap of a mark, which late ones moved by less than `moves` since; -1: none. */
export function indexOfMark(tape: Tape, mark: SwapMark, moves: number): number {
  const end = Math.min(tape.count, mark.index + moves)
  for (let index = mark.index; index < end; index++) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if (u32[at + SwapLane.signature] === mark.word && u32[at + SwapLane.ordinal] === mark.ordinal)
      return index
  }
  return -1
}
