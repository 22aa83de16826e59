import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { TapeDamage } from '../../src/base/errors.ts'
import { SILENT } from '../../src/commands/command.ts'
import { exportLines } from '../../src/commands/export.ts'
import { reportSnapshot } from '../../src/commands/file-reports.ts'
import { inspectFolder } from '../../src/commands/inspect.ts'
import { startSteps, type Verdict } from '../../src/commands/verdict.ts'
import { verifyFolder } from '../../src/commands/verify.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { dataPath, listDataFiles } from '../../src/store/folder/data-folder.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { archive, archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import { DORMANT_CHUNKS, writeChunk } from '../../src/store/snapshot/tape-chunk.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { dormantMarket } from '../properties/dormant-market.ts'
import { digestsOf, FOLDER, recovered, SIZES, writtenFolder } from './damage/folder.ts'
import type { ImageDisk } from './damage/image-disk.ts'

const events = dormantMarket(new Random(6), 600)
const segmentsAt = [200, 420]
const whole = writtenFolder({ events, segmentsAt, snapshotsAt: [2, 3], hasRests: true })
const files = listDataFiles(whole, FOLDER)
const awake = writtenFolder({ events, segmentsAt, snapshotsAt: [2, 3] })
/** Of the first chunk: another is another format, and wants another version (tape-chunk.ts). */
const FIRST_CHUNK = 'b564e8610534fdfcc74a506285f6a5730d87a857283044304d0d1d2c5d350f9c'
const TRADERS = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const

test('a folder whose tokens rested is recovered to its state, and answers as one without rests', () => {
  expect(files.dormantChunks.length).toBeGreaterThan(1)
  expect(listDataFiles(awake, FOLDER).dormantChunks).toEqual([])
  const { engine } = recovered(whole.copy())
  expect(stateDigest(engine.parts)).toBe(digestsOf(whole).get(events.length)?.at(-1))
  expect(engine.state.dormant.tokens).toBeGreaterThan(0)
  leave(engine.state.dormant.tape)
  const other = recovered(awake.copy()).engine
  expect(firstUnlike(everyRead(engine, events), everyRead(other, events))).toBeNull()
})

test('chunks of resting positions are those of the journal, whenever they were written', () => {
  const later = writtenFolder({ events, segmentsAt, snapshotsAt: [3], hasRests: true })
  for (const { path } of files.dormantChunks)
    expect(Buffer.compare(whole.bytesOf(path), later.bytesOf(path))).toBe(0)
  const [{ path }] = files.dormantChunks
  expect(createHash('sha256').update(whole.bytesOf(path)).digest('hex')).toBe(FIRST_CHUNK)
})

test('verify recomputes resting positions, and finds a chunk that holds others', () => {
  const checks = verified(whole.copy())
  expect(checks.filter(({ isGood }) => !isGood)).toEqual([])
  const whats = checks.map(({ what }) => what)
  expect(whats).toContain('dormant chunk 0 against the journal')
  const disk = whole.copy()
  const [first, second] = [0, 1].map((chunk) => blockOf(disk, chunk))
  if (first === undefined || second === undefined) throw new Error('there are too few chunks')
  writeChunk(disk, FOLDER, 0, SIZES.tapeChunkRecords, [second], DORMANT_CHUNKS)
  expect(verified(disk).filter(({ isGood }) => !isGood)).toContainEqual({
    what: 'dormant chunk 0 against the journal',
    isGood: false,
    found: 'other records',
  })
})

test('a look at a folder counts what rests by itself, and every byte', () => {
  const { totals } = inspectFolder(() => whole.copy(), FOLDER, SILENT)
  const { segments, snapshots, chunks, dormantChunks } = files
  expect(dormantChunks.length).not.toBe(chunks.length)
  const all = [...segments, ...snapshots, ...chunks, ...dormantChunks]
  expect(totals).toMatchObject({
    tapeRecords: chunks.length * SIZES.tapeChunkRecords,
    dormantRecords: dormantChunks.length * SIZES.tapeChunkRecords,
    bytes: all.reduce((sum, { path }) => sum + whole.bytesOf(path).length, 0),
  })
})

test('an export has no line of who rested', () => {
  expect(exported(whole)).toBe(exported(awake))
})

test('a chunk of resting positions that is missing or torn is refused by its path', () => {
  const [{ path }] = files.dormantChunks
  const tapeChunk = whole.bytesOf(files.chunks[0]?.path ?? '')
  const broken = [
    (disk: ImageDisk) => disk.remove(path),
    (disk: ImageDisk) => flipped(disk, path, 30),
    (disk: ImageDisk) => disk.files.set(path, disk.bytesOf(path).subarray(0, -1)),
    (disk: ImageDisk) => disk.files.set(path, tapeChunk),
  ]
  for (const damage of broken) {
    const disk = whole.copy()
    damage(disk)
    const start = () => recovered(disk)
    expect(start).toThrow(StoreError)
    expect(start).toThrow(path)
    expect(verdictOn(disk)).toEqual({ starts: false, reason: expect.stringContaining(path) })
  }
  expect(verdictOn(whole)).toMatchObject({ starts: true, seq: events.length })
})

test('a damaged block of resting positions is told by who reads it, and by the event that wakes them', () => {
  // It ends with its snapshot: few of those at rest there have been woken since.
  const disk = writtenFolder({
    events: events.slice(0, 424),
    segmentsAt,
    snapshotsAt: [3],
    hasRests: true,
  })
  const { engine } = recovered(disk)
  for (const { path } of files.dormantChunks) flipped(disk, path, disk.bytesOf(path).length - 9)
  // Anew: the recovery has read blocks already.
  archive(disk, FOLDER, engine)
  leave(engine.state.dormant.tape)
  const answers = new EngineQueries(engine, () => {})
  const mints = [...new Set(events.flatMap((event) => ('mint' in event ? [event.mint] : [])))]
  const damaged = mints.filter((mint) => isDamaged(() => answers.tokenTraders(mint, TRADERS)))
  const [mint] = damaged
  if (mint === undefined) throw new Error('no dormant token lies in a damaged block')
  expect(damaged.length).toBeLessThan(mints.length)
  expect(answers.marketData(mints)).toContain(mint)
  const at = { slot: 1_000_000, timestamp: START_SECOND + 400_000, mint }
  expect(isDamaged(() => engine.accept(swap(at)))).toBe(true)
  expect(isDamaged(() => engine.accept(swap({ ...at, mint: 'a new one' })))).toBe(false)
  expect(isDamaged(() => engine.accept(created({ ...at, mint: 'another', signature: 'c' })))).toBe(
    false,
  )
})

function leave(tape: { archivedCount: number; leaveMemory(before: number): void }): void {
  tape.leaveMemory(tape.archivedCount)
}

function isDamaged(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch (error) {
    if (error instanceof TapeDamage) return true
    throw error
  }
}

function verified(disk: ImageDisk): ReturnType<typeof verifyFolder> {
  const newEngine = () => archivedEngine(disk, FOLDER, SIZES)
  const about = { disk, folder: FOLDER, written: null }
  return verifyFolder({ ...about, newEngine, progress: SILENT, onCheck: () => {} })
}

function verdictOn(disk: ImageDisk): Verdict {
  const found = listDataFiles(disk, FOLDER)
  const snapshots = found.snapshots.map((file) => reportSnapshot(disk, file))
  const chunkRecords = SIZES.tapeChunkRecords
  const about = { disk, folder: FOLDER, written: null, boot: '', chunkRecords }
  return runToEnd(startSteps({ ...about, files: found, snapshots }))
}

function exported(disk: ImageDisk): string {
  const newEngine = () => archivedEngine(disk, FOLDER, SIZES)
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER }
  return [...exportLines({ disk, folder: FOLDER, newEngine, ...range, progress: SILENT })].join('')
}

/** The one block of a chunk. */
function blockOf(disk: ImageDisk, chunk: number): Uint8Array {
  const bytes = disk.bytesOf(dataPath(FOLDER, 'dormantChunk', chunk))
  return bytes.slice(bytes.length - SIZES.tapeChunkRecords * DORMANT_CHUNKS.recordBytes)
}

function flipped(disk: ImageDisk, path: string, at: number): void {
  const bytes = new Uint8Array(disk.bytesOf(path))
  bytes[at] ^= 4
  disk.files.set(path, bytes)
}
