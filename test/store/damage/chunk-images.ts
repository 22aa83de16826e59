import { SWAP_RECORD_BYTES } from '../../../src/events/swap-record.ts'
import { dataPath } from '../../../src/store/folder/data-folder.ts'
import {
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
  writeChunk,
} from '../../../src/store/snapshot/tape-chunk.ts'
import type { Random } from '../../oracle/random.ts'
import { ImageDisk } from './image-disk.ts'
import { randomBytes } from './journal-run.ts'

const FOLDER = '/images'
const BLOCK_RECORDS = 1
const BLOCK_BYTES = BLOCK_RECORDS * SWAP_RECORD_BYTES

/** A chunk as it was written. */
export interface WrittenChunk {
  readonly chunk: number
  readonly bytes: Uint8Array
  readonly blocks: readonly Uint8Array[]
  /** Where the blocks start, and the end. */
  readonly units: readonly number[]
}

export function writtenChunk(random: Random, chunk: number): WrittenChunk {
  const disk = new ImageDisk()
  const blocks = Array.from({ length: random.integer(3, 7) }, () =>
    random.chance(0.1) ? new Uint8Array(BLOCK_BYTES) : randomBytes(random, BLOCK_BYTES),
  )
  writeChunk(disk, FOLDER, chunk, BLOCK_RECORDS, blocks, SWAP_CHUNKS)
  const bytes = new Uint8Array(disk.bytesOf(dataPath(FOLDER, 'chunk', chunk)))
  const path = dataPath(FOLDER, 'chunk', chunk)
  const table = readChunkTable(disk.open(path), chunk, path, SWAP_CHUNKS)
  if (table === null) throw new Error('a chunk that was written is none')
  const units = table.starts.map((start) => table.dataAt + start)
  return { chunk, bytes, blocks, units }
}

/**
 * What is wrong with what the reader made of an image, or null: a block is handed out when the
 * table is as it was written and the block is, and never else.
 */
export function wrongWithChunk(image: Uint8Array, written: readonly WrittenChunk[]): string | null {
  const [{ chunk }] = written
  const whole = written.find((one) => one.chunk === chunk && hasTable(image, one))
  const disk = new ImageDisk()
  disk.files.set(FOLDER, image)
  const file = disk.open(FOLDER)
  const table = readChunkTable(file, chunk, FOLDER, SWAP_CHUNKS)
  if (whole === undefined) return table === null ? null : 'a damaged table was read'
  if (table === null) return 'a whole table was refused'
  const into = new Uint8Array(BLOCK_BYTES)
  for (const [i, block] of whole.blocks.entries()) {
    const [at, end] = [whole.units[i], whole.units[i + 1]]
    const isSame = Buffer.compare(image.subarray(at, end), whole.bytes.subarray(at, end)) === 0
    if (readChunkBlock(file, table, i, into) !== isSame) return `block ${i} is same: ${isSame}`
    if (isSame && Buffer.compare(into, block) !== 0) return `block ${i} is not as it was written`
  }
  return readChunkBlock(file, table, whole.blocks.length, into) ? 'there is a block too many' : null
}

function hasTable(image: Uint8Array, { bytes, units }: WrittenChunk): boolean {
  if (image.length !== bytes.length) return false
  return Buffer.compare(image.subarray(0, units[0]), bytes.subarray(0, units[0])) === 0
}
