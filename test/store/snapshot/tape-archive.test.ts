import fs from 'node:fs'
import { crc32 } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { TapeDamage } from '../../../src/base/errors.ts'
import { TAPE_BLOCK_RECORDS, Tape } from '../../../src/engine/state/tape.ts'
import { StoreError } from '../../../src/store/disk/failure.ts'
import {
  archiveTape,
  DiskTapeArchive,
  needChunks,
  unarchivedBytes,
} from '../../../src/store/snapshot/tape-archive.ts'
import {
  type ChunkKind,
  DORMANT_CHUNKS,
  SWAP_CHUNKS,
  writeChunk,
} from '../../../src/store/snapshot/tape-chunk.ts'
import { newFolder } from '../../new-folder.ts'
import { CountingDisk } from '../disks/counting-disk.ts'

const BLOCKS = 4
const CHUNK_RECORDS = BLOCKS * TAPE_BLOCK_RECORDS
const CHUNKS = 3
const KINDS = [
  ['swaps', SWAP_CHUNKS],
  ['positions', DORMANT_CHUNKS],
] as const

let folder = ''
let disk: CountingDisk
beforeEach(() => {
  folder = newFolder()
  disk = new CountingDisk()
})

/** A tape of some more records than `CHUNKS` have, no two alike; `first` is what its first one holds. */
function tapeOf({ recordBytes }: ChunkKind, first = 1): Tape {
  const tape = new Tape(CHUNK_RECORDS, recordBytes / 4)
  for (let n = 0; n < CHUNKS * CHUNK_RECORDS + 10; n++) {
    const record = tape.add()
    const at = tape.at(record)
    tape.u32Of(record).fill(first + n, at, at + tape.lanes)
  }
  return tape
}

/** What a block of such a tape holds. */
function blockOf({ recordBytes }: ChunkKind, block: number): Buffer {
  const lanes = Array.from({ length: TAPE_BLOCK_RECORDS }, (_, n) =>
    Array<number>(recordBytes / 4).fill(1 + block * TAPE_BLOCK_RECORDS + n),
  )
  return Buffer.from(Uint32Array.from(lanes.flat()).buffer)
}

function archived(kind: ChunkKind, first?: number): Tape {
  const tape = tapeOf(kind, first)
  archiveTape(disk, folder, tape, tape.count, kind)
  return tape
}

const bytesOf = (archive: DiskTapeArchive, block: number) => {
  const { u32, f64 } = archive.block(block)
  expect(f64.buffer).toBe(u32.buffer)
  return Buffer.from(u32.buffer)
}

test.each(KINDS)(
  'what is out of the reach of late events leaves a tape in whole chunks and is read back as it was: %s',
  (_, kind) => {
    const tape = tapeOf(kind)
    const chunkBytes = CHUNK_RECORDS * kind.recordBytes
    const chunks = (reach: number) => {
      const bytes = unarchivedBytes(tape, reach)
      const before = tape.archivedCount
      const count = archiveTape(disk, folder, tape, reach, kind)
      expect([tape.archivedCount, tape.chunkCrcs.length]).toEqual([count, count / CHUNK_RECORDS])
      expect(bytes).toBe((count - before) * kind.recordBytes)
      return count / CHUNK_RECORDS
    }
    expect(chunks(CHUNK_RECORDS - 1)).toBe(0)
    expect(chunks(CHUNK_RECORDS)).toBe(1)
    expect(chunks(0)).toBe(1)
    expect(chunks(CHUNKS * CHUNK_RECORDS + 9)).toBe(CHUNKS)
    expect(fs.readdirSync(folder)).toHaveLength(CHUNKS)
    const archive = new DiskTapeArchive(disk, folder, tape, kind)
    for (let round = 0; round < 2; round++)
      for (let block = 0; block < CHUNKS * BLOCKS; block++) {
        const written = blockOf(kind, block)
        expect(bytesOf(archive, block).equals(written)).toBe(true)
      }
    expect(archive).toMatchObject({ misses: CHUNKS * BLOCKS, hits: CHUNKS * BLOCKS })
    expect(archive.bytes).toBe(CHUNKS * chunkBytes)
    expect(disk.opened).toBe(CHUNKS)
    archive.close()
    expect([archive.bytes, disk.opened]).toEqual([0, 0])
  },
)

/** What stands in the place of a chunk, by what is said of it. */
const OTHERS: readonly (readonly [string, string, (kind: ChunkKind, path: string) => void])[] = [
  ['nothing', 'cannot be read at block 4', (_, path) => fs.rmSync(path)],
  ['one with a block less', 'cannot be read at block 4', (kind) => write(kind, BLOCKS - 1, 1)],
  ['one with longer blocks', 'cannot be read at block 4', (kind) => write(kind, BLOCKS, 2)],
  ['one of another tape', 'is another file', (kind) => write(kind, BLOCKS, 1)],
  ['a torn block', 'cannot be read at block 6', (_, path) => spoilBlock(path)],
  ['one of a later version', 'later version', (_, path) => raiseVersion(path)],
]

function write(kind: ChunkKind, blocks: number, times: number): void {
  const records = TAPE_BLOCK_RECORDS * times
  const block = new Uint8Array(records * kind.recordBytes).fill(7)
  writeChunk(disk, folder, 1, records, Array<Uint8Array>(blocks).fill(block), kind)
}

/** The third block of a file. */
function spoilBlock(path: string): void {
  const bytes = fs.readFileSync(path)
  bytes[Math.floor(bytes.length * 0.6)] ^= 1
  fs.writeFileSync(path, bytes)
}

function raiseVersion(path: string): void {
  const bytes = fs.readFileSync(path)
  bytes.writeUInt32LE(99, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 36)), 36)
  fs.writeFileSync(path, bytes)
}

test.each(OTHERS)(
  'where a chunk was stands %s: reads say so, and go on once it was put back',
  (_, said, replace) => {
    for (const [, kind] of KINDS) {
      const tape = archived(kind)
      const path = kind.path(folder, 1)
      fs.copyFileSync(path, `${path}.copy`)
      replace(kind, path)
      const archive = new DiskTapeArchive(disk, folder, tape, kind)
      const reading = () => [4, 5, 6].map((block) => bytesOf(archive, block))
      for (let time = 0; time < 2; time++) {
        expect(reading).toThrow(TapeDamage)
        expect(reading).toThrow(said)
        expect(reading).toThrow(path)
        expect(disk.opened).toBe(0)
      }
      expect(bytesOf(archive, 0).equals(blockOf(kind, 0))).toBe(true)
      fs.renameSync(`${path}.copy`, path)
      const written = [4, 5, 6].map((block) => blockOf(kind, block))
      expect(reading().map((bytes, n) => bytes.equals(written[n]))).toEqual([true, true, true])
      archive.close()
    }
  },
)

test('a start needs every chunk of both tapes', () => {
  const [swaps, positions] = [archived(SWAP_CHUNKS), archived(DORMANT_CHUNKS, 5)]
  const need = () => [...needChunks(disk, folder, swaps, positions)]
  expect(need()).toEqual([0, 1, 2, 0, 1, 2])
  for (const [, kind] of KINDS)
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      const path = kind.path(folder, chunk)
      fs.renameSync(path, `${path}.away`)
      expect(need).toThrow(StoreError)
      expect(need).toThrow(`${path}, which is not there or cannot be read`)
      fs.renameSync(`${path}.away`, path)
    }
  write(DORMANT_CHUNKS, BLOCKS, 1)
  const other = `${DORMANT_CHUNKS.path(folder, 1)}, which is another file than the one it was made with`
  expect(need).toThrow(other)
  expect(disk.opened).toBe(0)
})
