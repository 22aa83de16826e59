import { crc32 } from '../../base/crc32.ts'
import { bytesOf, lanesOf } from '../../engine/memory/views.ts'
import { PositionLane } from '../../engine/state/layout.ts'
import { packedBlock, unpackedBlock } from '../../engine/state/packed-swaps.ts'
import { SWAP_RECORD_BYTES } from '../../events/swap-record.ts'
import { type Disk, type DiskFile, readAll } from '../disk/disk.ts'
import { newerVersion } from '../disk/failure.ts'
import { dataPath, writeWhole } from '../folder/data-folder.ts'
import { padded } from '../format/journal-format.ts'
import { upgradeFoldedRecords } from '../upgrades/format-upgrades.ts'

/**
 * A chunk of a tape on disk, version 3 (of swaps) or 2 (of positions), little-endian:
 *
 *     header   magic, version, records a block, chunk, blocks, crc of the table, zeros, crc of the
 *              header (40 bytes)
 *     table    crc of each block (u32), of swaps also the bytes of each (u32), padded to 8 bytes
 *     blocks   by the magic packed swaps (engine/state/packed-swaps.ts) or records of positions of dormant tokens
 *
 * Chunks never change: two snapshots, and two runs that fold the same journal, share them,
 * and know them by the crc of the header (`ChunkCrcs` in recorded-values.ts). Magic, version and crc of the header stay
 * where they are in later versions, so that they are known. Those of versions before stay in their form: swaps of
 * version 2 are records one behind another, those of version 1 are brought up when they are read (store/upgrades).
 */
export const CHUNK_VERSION = 3
const FIRST_PACKED_VERSION = 3
const FIRST_OCTOBER_VERSION = 2

/** What a chunk holds, and the magic that says so. */
export interface ChunkKind {
  readonly magic: string
  readonly recordBytes: number
  /** The version that is written. */
  readonly version: number
  readonly path: (folder: string, chunk: number) => string
}

export const SWAP_CHUNKS: ChunkKind = {
  magic: 'MFTAPE1\n',
  recordBytes: SWAP_RECORD_BYTES,
  version: CHUNK_VERSION,
  path: (folder, chunk) => dataPath(folder, 'chunk', chunk),
}

export const DORMANT_CHUNKS: ChunkKind = {
  magic: 'MFDORM1\n',
  recordBytes: PositionLane.lanes * 4,
  version: 2,
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
  /** Where each block starts, from `dataAt`, and the end of the last one. */
  readonly starts: readonly number[]
  /** Place on the tape of its first record. */
  readonly first: number
  readonly isPacked: boolean
  /** Are its records swaps in the form of version 1? Positions have the same in both. */
  readonly hasOldSwaps: boolean
}

/** Writes a chunk of whole blocks of records; what is there under its name is replaced. Returns the crc of its header. */
export function writeChunk(
  disk: Disk,
  folder: string,
  chunk: number,
  blockRecords: number,
  records: readonly Uint8Array[],
  kind: ChunkKind,
): number {
  const first = chunk * records.length
  const isPacked = kind.version >= FIRST_PACKED_VERSION
  const blocks = isPacked
    ? records.map((block, i) => packedBlock(block, (first + i) * blockRecords))
    : records
  const tableBytes = padded(blocks.length * (isPacked ? 8 : 4))
  const head = Buffer.alloc(HEADER_BYTES + tableBytes)
  head.write(kind.magic, H.magic, 'latin1')
  head.writeUInt32LE(kind.version, H.version)
  head.writeUInt32LE(blockRecords, H.blockRecords)
  head.writeDoubleLE(chunk, H.chunk)
  head.writeUInt32LE(blocks.length, H.blocks)
  const lengthsAt = HEADER_BYTES + blocks.length * 4
  for (const [i, block] of blocks.entries()) {
    head.writeUInt32LE(crc32(block), HEADER_BYTES + i * 4)
    if (isPacked) head.writeUInt32LE(block.length, lengthsAt + i * 4)
  }
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
  const isPacked = version >= FIRST_PACKED_VERSION
  const dataAt = HEADER_BYTES + padded(blocks * (isPacked ? 8 : 4))
  if (file.size() < dataAt) return null
  const table = Buffer.alloc(dataAt - HEADER_BYTES)
  if (!readAll(file, table, HEADER_BYTES)) return null
  if (crc32(table) !== header.readUInt32LE(H.tableCrc)) return null
  const { recordBytes } = kind
  const crcs = Array.from({ length: blocks }, (_, i) => table.readUInt32LE(i * 4))
  const starts = [0]
  for (let i = 0, end = 0; i < blocks; i++) {
    end += isPacked ? table.readUInt32LE((blocks + i) * 4) : blockRecords * recordBytes
    starts.push(end)
  }
  if (file.size() !== dataAt + (starts[blocks] ?? 0)) return null
  const hasOldSwaps = version < FIRST_OCTOBER_VERSION && kind === SWAP_CHUNKS
  const first = chunk * blocks * blockRecords
  const layout = { dataAt, starts, first, isPacked, hasOldSwaps }
  return { crc, blockRecords, recordBytes, crcs, ...layout }
}

/** Bytes of a chunk of so many records that are not packed, in blocks of `blockRecords`. */
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
  const { blockRecords, recordBytes, isPacked } = table
  const [start = 0, end] = table.starts.slice(block, block + 2)
  if (end === undefined || into.length !== blockRecords * recordBytes) return false
  const bytes = isPacked ? new Uint8Array(end - start) : into
  if (!readAll(file, bytes, table.dataAt + start)) return false
  if (crc32(bytes) !== table.crcs[block]) return false
  if (isPacked) return unpackedBlock(bytes, table.first + block * blockRecords, into)
  if (!table.hasOldSwaps) return true
  const lanes = lanesOf(into)
  upgradeFoldedRecords(lanes)
  into.set(bytesOf(lanes))
  return true
}
