import { crc32 } from '../../base/crc32.ts'
import { bytesOf, lanesOf } from '../../engine/memory/views.ts'
import { PositionLane } from '../../engine/state/layout.ts'
import { SWAP_RECORD_BYTES } from '../../events/swap-record.ts'
import { type Disk, type DiskFile, readAll } from '../disk/disk.ts'
import { newerVersion } from '../disk/failure.ts'
import { dataPath, writeWhole } from '../folder/data-folder.ts'
import { padded } from '../format/journal-format.ts'
import { upgradeFoldedRecords } from '../upgrades/format-upgrades.ts'

/**
 * A chunk of a tape on disk, version 2, little-endian:
 *
 *     header   magic, version, records a block, chunk, blocks, crc of the table, zeros, crc of the
 *              header (40 bytes)
 *     table    crc of each block (u32), padded to 8 bytes
 *     blocks   records, by the magic those of swaps or of the positions of dormant tokens
 *
 * Chunks never change: two snapshots, and two runs that fold the same journal, share them,
 * and know them by the crc of the header (`ChunkCrcs` in recorded-values.ts). Magic, version and crc of the header stay
 * where they are in later versions, so that they are known. One of version 1 stays in its form; its swaps are
 * brought up when they are read (store/upgrades).
 */
export const CHUNK_VERSION = 2

/** What a chunk holds, and the magic that says so. */
export interface ChunkKind {
  readonly magic: string
  readonly recordBytes: number
  readonly path: (folder: string, chunk: number) => string
}

export const SWAP_CHUNKS: ChunkKind = {
  magic: 'MFTAPE1\n',
  recordBytes: SWAP_RECORD_BYTES,
  path: (folder, chunk) => dataPath(folder, 'chunk', chunk),
}

export const DORMANT_CHUNKS: ChunkKind = {
  magic: 'MFDORM1\n',
  recordBytes: PositionLane.lanes * 4,
  path: (folder, chunk) => dataPath(folder, 'dormantChunk', chunk),
}

const HEADER_BYTES = 40
const H = {
  magic: 0,
  version: 8,
  blockRecords: 12,
  chunk: 16,
  blocks: 24,
  tableCrc: 28,
  crc: 36,
} as const

export interface ChunkTable {
  /** Crc of the header, and so of all there is: the header has that of the table, which has those of the blocks. */
  readonly crc: number
  readonly blockRecords: number
  readonly recordBytes: number
  /** Crc of each block. */
  readonly crcs: readonly number[]
  /** Where the first block starts. */
  readonly dataAt: number
  /** Are its records swaps in the form of version 1? Positions have the same in both. */
  readonly hasOldSwaps: boolean
}

/** Writes a chunk of whole blocks; what is there under its name is replaced. Returns the crc of its header. */
export function writeChunk(
  disk: Disk,
  folder: string,
  chunk: number,
  blockRecords: number,
  blocks: readonly Uint8Array[],
  kind: ChunkKind,
): number {
  const tableBytes = padded(blocks.length * 4)
  const head = Buffer.alloc(HEADER_BYTES + tableBytes)
  head.write(kind.magic, H.magic, 'latin1')
  head.writeUInt32LE(CHUNK_VERSION, H.version)
  head.writeUInt32LE(blockRecords, H.blockRecords)
  head.writeDoubleLE(chunk, H.chunk)
  head.writeUInt32LE(blocks.length, H.blocks)
  for (const [i, block] of blocks.entries()) head.writeUInt32LE(crc32(block), HEADER_BYTES + i * 4)
  head.writeUInt32LE(crc32(head.subarray(HEADER_BYTES)), H.tableCrc)
  const crc = crc32(head.subarray(0, H.crc))
  head.writeUInt32LE(crc, H.crc)
  writeWhole(disk, folder, kind.path(folder, chunk), (append) => {
    append(head)
    for (const block of blocks) append(block)
  })
  return crc
}

/**
 * The head of a chunk, or null when it is torn, damaged or not `chunk`.
 * @throws StoreError when a later version wrote it
 */
export function readChunkTable(
  file: DiskFile,
  chunk: number,
  path: string,
  kind: ChunkKind,
): ChunkTable | null {
  const header = Buffer.alloc(HEADER_BYTES)
  if (!readAll(file, header, 0)) return null
  const crc = header.readUInt32LE(H.crc)
  if (crc32(header.subarray(0, H.crc)) !== crc) return null
  if (header.toString('latin1', H.magic, H.magic + 8) !== kind.magic) return null
  const version = header.readUInt32LE(H.version)
  if (version > CHUNK_VERSION) throw newerVersion(path)
  if (header.readDoubleLE(H.chunk) !== chunk) return null
  const blocks = header.readUInt32LE(H.blocks)
  const blockRecords = header.readUInt32LE(H.blockRecords)
  const dataAt = HEADER_BYTES + padded(blocks * 4)
  const { recordBytes } = kind
  if (file.size() !== dataAt + blocks * blockRecords * recordBytes) return null
  const table = Buffer.alloc(dataAt - HEADER_BYTES)
  if (!readAll(file, table, HEADER_BYTES)) return null
  if (crc32(table) !== header.readUInt32LE(H.tableCrc)) return null
  const crcs = Array.from({ length: blocks }, (_, i) => table.readUInt32LE(i * 4))
  const hasOldSwaps = version < CHUNK_VERSION && kind === SWAP_CHUNKS
  return { crc, blockRecords, recordBytes, crcs, dataAt, hasOldSwaps }
}

/** Bytes of a chunk of so many records, in blocks of `blockRecords`. */
export function chunkBytes(records: number, blockRecords: number, kind: ChunkKind): number {
  return HEADER_BYTES + padded((records / blockRecords) * 4) + records * kind.recordBytes
}

/** Whether every block under a table is what was written; yields after each. */
export function* hasItsBlocks(file: DiskFile, table: ChunkTable): Generator<number, boolean> {
  const into = new Uint8Array(table.blockRecords * table.recordBytes)
  for (const block of table.crcs.keys()) {
    if (!readChunkBlock(file, table, block, into)) return false
    yield into.length
  }
  return true
}

/** Reads one block into `into`, in the present form; false when it is not what was written. */
export function readChunkBlock(
  file: DiskFile,
  table: ChunkTable,
  block: number,
  into: Uint8Array,
): boolean {
  const bytes = table.blockRecords * table.recordBytes
  if (block >= table.crcs.length || into.length !== bytes) return false
  if (!readAll(file, into, table.dataAt + block * bytes)) return false
  if (crc32(into) !== table.crcs[block]) return false
  if (!table.hasOldSwaps) return true
  const lanes = lanesOf(into)
  upgradeFoldedRecords(lanes)
  into.set(bytesOf(lanes))
  return true
}
