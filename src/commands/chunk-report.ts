import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { isUnreadable, unlessUnreadable } from '../store/disk/node-disk.ts'
import { type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import {
  type ChunkKind,
  type ChunkTable,
  readChunkBlock,
  readChunkTable,
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

/** Reads a block into `into`; of one with a sector that cannot be read nothing more can be told than of a damaged one. */
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
