import { crc32 } from 'node:zlib'
import { SWAP_RECORD_BYTES } from '../engine/swap-record.ts'
import { chunkPath, writeWhole } from './data-folder.ts'
import { appendAll, type Disk, type DiskFile, readAll } from './disk.ts'
import { newerVersion } from './failure.ts'
import { padded } from './journal-format.ts'

/**
 * A chunk of the tape on disk, version 1, little-endian:
 *
 *     header   magic, version, records a block, chunk, blocks, crc of the table, zeros, crc of the
 *              header (40 bytes)
 *     table    crc of each block (u32), padded to 8 bytes
 *     blocks   swap records
 *
 * Chunks never change: two snapshots, and two runs that fold the same journal, share them. Magic,
 * version and crc of the header stay where they are in later versions, so that they are known.
 */
export const CHUNK_MAGIC = 'MFTAPE1\n'
export const CHUNK_VERSION = 1
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
  readonly chunk: number
  readonly blockRecords: number
  /** Crc of each block. */
  readonly crcs: readonly number[]
  /** Where the first block starts. */
  readonly dataAt: number
}

/** Writes a chunk of whole blocks; what is there under its name is replaced. */
export function writeChunk(
  disk: Disk,
  folder: string,
  chunk: number,
  blockRecords: number,
  blocks: readonly Uint8Array[],
): void {
  const tableBytes = padded(blocks.length * 4)
  const head = Buffer.alloc(HEADER_BYTES + tableBytes)
  head.write(CHUNK_MAGIC, H.magic, 'latin1')
  head.writeUInt32LE(CHUNK_VERSION, H.version)
  head.writeUInt32LE(blockRecords, H.blockRecords)
  head.writeDoubleLE(chunk, H.chunk)
  head.writeUInt32LE(blocks.length, H.blocks)
  for (const [i, block] of blocks.entries()) head.writeUInt32LE(crc32(block), HEADER_BYTES + i * 4)
  head.writeUInt32LE(crc32(head.subarray(HEADER_BYTES)), H.tableCrc)
  head.writeUInt32LE(crc32(head.subarray(0, H.crc)), H.crc)
  writeWhole(disk, folder, chunkPath(folder, chunk), (file) => {
    appendAll(file, head)
    for (const block of blocks) appendAll(file, block)
  })
}

/**
 * The head of a chunk, or null when it is torn, damaged or not `chunk`.
 * @throws StoreError when a later version wrote it
 */
export function readChunkTable(
  file: DiskFile,
  chunk: number,
  path = `Tape chunk ${chunk}`,
): ChunkTable | null {
  const header = Buffer.alloc(HEADER_BYTES)
  if (!readAll(file, header, 0)) return null
  if (crc32(header.subarray(0, H.crc)) !== header.readUInt32LE(H.crc)) return null
  if (header.toString('latin1', H.magic, H.magic + 8) !== CHUNK_MAGIC) return null
  const version = header.readUInt32LE(H.version)
  if (version > CHUNK_VERSION) throw newerVersion(path)
  if (version < CHUNK_VERSION || header.readDoubleLE(H.chunk) !== chunk) return null
  const blocks = header.readUInt32LE(H.blocks)
  const blockRecords = header.readUInt32LE(H.blockRecords)
  const dataAt = HEADER_BYTES + padded(blocks * 4)
  if (file.size() !== dataAt + blocks * blockRecords * SWAP_RECORD_BYTES) return null
  const table = Buffer.alloc(dataAt - HEADER_BYTES)
  if (!readAll(file, table, HEADER_BYTES)) return null
  if (crc32(table) !== header.readUInt32LE(H.tableCrc)) return null
  const crcs = Array.from({ length: blocks }, (_, i) => table.readUInt32LE(i * 4))
  return { chunk, blockRecords, crcs, dataAt }
}

/** Reads one block into `into`; false when it is not what was written. */
export function readChunkBlock(
  file: DiskFile,
  table: ChunkTable,
  block: number,
  into: Uint8Array,
): boolean {
  const bytes = table.blockRecords * SWAP_RECORD_BYTES
  if (block >= table.crcs.length || into.length !== bytes) return false
  return readAll(file, into, table.dataAt + block * bytes) && crc32(into) === table.crcs[block]
}
