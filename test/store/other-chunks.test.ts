import { expect, test } from 'vitest'
import { TapeDamage } from '../../src/base/errors.ts'
import { SILENT } from '../../src/commands/command.ts'
import { reportSnapshot } from '../../src/commands/file-reports.ts'
import { planRepair } from '../../src/commands/repair.ts'
import { startSteps, type Verdict } from '../../src/commands/verdict.ts'
import { verifyFolder } from '../../src/commands/verify.ts'
import type { Tape } from '../../src/engine/state/tape.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { readContents, SNAPSHOT_VERSION } from '../../src/store/snapshot/snapshot-file.ts'
import { archive, archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import { Random } from '../oracle/random.ts'
import { dormantMarket } from '../properties/dormant-market.ts'
import { FOLDER, makeSnapshot, recovered, refusal, SIZES, writtenFolder } from './damage/folder.ts'
import type { ImageDisk } from './damage/image-disk.ts'

/** Two folders with chunks of both kinds under the same names, and two snapshots each. */
const plan = { segmentsAt: [200, 420], snapshotsAt: [2, 3], hasRests: true }
const whole = writtenFolder({ ...plan, events: dormantMarket(new Random(4), 600) })
const another = writtenFolder({ ...plan, events: dormantMarket(new Random(5), 600) })
const files = listDataFiles(whole, FOLDER)
const { chunkRecords } = recovered(whole.copy()).engine.state.tape

const kinds = [
  ['swaps', files.chunks, ({ engine }: ReturnType<typeof recovered>) => engine.state.tape],
  [
    'resting positions',
    files.dormantChunks,
    ({ engine }: ReturnType<typeof recovered>) => engine.state.dormant.tape,
  ],
] as const

/** A copy of the folder in which a whole chunk is that of the other one. */
function mixed(path: string): ImageDisk {
  const disk = whole.copy()
  disk.files.set(path, another.bytesOf(path))
  return disk
}

test.each(kinds)(
  'a chunk of %s of another folder that comes under a running program is damage of its tape',
  (_, [{ path }], tapeOf) => {
    const disk = whole.copy()
    const run = recovered(disk)
    const tape = tapeOf(run)
    // Anew: the recovery has read blocks already.
    archive(disk, FOLDER, run.engine)
    tape.leaveMemory(tape.archivedCount)
    disk.files.set(path, another.bytesOf(path))
    expect(() => firstOf(tape)).toThrow(TapeDamage)
    expect(() => firstOf(tape)).toThrow(`${path} is another file than the one that was written`)
    disk.files.set(path, whole.bytesOf(path))
    expect(firstOf(tape)).toBe(firstOf(tapeOf(recovered(whole.copy()))))
  },
)

test.each(kinds)(
  'a chunk of %s of another folder stops a start, and inspect says so',
  (_, [{ path }]) => {
    const disk = mixed(path)
    const before = new Map(disk.files)
    const { code, message } = refusal(disk)
    expect(code).toBe('missing')
    expect(message).toContain(`${path}, which is another file than the one it was made with`)
    expect(disk.files).toEqual(before)
    expect(verdictOn(disk)).toEqual({ starts: false, reason: message })
  },
)

test.each(kinds)('verify finds a chunk of %s of another folder', (_, [{ path, name }]) => {
  expect(badOnes(whole.copy())).toEqual([])
  expect(badOnes(mixed(path))).toContainEqual({
    what: name,
    isGood: false,
    found: 'it is another file than the one the snapshots were made with',
  })
})

test('a repair goes back to the snapshot that does without a chunk of another folder', () => {
  const [, newer] = files.snapshots
  const last = files.chunks.at(-1)?.path ?? ''
  const goneOf = (disk: ImageDisk) =>
    planRepair(disk, FOLDER, Number.MAX_SAFE_INTEGER, chunkRecords).snapshots
  expect(goneOf(whole)).toEqual([])
  expect(goneOf(mixed(last))).toEqual([newer])
})

test('a compaction tells the service the chunks that it has written', () => {
  const disk = whole.copy()
  const { engine } = recovered(disk)
  const { chunks } = makeSnapshot(disk, 4)
  expect(chunks).toEqual(chunksOf(disk))
  const { tape, dormant } = engine.state
  expect(chunks.swaps.slice(0, tape.chunkCrcs.length)).toEqual(tape.chunkCrcs)
  expect(chunks.swaps.length).toBeGreaterThan(tape.chunkCrcs.length)
  expect(chunks.positions.slice(0, dormant.tape.chunkCrcs.length)).toEqual(dormant.tape.chunkCrcs)
  expect(makeSnapshot(disk, 4).chunks).toEqual(chunks)
})

function firstOf(tape: Tape): number {
  return tape.u32Of(0)[tape.at(0)]
}

/** What the newest snapshot of a folder says of its chunks. */
function chunksOf(disk: ImageDisk) {
  const path = listDataFiles(disk, FOLDER).snapshots.at(-1)?.path ?? ''
  const contents = readContents(disk.open(path), path)
  expect(contents?.version).toBe(SNAPSHOT_VERSION)
  return contents?.chunks
}

function badOnes(disk: ImageDisk): ReturnType<typeof verifyFolder> {
  const newEngine = () => archivedEngine(disk, FOLDER, SIZES)
  const about = { disk, folder: FOLDER, written: null }
  const checks = verifyFolder({ ...about, newEngine, progress: SILENT, onCheck: () => {} })
  return checks.filter(({ isGood }) => !isGood)
}

function verdictOn(disk: ImageDisk): Verdict {
  const snapshots = files.snapshots.map((file) => reportSnapshot(disk, file))
  const about = { disk, folder: FOLDER, written: null, boot: '', chunkRecords }
  return runToEnd(startSteps({ ...about, files, snapshots }))
}
