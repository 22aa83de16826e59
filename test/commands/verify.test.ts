import fs from 'node:fs'
import { expect, test } from 'vitest'
import { SILENT } from '../../src/commands/command.ts'
import { ReadOnlyDisk } from '../../src/commands/read-only-disk.ts'
import { verifyFolder } from '../../src/commands/verify.ts'
import { SwapLane } from '../../src/events/swap-record.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { readMark } from '../../src/store/folder/commit-marker.ts'
import { listDataFiles, withFile } from '../../src/store/folder/data-folder.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { SEGMENT } from '../../src/store/format/journal-format.ts'
import {
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
  writeChunk,
} from '../../src/store/snapshot/tape-chunk.ts'
import { contentsOf, filesOf, flipByte } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { forged } from '../store/forged-snapshot.ts'
import {
  ask,
  crowdOfLines,
  emptiedFolder,
  emptyEngine,
  filledFolder,
  makeOlder,
  Run,
  runOfGap,
  spoilSector,
} from './folders.ts'

const CHUNK = 128

function verify(folder: string): ReturnType<typeof verifyFolder> {
  return verifyFolder({
    disk: new ReadOnlyDisk(),
    folder,
    written: readMark(folder, bootId()),
    newEngine: () => emptyEngine(folder, CHUNK),
    progress: SILENT,
    onCheck: () => {},
  })
}

const badOnes = (checks: ReturnType<typeof verifyFolder>) => checks.filter(({ isGood }) => !isGood)

test('a healthy folder holds all checks, and nothing in it changes', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  const before = contentsOf(folder)
  const checks = verify(folder)
  expect(badOnes(checks)).toEqual([])
  const whats = checks.map(({ what }) => what)
  expect(whats).toContain(
    'journal from snapshot-0000000000000500.mfs to snapshot-0000000000001000.mfs',
  )
  expect(whats).toContain('journal from snapshot-0000000000001000.mfs to its end')
  expect(whats).toContain('tape chunk 4 against the journal')
  expect(contentsOf(folder)).toEqual(before)
})

test('a journal whose end was taken away does not hold, one of a copy without the mark does', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  const last = filesOf(folder, 'journal-').at(-1) ?? ''
  fs.truncateSync(last, fs.statSync(last).size - 100)
  expect(badOnes(verify(folder))).toEqual([
    {
      what: 'journal from snapshot-0000000000001000.mfs to its end',
      isGood: false,
      found: expect.stringMatching(
        /^seq 1000 to \d+, \d+ bytes behind it do not go on there; events \d+ to 1499 had been written/,
      ),
    },
  ])
  fs.rmSync(`${folder}/written`)
  expect(badOnes(verify(folder))).toEqual([])
})

test('with the whole journal the first snapshot and every chunk are recomputed too', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK, keepsJournal: true })
  const checks = verify(folder)
  expect(badOnes(checks)).toEqual([])
  const whats = checks.map(({ what }) => what)
  expect(whats).toContain('journal from the beginning to snapshot-0000000000000500.mfs')
  expect(whats).toContain('tape chunk 0 against the journal')
})

test('a snapshot that was made within a run that fills a gap is the state of the journal', () => {
  const folder = newFolder()
  const run = new Run(folder, { keepsJournal: true })
  const [before, filling, rest] = runOfGap()
  run.take(before).snapshot().take(filling).snapshot().take(rest).close()
  expect(badOnes(verify(folder))).toEqual([])
})

test('a chunk that is whole but holds other records is found', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  swapBlocks(folder, 4)
  expect(badOnes(verify(folder))).toEqual([
    {
      what: 'tape-0000000000000004.mft',
      isGood: false,
      found: 'it is another file than the one the snapshots were made with',
    },
    { what: 'tape chunk 4 against the journal', isGood: false, found: 'other records' },
  ])
})

test('records that differ behind snapshots of an older version are told and are no fault', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  rewriteBlocks(folder, 4, ([first, second]) => {
    first[SwapLane.quoteLo * Uint32Array.BYTES_PER_ELEMENT] ^= 1
    return [first, second]
  })
  for (const path of filesOf(folder, 'snapshot-')) makeOlder(path)
  const checks = verify(folder)
  expect(badOnes(checks)).toEqual([])
  expect(checks).toContainEqual({
    what: 'tape chunk 4 against the journal',
    isGood: true,
    found: 'other records, as an older version may have folded them',
  })
})

test('records that link to newer ones behind snapshots of an older version are found, and verify ends', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  swapBlocks(folder, 4)
  for (const path of filesOf(folder, 'snapshot-')) makeOlder(path)
  expect(badOnes(verify(folder)).map(({ found }) => found)).toContain(
    'the chain of the swaps of a mint or position leads round in circles',
  )
})

test('a chunk that is missing or damaged is found', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  const chunks = filesOf(folder, 'tape-')
  fs.rmSync(chunks[0])
  flipByte(chunks[1], fs.statSync(chunks[1]).size - 1)
  expect(badOnes(verify(folder))).toMatchObject([
    { what: 'tape chunk 0', found: 'it is missing' },
    { what: 'tape-0000000000000001.mft', found: 'block 1 is damaged' },
  ])
})

test.each([
  ['head', 10, 'its head is damaged'],
  ['block', -1, 'block 1 is damaged'],
])(
  'a chunk with a %s that cannot be read any more is found, and the others are checked all the same',
  (_what, byte, found) => {
    const { folder } = filledFolder({ chunkRecords: CHUNK })
    const path = filesOf(folder, 'tape-')[4]
    spoilSector(path, byte < 0 ? fs.statSync(path).size + byte : byte)
    const checks = verify(folder)
    expect(badOnes(checks)).toMatchObject([
      { what: 'tape-0000000000000004.mft', found },
      { what: 'tape chunk 4 against the journal', found: 'other records' },
    ])
    expect(checks).toContainEqual({
      what: 'tape chunk 5 against the journal',
      isGood: true,
      found: 'the same records',
    })
  },
)

test('a damaged snapshot is found, and the others are checked all the same', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  flipByte(filesOf(folder, 'snapshot-')[1], 2_000)
  const checks = verify(folder)
  expect(badOnes(checks)).toMatchObject([
    { what: 'snapshot-0000000000001000.mfs', found: 'its parts are not what was written' },
  ])
  expect(checks.map(({ found }) => found)).toContain('seq 500 to 1000, the same state')
})

test.each([
  ['parts', 2_000, 'its parts are not what was written'],
  ['table of contents', -1, expect.stringMatching(/^EIO: read '.*snapshot-0{12}1000\.mfs'$/)],
])(
  'a snapshot whose %s cannot be read any more is found, and the others are checked all the same',
  (_what, byte, found) => {
    const { folder } = filledFolder({ chunkRecords: CHUNK })
    const path = filesOf(folder, 'snapshot-')[1]
    spoilSector(path, byte < 0 ? fs.statSync(path).size + byte : byte)
    const checks = verify(folder)
    expect(badOnes(checks)).toMatchObject([{ what: 'snapshot-0000000000001000.mfs', found }])
    expect(checks.map((check) => check.found)).toContain(
      byte < 0 ? 'seq 500 to 1500' : 'seq 500 to 1000, the same state',
    )
  },
)

test('a snapshot that is whole in itself but not the state it names is found', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  const [first, second] = filesOf(folder, 'snapshot-')
  fs.writeFileSync(second, forged(fs.readFileSync(second)))
  const checks = verify(folder)
  const name = (path: string) => path.slice(folder.length + 1)
  expect(badOnes(checks)).toEqual([
    { what: name(second), isGood: false, found: 'its digest is another' },
  ])
  expect(checks).toContainEqual({
    what: name(first),
    isGood: true,
    found: 'it loads with its digest',
  })
})

test('a snapshot of another history is found', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  const { folder: other } = filledFolder({ chunkRecords: CHUNK, batch: 7 })
  const path = filesOf(folder, 'snapshot-')[1]
  fs.copyFileSync(filesOf(other, 'snapshot-')[1], path)
  fs.copyFileSync(filesOf(other, 'snapshot-')[0], `${filesOf(folder, 'snapshot-')[0]}`)
  fs.rmSync(filesOf(folder, 'journal-')[0])
  expect(badOnes(verify(folder)).length).toBeGreaterThan(0)
})

test('a first segment that cannot be read is told, though no snapshot needs it', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK, keepsJournal: true })
  flipByte(filesOf(folder, 'journal-')[0] ?? '', SEGMENT.firstSeq)
  expect(badOnes(verify(folder))).toEqual([
    {
      what: 'journal-0000000000000001.mfj',
      isGood: false,
      found: expect.stringContaining('header'),
    },
  ])
})

test('damage in the journal is told as a check that does not hold', () => {
  const { folder } = filledFolder({ chunkRecords: CHUNK })
  flipByte(filesOf(folder, 'journal-')[0], 5_000)
  const [bad] = badOnes(verify(folder))
  expect(bad.what).toBe(
    'journal from snapshot-0000000000000500.mfs to snapshot-0000000000001000.mfs',
  )
  expect(bad.found).toContain('The journal is damaged in the middle')
})

test('the command exits with 0 when all holds and with 1 and a sentence when it does not', async () => {
  const { folder } = filledFolder()
  const good = await ask('verify', '--data-dir', folder)
  expect([good.code, good.errors]).toEqual([0, ''])
  expect(good.output).toContain('all 4 checks hold\n')
  flipByte(filesOf(folder, 'snapshot-')[0], 2_000)
  const bad = await ask('verify', '--data-dir', folder)
  expect([bad.code, bad.errors]).toEqual([1, 'mintfeed: 1 of 3 checks do not hold.\n'])
  const json: unknown = JSON.parse((await ask('verify', '--json', '--data-dir', folder)).output)
  expect(json).toMatchObject({ isGood: false, checks: [{ isGood: false }, {}, {}] })
  const { folder: shortened } = filledFolder()
  const last = filesOf(shortened, 'journal-').at(-1) ?? ''
  fs.truncateSync(last, fs.statSync(last).size - 100)
  const short = await ask('verify', '--data-dir', shortened)
  expect([short.code, short.errors]).toEqual([1, 'mintfeed: 1 of 4 checks do not hold.\n'])
  expect(short.output).toMatch(
    /^BAD .* events \d+ to 1499 had been written and are not there any more$/m,
  )
})

test('a folder whose whole journal is gone does not hold, as its mark says', () => {
  const folder = emptiedFolder()
  const found = 'events 0 to 1499 had been written and are not there any more'
  expect(verify(folder)).toEqual([{ what: 'folder', isGood: false, found }])
})

test('a folder without anything to check is no backup that holds', async () => {
  const { folder } = filledFolder()
  const above = newFolder()
  fs.renameSync(folder, `${above}/data`)
  for (const wrong of [above, newFolder()]) {
    const { code, output, errors } = await ask('verify', '--data-dir', wrong)
    expect([code, output, errors]).toEqual([
      1,
      'BAD   folder: no journal and no snapshot is in it: is it the right folder?\n',
      'mintfeed: the one check does not hold.\n',
    ])
    const inspected = await ask('inspect', '--data-dir', wrong)
    expect([inspected.code, inspected.output]).toEqual([
      0,
      `${wrong}: not in use\nno data files\nwould start at seq 0\n`,
    ])
  }
})

test('a single check is told as one', async () => {
  const folder = newFolder()
  new Run(folder).take(crowdOfLines(3, 40)).close()
  const { code, output } = await ask('verify', '--data-dir', folder)
  expect([code, output]).toEqual([0, expect.stringMatching(/^good [^\n]+\nthe one check holds\n$/)])
})

/** Rewrites a chunk, whole, with its two blocks in the other order. */
function swapBlocks(folder: string, number: number): void {
  rewriteBlocks(folder, number, (blocks) => blocks.toReversed())
}

type Blocks = readonly Uint8Array[]

/** Writes a chunk of two blocks anew, whole in itself. */
function rewriteBlocks(folder: string, number: number, change: (blocks: Blocks) => Blocks): void {
  const disk = new NodeDisk()
  const chunk = listDataFiles(disk, folder).chunks[number]
  const blocks = withFile(disk.open(chunk.path), (file) => {
    const table = readChunkTable(file, number, chunk.path, SWAP_CHUNKS)
    if (table === null) throw new Error('the chunk is damaged already')
    return [0, 1].map((i) => {
      const block = new Uint8Array(table.blockRecords * table.recordBytes)
      if (!readChunkBlock(file, table, i, block)) throw new Error('a block is damaged already')
      return block
    })
  })
  disk.remove(chunk.path)
  writeChunk(disk, folder, number, CHUNK / 2, change(blocks), SWAP_CHUNKS)
}
