import { codeOf } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { TAPE_BLOCK_RECORDS, type Tape } from '../engine/state/tape.ts'
import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { isUnreadable, unlessUnreadable } from '../store/disk/node-disk.ts'
import { type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import { blockBytes } from '../store/snapshot/tape-archive.ts'
import {
  type ChunkKind,
  type ChunkTable,
  DORMANT_CHUNKS,
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
} from '../store/snapshot/tape-chunk.ts'

/** What is in a chunk of a tape. */
export interface ChunkReport {
  readonly chunk: number
  readonly name: string
  readonly bytes: number
  readonly records: number
  readonly blocks: number
  readonly isWhole: boolean
  /** What tells it from any other (tape-chunk.ts); 0 where its head cannot be read. */
  readonly crc: number
  /** Blocks that are not what was written. */
  readonly damagedBlocks: readonly number[]
}

/** Reads a chunk and checks every block of it. */
export function reportChunk(disk: Disk, chunk: NumberedFile, kind: ChunkKind): ChunkReport {
  return withFile(disk.open(chunk.path), (file) => {
    const about = { chunk: chunk.number, name: chunk.name, bytes: file.size() }
    const table = tableOf(file, chunk, kind)
    if (table === null)
      return { ...about, records: 0, blocks: 0, isWhole: false, crc: 0, damagedBlocks: [] }
    const block = new Uint8Array(table.blockRecords * kind.recordBytes)
    const damagedBlocks = [...table.crcs.keys()].filter((i) => !isWhole(file, table, i, block))
    const { crc } = table
    const blocks = table.crcs.length
    const records = blocks * table.blockRecords
    return { ...about, records, blocks, isWhole: damagedBlocks.length === 0, crc, damagedBlocks }
  })
}

/** Reads a block into `into`; one with a sector that cannot be read counts as damaged. */
function isWhole(file: DiskFile, table: ChunkTable, block: number, into: Uint8Array): boolean {
  return unlessUnreadable(() => readChunkBlock(file, table, block, into)) ?? false
}

/** A chunk of a later version, or with a head that cannot be read, is none that this program can answer from. */
function tableOf(
  file: DiskFile,
  { number, path }: NumberedFile,
  kind: ChunkKind,
): ChunkTable | null {
  try {
    return readChunkTable(file, number, path, kind)
  } catch (error) {
    if (error instanceof StoreError || isUnreadable(error)) return null
    throw error
  }
}

/** Records that snapshots leave to chunks; chunks behind them are none that anything reads. */
export interface Archived {
  readonly swaps: number
  readonly positions: number
}

/** Compares chunks on the disk with the tapes that a replay makes, as soon as one is settled. */
export class ReplayedChunks {
  readonly compared: { readonly name: string; readonly isSame: boolean }[] = []
  readonly #disk: Disk
  readonly #folder: string
  readonly #engine: Engine
  readonly #archived: Archived
  /** Tapes of which a chunk was another: records that differ from the file must not be read from it. */
  readonly #stays = new Set<Tape>()

  constructor(at: { disk: Disk; folder: string }, engine: Engine, archived: Archived) {
    this.#disk = at.disk
    this.#folder = at.folder
    this.#engine = engine
    this.#archived = archived
  }

  /** To be called between frames; what was compared leaves memory, so that it stays small. */
  compare(): void {
    const { state, settledSwaps } = this.#engine
    const { swaps, positions } = this.#archived
    this.#compare(state.tape, Math.min(swaps, settledSwaps), SWAP_CHUNKS, 'tape')
    const { tape } = state.dormant
    this.#compare(tape, Math.min(positions, tape.count), DORMANT_CHUNKS, 'dormant')
  }

  #compare(tape: Tape, until: number, kind: ChunkKind, what: string): void {
    for (;;) {
      const end = tape.archivedCount + tape.chunkRecords
      if (end > until) return
      const chunk = tape.archivedCount / tape.chunkRecords
      const isSame = this.#isSame(tape, chunk, kind)
      this.compared.push({ name: `${what} chunk ${chunk}`, isSame })
      tape.archivedCount = end
      if (!isSame) this.#stays.add(tape)
      if (!this.#stays.has(tape)) tape.leaveMemory(end)
    }
  }

  #isSame(tape: Tape, chunk: number, kind: ChunkKind): boolean {
    const path = kind.path(this.#folder, chunk)
    try {
      return withFile(this.#disk.open(path), (file) => isChunkOf(tape, chunk, file, path, kind))
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || isUnreadable(error)) return false
      throw error
    }
  }
}

function isChunkOf(
  tape: Tape,
  chunk: number,
  file: DiskFile,
  path: string,
  kind: ChunkKind,
): boolean {
  const table = readChunkTable(file, chunk, path, kind)
  const blocks = tape.chunkRecords / TAPE_BLOCK_RECORDS
  if (table?.crcs.length !== blocks || table.blockRecords !== TAPE_BLOCK_RECORDS) return false
  const first = chunk * tape.chunkRecords
  for (let block = 0; block < blocks; block++) {
    const replayed = blockBytes(tape, first + block * TAPE_BLOCK_RECORDS)
    const onDisk = new Uint8Array(replayed.length)
    if (!readChunkBlock(file, table, block, onDisk)) return false
    if (Buffer.compare(onDisk, replayed) !== 0) return false
  }
  tape.chunkCrcs[chunk] = table.crc
  return true
}
