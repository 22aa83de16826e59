import fs from 'node:fs'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { TapeDamage } from '../../src/base/errors.ts'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/state/tape.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { dataPath } from '../../src/store/folder/data-folder.ts'
import { recover } from '../../src/store/recovery/recovery.ts'
import {
  archivedEngine,
  DiskTapeArchive,
  needChunks,
} from '../../src/store/snapshot/tape-archive.ts'
import { SWAP_CHUNKS, writeChunk } from '../../src/store/snapshot/tape-chunk.ts'
import { newFolder } from '../new-folder.ts'
import { history } from '../oracle/histories.ts'
import { BOOT, EPOCH, FOLDER, SIZES, writtenFolder } from './damage/folder.ts'
import { CountingDisk } from './disks/counting-disk.ts'

/** One block each, so that many chunks are small. */
const CHUNK_RECORDS = TAPE_BLOCK_RECORDS
const BLOCK_BYTES = TAPE_BLOCK_RECORDS * SWAP_CHUNKS.recordBytes
const CHUNKS = 80
/** Far below the descriptors that a process has, and below `CHUNKS`. */
const OPEN_MAX = 64
const SWAPS = {
  chunkRecords: CHUNK_RECORDS,
  archivedCount: CHUNKS * CHUNK_RECORDS,
  chunkCrcs: Array.from({ length: CHUNKS }, () => 0),
}
const NO_POSITIONS = { chunkRecords: CHUNK_RECORDS, archivedCount: 0, chunkCrcs: [] }

let folder = ''
beforeEach(() => {
  folder = newFolder()
  const disk = new NodeDisk()
  for (let chunk = 0; chunk < CHUNKS; chunk += 1)
    SWAPS.chunkCrcs[chunk] = writeChunk(
      disk,
      folder,
      chunk,
      TAPE_BLOCK_RECORDS,
      [new Uint8Array(BLOCK_BYTES).fill(chunk)],
      SWAP_CHUNKS,
    )
})

test('a history of many chunks is read with few of them open, and none once it is closed', () => {
  const disk = new CountingDisk()
  const archive = new DiskTapeArchive(disk, folder, SWAPS, SWAP_CHUNKS)
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    expect(new Uint8Array(archive.block(chunk).u32.buffer)[0]).toBe(chunk)
    expect(disk.opened).toBeLessThanOrEqual(OPEN_MAX)
  }
  archive.close()
  expect(disk.opened).toBe(0)
})

test('a chunk with a damaged block is read again once it was put back from a copy', () => {
  const path = dataPath(folder, 'chunk', 7)
  fs.copyFileSync(path, `${path}.copy`)
  const bytes = fs.readFileSync(path)
  bytes[bytes.length - 1] ^= 1
  fs.writeFileSync(path, bytes)
  const archive = new DiskTapeArchive(new NodeDisk(), folder, SWAPS, SWAP_CHUNKS)
  onTestFinished(() => archive.close())
  expect(() => archive.block(7)).toThrow(TapeDamage)
  fs.renameSync(`${path}.copy`, path)
  expect(new Uint8Array(archive.block(7).u32.buffer)[0]).toBe(7)
})

test('a start that looks for its chunks leaves none of them open, whole or not', () => {
  const disk = new CountingDisk()
  const looking = () => runToEnd(needChunks(disk, folder, SWAPS, NO_POSITIONS))
  looking()
  expect(disk.opened).toBe(0)
  fs.truncateSync(dataPath(folder, 'chunk', CHUNKS - 1), 20)
  expect(looking).toThrow(dataPath(folder, 'chunk', CHUNKS - 1))
  expect(disk.opened).toBe(0)
})

test('a start gives the loop its turns between the chunks that it looks for', () => {
  const disk = writtenFolder({ events: history(5, 500), segmentsAt: [450], snapshotsAt: [2] })
  let looks = 0
  const open = disk.open.bind(disk)
  disk.open = (path) => {
    if (path.endsWith('.mft')) looks += 1
    return open(path)
  }
  const newEngine = () => archivedEngine(disk, FOLDER, SIZES)
  const engine = newEngine()
  const written = { seq: 0, segment: 0, epoch: EPOCH, boot: BOOT, isClosed: true, isHere: true }
  const about = { disk, folder: FOLDER, boot: BOOT, written, engine }
  const steps = recover({ ...about, newEngine, newEpoch: () => EPOCH })
  let most = 0
  let all = 0
  for (let step = steps.next(); !step.done; step = steps.next()) {
    if (step.value.step === 'journal') break
    most = Math.max(most, looks)
    all += looks
    looks = 0
  }
  expect([all >= 3, most]).toEqual([true, 1])
})
