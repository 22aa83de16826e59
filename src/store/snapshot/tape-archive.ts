import { LRUCache } from 'lru-cache'
import { TapeDamage } from '../../base/errors.ts'
import { Engine, type EngineOptions } from '../../engine/engine.ts'
import { TAPE_BLOCK_RECORDS, type Tape, type TapeArchive } from '../../engine/state/tape.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import { StoreError } from '../disk/failure.ts'
import {
  type ChunkKind,
  type ChunkTable,
  DORMANT_CHUNKS,
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
  writeChunk,
} from './tape-chunk.ts'

/** Cache of blocks of one kind that were read. */
const TAPE_CACHE_BYTES = 32 << 20
/** Chunks held open for reading. */
const OPEN_CHUNKS_MAX = 64

interface Block {
  readonly u32: Uint32Array<ArrayBuffer>
  readonly f64: Float64Array<ArrayBuffer>
}

interface OpenChunk {
  readonly file: DiskFile
  readonly table: ChunkTable
}

/** The chunks of a data folder as the engine reads them: block by block, through a cache. */
export class DiskTapeArchive implements TapeArchive {
  readonly #disk: Disk
  readonly #folder: string
  readonly #tape: ArchivedTape
  readonly #blocksPerChunk: number
  readonly #kind: ChunkKind
  readonly #blockBytes: number
  readonly #blocks: LRUCache<number, Block>
  readonly #chunks = new LRUCache<number, OpenChunk>({
    max: OPEN_CHUNKS_MAX,
    dispose: ({ file }) => file.close(),
  })
  /** Blocks read from the disk so far, and reads that needed none. */
  misses = 0
  hits = 0

  /** Reads what has left `tape`, which knows the crcs of its chunks. */
  constructor(disk: Disk, folder: string, tape: ArchivedTape, kind: ChunkKind) {
    this.#kind = kind
    this.#blockBytes = TAPE_BLOCK_RECORDS * kind.recordBytes
    this.#blocks = new LRUCache({ max: Math.floor(TAPE_CACHE_BYTES / this.#blockBytes) })
    this.#disk = disk
    this.#folder = folder
    this.#tape = tape
    this.#blocksPerChunk = tape.chunkRecords / TAPE_BLOCK_RECORDS
  }

  /** Bytes of the cached blocks. */
  get bytes(): number {
    return this.#blocks.size * this.#blockBytes
  }

  /** @throws TapeDamage when the block is not what was written */
  block(block: number): Block {
    const cached = this.#blocks.get(block)
    if (cached !== undefined) {
      this.hits += 1
      return cached
    }
    this.misses += 1
    const read = this.#read(block)
    this.#blocks.set(block, read)
    return read
  }

  close(): void {
    this.#chunks.clear()
    this.#blocks.clear()
  }

  #read(block: number): Block {
    const number = Math.floor(block / this.#blocksPerChunk)
    const { file, table } = this.#chunk(number)
    const buffer = new ArrayBuffer(this.#blockBytes)
    const place = block % this.#blocksPerChunk
    if (attempt(() => readChunkBlock(file, table, place, new Uint8Array(buffer))) !== true) {
      // Opened anew next time: somebody may put the file back.
      this.#chunks.delete(number)
      throw damage(this.#kind.path(this.#folder, number), `cannot be read at block ${block}`)
    }
    return { u32: new Uint32Array(buffer), f64: new Float64Array(buffer) }
  }

  #chunk(number: number): OpenChunk {
    const open = this.#chunks.get(number)
    if (open !== undefined) return open
    const path = this.#kind.path(this.#folder, number)
    const chunk = this.#opened(path, number)
    if (chunk === null)
      throw damage(path, `cannot be read at block ${number * this.#blocksPerChunk}`)
    // Opened when it is asked for, by its name: the folder may be another one by now.
    const { file, table } = chunk
    if (this.#tape.chunkCrcs[number] !== table.crc) {
      file.close()
      throw damage(path, 'is another file than the one that was written')
    }
    this.#chunks.set(number, chunk)
    return chunk
  }

  #opened(path: string, number: number): OpenChunk | null {
    try {
      return openChunk(this.#disk, path, number, this.#blocksPerChunk, this.#kind)
    } catch (error) {
      // The start saw to it that no chunk is of a later version: one put there since is damage.
      if (error instanceof StoreError) throw new TapeDamage(error.message)
      throw error
    }
  }
}

/**
 * Opens a chunk; null when it is not there, not readable, or not one of so many blocks.
 * @throws StoreError when a later version wrote it
 */
function openChunk(
  disk: Disk,
  path: string,
  number: number,
  blocks: number,
  kind: ChunkKind,
): OpenChunk | null {
  const file = attempt(() => disk.open(path))
  if (file === null) return null
  let chunk: OpenChunk | null = null
  try {
    const table = attempt(() => readChunkTable(file, number, path, kind))
    if (table?.crcs.length === blocks && table.blockRecords === TAPE_BLOCK_RECORDS)
      chunk = { file, table }
  } finally {
    if (chunk === null) file.close()
  }
  return chunk
}

/** What a call gives, or null when the disk refused. */
function attempt<T>(call: () => T): T | null {
  try {
    return call()
  } catch (error) {
    if (error instanceof StoreError) throw error
    return null
  }
}

/** How much of a tape is in chunks, and in which. */
type ArchivedTape = Pick<Tape, 'chunkRecords' | 'archivedCount' | 'chunkCrcs'>

/**
 * Checks that the chunks are there that a snapshot counts on: a state whose old swaps are gone, or
 * are those of another folder, would give wrong answers one by one, better none at all. Their blocks
 * are not read: each is checked when somebody asks for it. Yields the number of each, for months of them are
 * thousands.
 * @throws StoreError when one is missing, its table cannot be read, it is another one, or a later
 * version wrote it
 */
export function* needChunks(
  disk: Disk,
  folder: string,
  swaps: ArchivedTape,
  dormant: ArchivedTape,
): Generator<number, void> {
  yield* needChunksOf(swaps, disk, folder, SWAP_CHUNKS)
  yield* needChunksOf(dormant, disk, folder, DORMANT_CHUNKS)
}

function* needChunksOf(
  { chunkRecords, archivedCount, chunkCrcs }: ArchivedTape,
  disk: Disk,
  folder: string,
  kind: ChunkKind,
): Generator<number, void> {
  for (let number = 0; number * chunkRecords < archivedCount; number++) {
    const path = kind.path(folder, number)
    const chunk = openChunk(disk, path, number, chunkRecords / TAPE_BLOCK_RECORDS, kind)
    if (chunk === null) throw missing(path, 'is not there or cannot be read')
    chunk.file.close()
    if (chunkCrcs[number] !== chunk.table.crc)
      throw missing(path, 'is another file than the one it was made with')
    yield number
  }
}

function missing(path: string, what: string): StoreError {
  return new StoreError(
    'missing',
    `The snapshot counts on what is in ${path}, which ${what}: put it back from a copy. Where there is ` +
      `none, "mintfeed repair --until ${Number.MAX_SAFE_INTEGER}" goes back to an older snapshot that does ` +
      'without it, if there is one, and keeps every event; else start with an empty DATA_DIR.',
  )
}

function damage(path: string, what: string): TapeDamage {
  return new TapeDamage(
    `${path} ${what}: put the file back from a copy. Where there is none, stop the service, move the file ` +
      'away and do what "mintfeed inspect" says then.',
  )
}

/**
 * Writes the chunks that are full and out of the reach of late events (`reach` = first record that
 * may still be taken back); returns how many records are archived then.
 */
export function archiveTape(
  disk: Disk,
  folder: string,
  tape: Tape,
  reach: number,
  kind: ChunkKind,
): number {
  const { chunkRecords } = tape
  let first = tape.archivedCount
  while (first + chunkRecords <= reach) {
    const blocks: Uint8Array[] = []
    for (let record = first; record < first + chunkRecords; record += TAPE_BLOCK_RECORDS)
      blocks.push(tape.blockBytes(record).slice())
    const number = first / chunkRecords
    tape.chunkCrcs[number] = writeChunk(disk, folder, number, TAPE_BLOCK_RECORDS, blocks, kind)
    first += chunkRecords
  }
  tape.archivedCount = first
  return first
}

/** Bytes of the chunks that `archiveTape` would write. */
export function unarchivedBytes(tape: Tape, reach: number): number {
  const { archivedCount, chunkRecords, lanes } = tape
  const chunks = Math.max(0, Math.floor((reach - archivedCount) / chunkRecords))
  return chunks * chunkRecords * lanes * Uint32Array.BYTES_PER_ELEMENT
}

/** An empty engine whose tapes read the chunks of a data folder. */
export function archivedEngine(
  disk: Disk,
  folder: string,
  options: EngineOptions = { clock: 'event' },
): Engine {
  const engine = new Engine(options)
  archive(disk, folder, engine)
  return engine
}

/** Has the tapes of an engine read the chunks of a data folder; returns what reads them. */
export function archive(disk: Disk, folder: string, { state }: Engine) {
  const { tape, dormant } = state
  const swaps = new DiskTapeArchive(disk, folder, tape, SWAP_CHUNKS)
  const positions = new DiskTapeArchive(disk, folder, dormant.tape, DORMANT_CHUNKS)
  tape.archive = swaps
  dormant.tape.archive = positions
  return { swaps, dormant: positions }
}
