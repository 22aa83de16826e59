import { TapeDamage } from '../../base/errors.ts'
import { SWAP_U32_LANES, SwapLane, type SwapMark } from '../../events/swap-record.ts'
import { ROWS_MAX, ROWS_PER_PAGE } from '../memory/rows.ts'
import { type Sized, StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { PACKED_SPARE_BYTES, PackedSwaps, packedBytesMax } from './packed-swaps.ts'

/** Records of a block, the unit in which records that have left memory are read. */
export const TAPE_BLOCK_RECORDS = 64
/** Records archived at once, and leaving memory together; whole blocks and whole pages. */
export const TAPE_CHUNK_RECORDS = 65_536

const BLOCK_SHIFT = Math.log2(TAPE_BLOCK_RECORDS)
const BLOCK_MASK = TAPE_BLOCK_RECORDS - 1
/** Most spare pages: those of two chunks that left together and of a snapshot's swaps. */
const SPARE_PAGES_MAX = 256
/** Packed pages are of whole such steps, so that a spare one of nearly their size fits. */
const PACKED_STEP_BYTES = 4_096
/** A spare page that is this much longer than is wanted is kept for another one. */
const SPARE_FIT = 1.2

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

const NOT_PACKED = new DataView(new SharedArrayBuffer(0))

/**
 * Records of one width behind each other: every swap in the total order, or the positions of dormant
 * tokens (dormant.ts). The newest lie in memory, in pages. Swaps that no late event can reach are packed there, page
 * by page (packed-swaps.ts). The oldest records may leave memory once an archive has them, and are then read
 * through it in blocks. Record `index` begins at u32 lane
 * `at(index)` of `u32Of(index)`, at f64 lane `at(index) >>> 1` of `f64Of(index)`.
 *
 * Lanes of a record that is not packed stay where they are. Those of one that is, or has left memory, are good only
 * until a record of another block is read: a caller that needs two at once copies the first.
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
  #firstPlain = 0
  /** Records of a page: whole pages leave memory. */
  readonly #pageRecords: number
  readonly #pageShift: number
  readonly #pageBytes: number
  /** Pages by their number, from the first; those that are packed or have left memory have no lanes. */
  readonly #u32: Uint32Array[] = []
  readonly #f64: Float64Array[] = []
  /** Packed pages: where each block begins, and where the last one ends (u32); the blocks. */
  readonly #packed: DataView<SharedArrayBuffer>[] = []
  #packedBytes = 0
  /** Pages that were packed or have left, to be used again. */
  readonly #spare: SharedArrayBuffer[] = []
  #archive: TapeArchive | null = null
  /** The block read last: reading it again must not make the archive overwrite it. */
  #block = -1
  #blockLanes = NO_LANES
  /** Lanes for a packed block, what fills them, and which records of the block read last are there (1). */
  #unpacked = NO_LANES
  readonly #isRead = new Uint8Array(TAPE_BLOCK_RECORDS)
  readonly #unpacker = new PackedSwaps()
  /** Where a page is packed. */
  #packing: DataView<ArrayBuffer> | null = null

  constructor(chunkRecords: number = TAPE_CHUNK_RECORDS, lanes: number = SWAP_U32_LANES) {
    if (chunkRecords < 1 || chunkRecords % TAPE_BLOCK_RECORDS !== 0)
      throw new RangeError(`A chunk of the tape is whole blocks, not ${chunkRecords} records.`)
    this.chunkRecords = chunkRecords
    this.lanes = lanes
    this.#recordBytes = lanes * 4
    this.#pageRecords = Math.min(ROWS_PER_PAGE, chunkRecords & -chunkRecords)
    this.#pageShift = Math.log2(this.#pageRecords)
    this.#pageBytes = this.#pageRecords * this.#recordBytes
  }

  /** Records of the tape, wherever they are. */
  get count(): number {
    return this.#count
  }

  /** The oldest record that is in memory; those before it are in the archive alone. */
  get firstInMemory(): number {
    return this.#firstInMemory
  }

  /** The oldest record whose lanes stay where they are; those before it are packed or have left memory. */
  get firstPlain(): number {
    return this.#firstPlain
  }

  /** Bytes in memory. */
  get bytes(): number {
    const plain = this.#u32.length * this.#pageRecords - this.#firstPlain
    return plain * this.#recordBytes + this.#packedBytes
  }

  /** Bytes of the last page behind the records ever added. */
  get untouchedBytes(): number {
    return (this.#u32.length * this.#pageRecords - this.#used) * this.#recordBytes
  }

  /** Pages that wait to be used again, and where one is packed. */
  get spare(): Sized {
    const packing = this.#packing?.byteLength ?? 0
    return { bytes: this.#spare.reduce((sum, { byteLength }) => sum + byteLength, packing) }
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
      const at = this.at(index)
      this.#u32[index >>> this.#pageShift].fill(0, at, at + this.lanes)
      return index
    }
    this.#used = index + 1
    if (index >>> this.#pageShift === this.#u32.length) this.#addPage()
    return index
  }

  /** Drops all records from `count` on; throws when one of them is packed or archived. */
  truncate(count: number): void {
    if (count < this.#firstPlain || count < this.archivedCount)
      throw new RangeError(`Records from ${count} on are archived and cannot be taken back.`)
    this.#count = count
  }

  /** Bytes of the records from `first` on, page by page; all of them lie in memory. Those of packed ones are copies. */
  views(first: number): Uint8Array[] {
    const views: Uint8Array[] = []
    for (let from = first; from < this.#count; ) {
      const page = from >>> this.#pageShift
      const begin = page * this.#pageRecords
      const to = Math.min(this.#count, begin + this.#pageRecords)
      const { buffer, byteOffset } = from < this.#firstPlain ? this.#copyOf(page) : this.#u32[page]
      const start = byteOffset + (from - begin) * this.#recordBytes
      views.push(new Uint8Array(buffer, start, (to - from) * this.#recordBytes))
      from = to
    }
    return views
  }

  /** Bytes of the block that begins with a record, wherever it lies; good until one of another block is read. */
  blockBytes(first: number): Uint8Array {
    for (let index = first; index < first + TAPE_BLOCK_RECORDS; index++) this.u32Of(index)
    const { buffer, byteOffset } = this.u32Of(first)
    const start = byteOffset + this.at(first) * 4
    return new Uint8Array(buffer, start, TAPE_BLOCK_RECORDS * this.#recordBytes)
  }

  /** Makes it a tape of `count` records, zeroed, of which the archive has the first. */
  reset(count: number, archivedCount: number): void {
    this.#block = -1
    this.#blockLanes = NO_LANES
    this.#count = count
    this.#used = count
    this.#firstInMemory = archivedCount
    this.#firstPlain = archivedCount
    this.archivedCount = archivedCount
    this.chunkCrcs = []
    this.#packedBytes = 0
    for (const pages of [this.#u32, this.#f64, this.#packed]) {
      pages.length = 0
      pages.length = archivedCount >>> this.#pageShift
    }
    while (this.#u32.length * this.#pageRecords < count) this.#addPage()
  }

  /** Lets the oldest archived chunks leave memory until no more than `bytes` lie in it. */
  shrink(bytes: number): void {
    while (this.bytes - this.untouchedBytes > bytes) {
      const end = this.#firstInMemory + this.chunkRecords
      if (end > this.archivedCount) return
      this.leaveMemory(end)
    }
  }

  /** The u32 lanes that hold a record, from lane `at(index)` on. */
  u32Of(index: number): Uint32Array {
    if (index >= this.#firstPlain) return this.#u32[index >>> this.#pageShift]
    return this.#blockOf(index).u32
  }

  /** The f64 lanes that hold a record, from lane `at(index) >>> 1` on. */
  f64Of(index: number): Float64Array {
    if (index >= this.#firstPlain) return this.#f64[index >>> this.#pageShift]
    return this.#blockOf(index).f64
  }

  /** Tape index + 1 of the next swap of the second of one, 0: none. Of a packed swap nothing else is read. */
  nextInSecond(index: number): number {
    if (index < this.#firstPlain) {
      this.#openBlockOf(index)
      if (this.#isRead[index & BLOCK_MASK] === 0)
        return this.#unpacker.nextInSecond(index & BLOCK_MASK)
    }
    return this.u32Of(index)[this.at(index) + SwapLane.nextInSecond]
  }

  /** First u32 lane of a record in `u32Of(index)`. */
  at(index: number): number {
    const place = index & (index >= this.#firstPlain ? this.#pageRecords - 1 : BLOCK_MASK)
    return place * this.lanes
  }

  /** Lets the records before `beforeRecord`, whole chunks that the archive has, leave memory. */
  leaveMemory(beforeRecord: number): void {
    if (beforeRecord % this.chunkRecords !== 0)
      throw new RangeError(`Record ${beforeRecord} is not the first of a chunk.`)
    if (this.#archive === null || beforeRecord > Math.min(this.archivedCount, this.#count))
      throw new RangeError(`Records before ${beforeRecord} are not all archived.`)
    if (beforeRecord <= this.#firstInMemory) return
    const [from, to] = [this.#firstInMemory, beforeRecord].map((index) => index >>> this.#pageShift)
    this.#firstInMemory = beforeRecord
    this.#block = -1
    while (this.#firstPlain < beforeRecord) this.#dropPlain(NOT_PACKED)
    for (let page = from; page < to; page++) {
      const { buffer } = this.#packed[page]
      this.#packedBytes -= buffer.byteLength
      this.#keepSpare(buffer)
      this.#packed[page] = NOT_PACKED
    }
  }

  /** Packs a page of swaps that no late event can take back, all before `settled`; one at most in so many swaps. */
  pack(settled: number): void {
    if (settled - this.#firstPlain < this.#pageRecords || (this.#count & BLOCK_MASK) !== 0) return
    const u32 = this.#u32[this.#firstPlain >>> this.#pageShift]
    const blocks = this.#pageRecords / TAPE_BLOCK_RECORDS
    let end = (blocks + 1) * 4
    this.#packing ??= new DataView(new ArrayBuffer(end + packedBytesMax(this.#pageRecords)))
    const packer = new PackedSwaps(this.#packing)
    for (let block = 0, at = 0; block < blocks; block++, at += TAPE_BLOCK_RECORDS) {
      this.#packing.setUint32(block * 4, end, true)
      const index = this.#firstPlain + at
      end = packer.pack(u32, at * this.lanes, TAPE_BLOCK_RECORDS, index, end)
    }
    this.#packing.setUint32(blocks * 4, end, true)
    const bytes = Math.ceil((end + PACKED_SPARE_BYTES) / PACKED_STEP_BYTES) * PACKED_STEP_BYTES
    const buffer = this.#takeSpare(bytes) ?? new SharedArrayBuffer(bytes)
    new Uint8Array(buffer).set(new Uint8Array(this.#packing.buffer, 0, end))
    this.#packedBytes += buffer.byteLength
    this.#dropPlain(new DataView(buffer))
  }

  /** The first plain page is there as `packed` from now on. */
  #dropPlain(packed: DataView<SharedArrayBuffer>): void {
    const page = this.#packed.push(packed) - 1
    this.#firstPlain += this.#pageRecords
    this.#keepSpare(this.#u32[page].buffer)
    this.#u32[page] = NO_LANES.u32
    this.#f64[page] = NO_LANES.f64
  }

  #openBlockOf(index: number): void {
    const block = index >>> BLOCK_SHIFT
    if (block === this.#block) return
    // Forgotten first: a failed read may have spoilt the lanes of the block before.
    this.#block = -1
    this.#blockLanes = this.#open(index, block)
    this.#block = block
  }

  #blockOf(index: number): typeof NO_LANES {
    this.#openBlockOf(index)
    const place = index & BLOCK_MASK
    if (this.#isRead[place] !== 0) return this.#blockLanes
    if (!this.#unpacker.unpack(place, this.#unpacked.u32, place * this.lanes))
      throw new TapeDamage(`Record ${index} is not packed as it was.`)
    this.#isRead[place] = 1
    return this.#blockLanes
  }

  /** Lanes for the records of a block; of a packed one none is read yet. */
  #open(index: number, block: number): typeof NO_LANES {
    const isPacked = index >= this.#firstInMemory
    this.#isRead.fill(isPacked ? 0 : 1)
    if (!isPacked) {
      if (this.#archive === null)
        throw new TapeDamage(`Record ${index} has left memory for nowhere.`)
      return this.#archive.block(block)
    }
    const page = this.#packed[index >>> this.#pageShift]
    const place = (index & (this.#pageRecords - 1)) >>> BLOCK_SHIFT
    const [at, end] = [page.getUint32(place * 4, true), page.getUint32(place * 4 + 4, true)]
    const first = index - (index & BLOCK_MASK)
    if (!this.#unpacker.open(page, at, end, TAPE_BLOCK_RECORDS, first))
      throw new TapeDamage(`The records from ${first} on are not packed as they were.`)
    if (this.#unpacked === NO_LANES) {
      const u32 = new Uint32Array(TAPE_BLOCK_RECORDS * this.lanes)
      this.#unpacked = { u32, f64: new Float64Array(u32.buffer) }
    }
    return this.#unpacked
  }

  /** The lanes of a page, of a packed one as a copy. */
  #copyOf(page: number): Uint32Array {
    const copy = new Uint32Array(this.#pageRecords * this.lanes)
    const bytes = new Uint8Array(copy.buffer)
    const first = page * this.#pageRecords
    for (let done = 0; done < this.#pageRecords; done += TAPE_BLOCK_RECORDS)
      bytes.set(this.blockBytes(first + done), done * this.#recordBytes)
    return copy
  }

  /** A dropped buffer is freed at V8's next full collection, which may be hours away. */
  #keepSpare(buffer: ArrayBufferLike): void {
    if (!(buffer instanceof SharedArrayBuffer) || buffer.byteLength === 0) return
    if (this.#spare.length < SPARE_PAGES_MAX) this.#spare.push(buffer)
  }

  #takeSpare(bytes: number): SharedArrayBuffer | undefined {
    const fits = this.#spare.findLastIndex(
      ({ byteLength }) => byteLength >= bytes && byteLength <= bytes * SPARE_FIT,
    )
    return fits < 0 ? undefined : this.#spare.splice(fits, 1)[0]
  }

  #addPage(): void {
    const spare = this.#takeSpare(this.#pageBytes)
    if (spare !== undefined) new Uint8Array(spare).fill(0)
    const buffer = spare ?? new SharedArrayBuffer(this.#pageBytes)
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
