import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Tape } from '../../../src/engine/state/tape.ts'
import {
  INPUT_FLAGS,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
} from '../../../src/events/swap-record.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { Kind } from '../../../src/store/format/journal-format.ts'
import { walkJournal } from '../../../src/store/journal/journal-scan.ts'
import { readContents, SNAPSHOT_VERSION } from '../../../src/store/snapshot/snapshot-file.ts'
import {
  DORMANT_CHUNKS,
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
  writeChunk,
} from '../../../src/store/snapshot/tape-chunk.ts'
import { upgradeFoldedRecords, upgradeOf } from '../../../src/store/upgrades/format-upgrades.ts'
import { FOLDER, makeSnapshot, recovered } from '../damage/folder.ts'
import { ImageDisk } from '../damage/image-disk.ts'
import { JOURNALS, keptFiles, PRESENT, VERSIONS } from '../golden/golden.ts'

/** Versions of which snapshots and chunks have the form of before October 2026. */
const OLDER = VERSIONS.filter((version) => version !== PRESENT)
const AMM = 2
/** Lanes that the form of October 2026 has other values in. */
const CHANGED = [12, 13, 15, 28, 29]

interface Record {
  readonly u32: Uint32Array
  readonly f64: Float64Array
}

function record(given: number, used: number, flags: number): Record {
  const u32 = new Uint32Array(SWAP_U32_LANES)
  for (let lane = 0; lane < SWAP_U32_LANES; lane++) u32[lane] = 1_000 + lane
  const f64 = new Float64Array(u32.buffer)
  u32[SwapLane.flags] = flags
  f64[6] = given
  f64[7] = used
  return { u32, f64 }
}

test.each([
  ['a price of its own', 150, 150, 150],
  ['the standing price', 0, 140.25, -140.25],
  ['no price', 0, 0, 0],
  ['the largest price', 0, Number.MAX_VALUE, -Number.MAX_VALUE],
  ['the least price', 0, Number.MIN_VALUE, -Number.MIN_VALUE],
])('a folded record of before October 2026 tells by a sign that it has %s', (_, ...prices) => {
  const [given, used, signed] = prices
  for (const flags of [0, AMM]) {
    const old = record(given, used, flags)
    const { u32, f64 } = record(given, used, flags)
    upgradeFoldedRecords(u32)
    expect(Object.is(f64[SwapFloatLane.solPriceUsd], signed)).toBe(true)
    expect([u32[SwapLane.cashbackLo], u32[SwapLane.cashbackLo + 1]]).toEqual([0, 0])
    const reals = [u32[SwapLane.realBaseLo], u32[SwapLane.realBaseLo + 1]]
    expect(reals).toEqual(flags === AMM ? [0, 0] : [1_028, 1_029])
    for (const [lane, value] of u32.entries())
      if (!CHANGED.includes(lane)) expect(value, `lane ${lane}`).toBe(old.u32[lane])
  }
})

test('records behind one another are each brought to the form, and half a one is left alone', () => {
  const lanes = new Uint32Array(2.5 * SWAP_U32_LANES).fill(7)
  upgradeFoldedRecords(lanes)
  const cleared = [...lanes.entries()].flatMap(([lane, value]) => (value === 0 ? [lane] : []))
  const first = [12, 13, 28, 29]
  expect(cleared).toEqual([...first, ...first.map((lane) => lane + SWAP_U32_LANES)])
})

test('a chunk of version 1 is the file that it was, and its blocks are read in the present form', () => {
  const disk = keptFiles('v10')
  const [{ path, number }] = listDataFiles(disk, FOLDER).chunks
  const before = Buffer.from(disk.bytesOf(path))
  const file = disk.open(path)
  const table = readChunkTable(file, number, path, SWAP_CHUNKS)
  if (table === null) throw new Error('the chunk is damaged')
  expect([table.crc, table.hasOldSwaps]).toEqual([before.readUInt32LE(36), true])
  const block = new Uint8Array(table.blockRecords * table.recordBytes)
  expect(readChunkBlock(file, table, 0, block)).toBe(true)
  const raw = new Uint32Array(new Uint8Array(before.subarray(table.dataAt)).buffer)
  expect(Buffer.compare(block, Buffer.from(raw.buffer))).not.toBe(0)
  upgradeFoldedRecords(raw)
  expect(Buffer.compare(block, Buffer.from(raw.buffer))).toBe(0)
  expect(Buffer.compare(before, disk.bytesOf(path))).toBe(0)
})

test('positions in chunks of version 1 are what they are now', () => {
  const disk = new ImageDisk()
  const [block, read] = [
    new Uint8Array(DORMANT_CHUNKS.recordBytes).fill(7),
    new Uint8Array(DORMANT_CHUNKS.recordBytes),
  ]
  writeChunk(disk, FOLDER, 0, 1, [block], DORMANT_CHUNKS)
  const path = DORMANT_CHUNKS.path(FOLDER, 0)
  const bytes = Buffer.from(disk.bytesOf(path))
  bytes.writeUInt32LE(1, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 36)), 36)
  disk.files.set(path, bytes)
  const file = disk.open(path)
  const table = readChunkTable(file, 0, path, DORMANT_CHUNKS)
  expect(table !== null && readChunkBlock(file, table, 0, read)).toBe(true)
  expect(read).toEqual(block)
})

test('of a snapshot of version 9 the tape alone has another form', () => {
  const { bringUp } = upgradeOf(9)
  const { u32 } = record(0, 150, AMM)
  const bytes = new Uint8Array(u32.buffer)
  const other = bytes.slice()
  bringUp('dormant tape', [other])
  expect(Buffer.compare(other, bytes)).toBe(0)
  bringUp('tape', [bytes])
  const expected = record(0, 150, AMM).u32
  upgradeFoldedRecords(expected)
  expect(Buffer.compare(bytes, new Uint8Array(expected.buffer))).toBe(0)
})

test.each([...JOURNALS.filter((version) => version !== PRESENT), 'v10-late'] as const)(
  'no record of a journal of %s has what came with version 5',
  (version) => {
    const disk = keptFiles(version)
    let records = 0
    const walk = walkJournal(disk, listDataFiles(disk, FOLDER), 0, (frame) => {
      if (frame.kind !== Kind.records) return
      for (let n = 0; n < frame.events; n++) {
        const at = (frame.payloadAt >>> 2) + n * SWAP_U32_LANES
        const told = [10, 11, 16, 17].map((lane) => frame.u32[at + lane])
        expect([...told, frame.u32[at + SwapLane.flags] & 0xff_0000]).toEqual([0, 0, 0, 0, 0])
        records += 1
      }
    })
    runToEnd(walk)
    expect(records).toBeGreaterThan(50)
  },
)

/**
 * Every record of a tape, without what an older version judged of it.
 */
function recordsOf(tape: Tape): string[] {
  return Array.from({ length: tape.count }, (_, index) => {
    const at = tape.at(index)
    const lanes = tape.u32Of(index).slice(at, at + SWAP_U32_LANES)
    lanes[SwapLane.flags] &= INPUT_FLAGS
    return lanes.join(' ')
  })
}

/** The tape of a folder, of which as much as may is read from chunks. */
function tapeOf(disk: ImageDisk): Tape {
  const { tape } = recovered(disk).engine.state
  tape.leaveMemory(tape.archivedCount)
  return tape
}

test.each([...OLDER, 'v10-late'] as const)(
  'chunks and snapshot of %s have the records that the journal folds to',
  (version) => {
    const journalAlone = keptFiles(version)
    for (const path of [...journalAlone.files.keys()])
      if (!path.endsWith('.mfj')) journalAlone.files.delete(path)
    const upgraded = tapeOf(keptFiles(version))
    expect(upgraded.firstInMemory > 0).toBe(version !== 'v10-late')
    const folded = recordsOf(tapeOf(journalAlone))
    const read = recordsOf(upgraded)
    expect(read).toHaveLength(folded.length)
    expect(read.flatMap((record, index) => (record === folded[index] ? [] : [index]))).toEqual([])
  },
)

test('a snapshot made of one of version 9 leaves records to its chunks, which stay as they were', () => {
  const disk = keptFiles('v10')
  const [chunk] = listDataFiles(disk, FOLDER).chunks
  const before = Buffer.from(disk.bytesOf(chunk.path))
  const expected = recordsOf(tapeOf(keptFiles('v10')))
  makeSnapshot(disk, 3)
  expect(Buffer.compare(disk.bytesOf(chunk.path), before)).toBe(0)
  const newest = listDataFiles(disk, FOLDER).snapshots.at(-1)?.path ?? ''
  const contents = readContents(disk.open(newest), newest)
  expect(contents).toMatchObject({ version: SNAPSHOT_VERSION, upgradedFrom: 9 })
  expect(contents?.chunks.swaps[0]).toBe(before.readUInt32LE(36))
  expect(recordsOf(tapeOf(disk))).toEqual(expected)
})
