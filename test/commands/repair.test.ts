import fs from 'node:fs'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { carryOut, planRepair } from '../../src/commands/repair.ts'
import { runCommand } from '../../src/commands/run-command.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { contentsOf, filesOf, flipByte } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import {
  ask,
  crowdOfLines,
  filledFolder,
  makeLater,
  Run,
  type RunOptions,
  spoilSector,
} from './folders.ts'

const OPTIONS: RunOptions = { batch: 1, fsync: 'off' }
/** What was synced can be told to be damaged or missing. */
const SYNCED: RunOptions = { batch: 10 }

/** Digest of the state behind the first events, taken in the same batches. */
function digestAt(events: readonly FeedEvent[], seq: number, options = OPTIONS): string {
  const run = new Run(newFolder(), { ...options, fsync: 'off' })
  return run.take(events.slice(0, seq)).close().digest
}

test('a repair of damage in the middle keeps all before it and the next start has a new epoch', async () => {
  const { folder, run, events } = filledFolder(SYNCED)
  flipByte(filesOf(folder, 'journal-').at(-1) ?? '', 60_000)
  expect(() => new Run(folder, SYNCED)).toThrow('The journal is damaged in the middle')
  const refusal = (await ask('inspect', '--data-dir', folder)).output
  const until = /repair --until (\d+)/.exec(refusal)?.[1] ?? ''
  const { code, output } = await ask('repair', '--data-dir', folder, '--until', until, '--yes')
  expect(code).toBe(0)
  expect(output).toMatch(/[\d,]+ bytes of journal, \d+ whole frames/)
  const next = new Run(folder, SYNCED)
  expect(next.journal.seq).toBe(Number(until))
  expect(next.recovered.epoch).not.toBe(run.recovered.epoch)
  expect(next.digest).toBe(digestAt(events, Number(until), SYNCED))
  next.take(events.slice(Number(until))).close()
  expect(next.digest).toBe(run.digest)
  expect((await ask('verify', '--data-dir', folder)).code).toBe(0)
})

test('what was given up lies whole in a folder of its own', async () => {
  const { folder, events } = filledFolder({ ...OPTIONS, segmentBytes: 60_000 })
  const before = contentsOf(folder)
  const { output } = await ask('repair', '--data-dir', folder, '--until', '700', '--yes')
  expect(output).toContain('Events from seq 700 on (as far as can be told to 1,499)')
  const [givenUp] = filesOf(folder, 'given-up-')
  const kept = contentsOf(folder)
  const moved = contentsOf(givenUp)
  for (const [name, bytes] of Object.entries(before)) {
    // It says how far the journal goes now.
    if (name === 'written') continue
    const tail = Object.keys(moved).find((other) => other.startsWith(`${name}.from-byte-`))
    if (tail === undefined) expect(moved[name] ?? kept[name]).toBe(bytes)
    else expect(joined(kept[name], moved[tail])).toBe(bytes)
  }
  expect(Object.keys(moved)).toContain('snapshot-0000000000001000.mfs')
  const next = new Run(folder, OPTIONS)
  expect(next.recovered.snapshotSeq).toBe(500)
  expect(next.digest).toBe(digestAt(events, 700))
})

test.each([500, 501, 999, 1_000, 1_001, 1_499])('a repair until seq %i starts there', (until) => {
  const { folder, run, events } = filledFolder(OPTIONS)
  const disk = new NodeDisk()
  carryOut(disk, folder, planRepair(disk, folder, until, 65_536), new Date())
  const next = new Run(folder, OPTIONS)
  expect(next.journal.seq).toBe(until)
  expect(next.recovered.epoch).not.toBe(run.recovered.epoch)
  expect(next.recovered.loss).toBeNull()
  expect(next.recovered.cut).toBeNull()
  expect(next.digest).toBe(digestAt(events, until))
})

test('a frame that reaches beyond goes whole', async () => {
  const { folder } = filledFolder({ batch: 100 })
  const { output } = await ask('repair', '--data-dir', folder, '--until', '1150', '--yes')
  expect(output).toContain('the next start begins at seq 1100 with a new epoch')
})

test('chunks of the tape behind the snapshot go too, those it needs stay', () => {
  const options = { ...OPTIONS, chunkRecords: 128 }
  const { folder, events } = filledFolder(options)
  const disk = new NodeDisk()
  const plan = planRepair(disk, folder, 600, 128)
  expect(plan.chunks.map(({ number }) => number)).toEqual([3, 4, 5, 6])
  carryOut(disk, folder, plan, new Date())
  const next = new Run(folder, options).take(events.slice(600)).snapshot().close()
  expect(new Run(folder, options).digest).toBe(next.digest)
})

test('where a chunk is gone it goes back to the snapshot that does without it, and keeps every event', () => {
  const options = { ...SYNCED, chunkRecords: 128 }
  const { folder, run } = filledFolder(options)
  fs.rmSync(filesOf(folder, 'tape-').at(-1) ?? '')
  expect(() => new Run(folder, options)).toThrow('mintfeed repair --until 9007199254740991')
  const disk = new NodeDisk()
  const plan = planRepair(disk, folder, Number.MAX_SAFE_INTEGER, 128)
  expect(plan).toMatchObject({ cut: null, segments: [], frames: 0, bytes: 0 })
  expect(plan.snapshots.map(({ number }) => number)).toEqual([1_000])
  carryOut(disk, folder, plan, new Date())
  const next = new Run(folder, options)
  expect(next.recovered.snapshotSeq).toBe(500)
  expect(next.journal.seq).toBe(run.journal.seq)
  expect(next.digest).toBe(run.digest)
  next.snapshot().close()
  expect(new Run(folder, options).digest).toBe(run.digest)
})

test('where a chunk is gone that each snapshot needs nothing is given up in vain', () => {
  const options = { ...SYNCED, chunkRecords: 128 }
  const { folder } = filledFolder(options)
  const before = contentsOf(folder)
  fs.rmSync(filesOf(folder, 'tape-')[0])
  const disk = new NodeDisk()
  const until = (seq: number) => () => planRepair(disk, folder, seq, 128)
  for (const seq of [700, 1_200, Number.MAX_SAFE_INTEGER])
    expect(until(seq)).toThrow('no whole snapshot with its chunks at or before')
  expect(Object.keys(contentsOf(folder)).length).toBe(Object.keys(before).length - 1)
})

test('what the start says of a chunk that is gone brings it up again, with every event', async () => {
  const folder = newFolder()
  const options = { fsync: 'off', batch: 1_000 } as const
  const events = crowdOfLines(7, TAPE_CHUNK_RECORDS + 200)
  const run = new Run(folder, options).take(events.slice(0, 500)).snapshot()
  run.take(events.slice(500)).snapshot().close()
  fs.rmSync(filesOf(folder, 'tape-')[0])
  const refusal = await ask('inspect', '--data-dir', folder)
  expect(refusal.code).toBe(1)
  const until = /mintfeed repair --until (\d+)/.exec(refusal.output)?.[1] ?? ''
  const { code, output } = await ask('repair', '--data-dir', folder, '--until', until, '--yes')
  expect(output).toContain('No event will be given up')
  expect(output).toContain(`the next start begins at seq ${run.journal.seq} `)
  expect(code).toBe(0)
  expect((await ask('inspect', '--data-dir', folder)).code).toBe(0)
  expect((await ask('verify', '--data-dir', folder)).code).toBe(0)
  expect(new Run(folder, options).recovered).toMatchObject({ snapshotSeq: 500, cut: null })
})

test('with a snapshot of which the journal is gone events are given up', async () => {
  const { folder } = filledFolder(SYNCED)
  for (const path of filesOf(folder, 'journal-')) fs.rmSync(path)
  const { code, output } = await ask('repair', '--data-dir', folder, '--until', '700', '--yes')
  expect(output).toContain('Events from seq 500 on (as far as can be told to 999) will be given up')
  expect(code).toBe(0)
  expect(new Run(folder, SYNCED).journal.seq).toBe(500)
})

test('a missing segment is given up with all behind it', async () => {
  const { folder, events } = filledFolder({ ...SYNCED, segmentBytes: 30_000 })
  fs.rmSync(filesOf(folder, 'journal-').at(-2) ?? '')
  expect(() => new Run(folder, SYNCED)).toThrow('is missing')
  // The sentence says how to keep what comes before it.
  const refusal = (await ask('inspect', '--data-dir', folder)).output
  const until = /mintfeed repair --until (\d+)/.exec(refusal)?.[1] ?? ''
  const { code } = await ask('repair', '--data-dir', folder, '--until', until, '--yes')
  expect(code).toBe(0)
  const next = new Run(folder, SYNCED)
  expect(next.journal.seq).toBeGreaterThan(1_000)
  expect(next.journal.seq).toBe(Number(until))
  expect(next.digest).toBe(digestAt(events, next.journal.seq, SYNCED))
})

test.each([
  ['header', 10],
  ['frames', 5_000],
])(
  'a segment with %s that cannot be read any more is given up whole, with all behind it',
  async (_what, byte) => {
    const { folder, events } = filledFolder({ ...SYNCED, segmentBytes: 30_000 })
    const [spoilt, behind] = filesOf(folder, 'journal-').slice(-2)
    const bytes = fs.statSync(spoilt).size + fs.statSync(behind).size
    spoilSector(spoilt, byte)
    expect(() => new Run(folder, SYNCED)).toThrow('EIO')
    const { code, output } = await ask('repair', '--data-dir', folder, '--until', '9999', '--yes')
    expect(code).toBe(0)
    expect(output).toContain(`${bytes.toLocaleString('en-US')} bytes of journal`)
    const [givenUp] = filesOf(folder, 'given-up-')
    expect(filesOf(givenUp, 'journal-').map((path) => basename(path))).toEqual(
      [spoilt, behind].map((path) => basename(path)),
    )
    // The bad sector went with its file: a new one has the name.
    vi.restoreAllMocks()
    const next = new Run(folder, SYNCED)
    expect(next.journal.seq).toBeGreaterThan(1_000)
    expect(next.digest).toBe(digestAt(events, next.journal.seq, SYNCED))
  },
)

test('where the first segment cannot be read and no snapshot is left, that is what is said', () => {
  const { folder } = filledFolder({ ...SYNCED, segmentBytes: 30_000 })
  for (const path of filesOf(folder, 'snapshot-')) fs.rmSync(path)
  spoilSector(filesOf(folder, 'journal-')[0], 5_000)
  expect(() => planRepair(new NodeDisk(), folder, 9_999, 65_536)).toThrow(
    'and no segment of the journal that can be read begins at 0: there is nothing to go back to.',
  )
})

test('what follows in place of a segment that cannot be read goes on where the one before it ends', async () => {
  const { folder, run, events } = filledFolder(SYNCED)
  const [newest] = filesOf(folder, 'snapshot-').slice(-1)
  spoilSector(filesOf(folder, 'journal-').at(-1) ?? '', 5_000)
  const { code } = await ask('repair', '--data-dir', folder, '--until', '9999', '--yes')
  expect(code).toBe(0)
  vi.restoreAllMocks()
  const next = new Run(folder, SYNCED)
  expect(next.journal.seq).toBe(1_000)
  next.take(events.slice(1_000)).close()
  // The snapshot before it needs both.
  flipByte(newest, 2_000)
  const last = new Run(folder, SYNCED)
  expect(last.recovered.snapshotSeq).toBe(500)
  expect(last.digest).toBe(run.digest)
})

test('a segment of another journal that begins at the very seq is given up', () => {
  const options = { ...SYNCED, segmentBytes: 30_000 }
  const { folder, events } = filledFolder(options)
  const { folder: other } = filledFolder(options)
  const [last, foreign] = [folder, other].map((one) => filesOf(one, 'journal-').at(-1) ?? '')
  fs.copyFileSync(foreign, last)
  const disk = new NodeDisk()
  const plan = planRepair(disk, folder, 9_999, 65_536)
  expect(plan.segments.map(({ path }) => path)).toEqual([last])
  expect(plan).toMatchObject({ cut: null, lastSeq: events.length })
  carryOut(disk, folder, plan, new Date())
  const next = new Run(folder, options)
  expect(next.journal.seq).toBeGreaterThan(1_000)
  expect(next.digest).toBe(digestAt(events, next.journal.seq, SYNCED))
})

test('a journal that is gone behind its snapshot goes on behind that', () => {
  const { folder, events } = filledFolder(OPTIONS)
  fs.rmSync(filesOf(folder, 'journal-').at(-1) ?? '')
  flipByte(filesOf(folder, 'journal-')[0], 5_000)
  const disk = new NodeDisk()
  carryOut(disk, folder, planRepair(disk, folder, 1_000, 65_536), new Date())
  const next = new Run(folder, OPTIONS).take(events.slice(1_000)).close()
  expect(new Run(folder, OPTIONS).digest).toBe(next.digest)
})

test('a repair that is interrupted at any step can be run again', () => {
  const options = { ...OPTIONS, segmentBytes: 60_000 }
  const { folder, events, run } = filledFolder(options)
  const reference = digestAt(events, 700)
  for (let steps = 0, isDone = false; !isDone; steps += 1) {
    const at = newFolder()
    fs.cpSync(folder, at, { recursive: true })
    isDone = interrupted(at, steps)
    const disk = new NodeDisk()
    const again = planRepair(disk, at, 700, 65_536)
    if (!again.isNothing) carryOut(disk, at, again, new Date())
    const next = new Run(at, OPTIONS)
    expect(next.digest).toBe(reference)
    expect(next.recovered.epoch).not.toBe(run.recovered.epoch)
  }
})

test('what is given up is on the disk by its name before anything of it goes', () => {
  const { folder } = filledFolder({ ...OPTIONS, segmentBytes: 60_000 })
  const told: string[] = []
  const disk = new TellingDisk(told)
  const givenUp = carryOut(disk, folder, planRepair(disk, folder, 700, 65_536), new Date())
  const synced = told.indexOf(`sync ${givenUp}`)
  expect(synced).toBeGreaterThanOrEqual(0)
  // The first sync of the folder itself is that of the new folder's name.
  expect(told.indexOf(`sync ${folder}`, 1)).toBeGreaterThan(synced)
  expect(told.indexOf('cut')).toBeGreaterThan(synced)
})

test('damage in a run without events right behind a snapshot is found', async () => {
  const folder = newFolder()
  const events = crowdOfLines(13, 60)
  new Run(folder).take(events.slice(0, 20)).close().snapshot()
  const quiet = new Run(folder).close()
  new Run(folder).take(events.slice(20)).close()
  flipByte(filesOf(folder, 'journal-')[quiet.journal.segment - 1], 150)
  expect(() => new Run(folder)).toThrow('The journal is damaged in the middle')
  const { code, output } = await ask('repair', '--data-dir', folder, '--until', '1000', '--yes')
  expect(code).toBe(0)
  expect(output).toContain('the next start begins at seq 20')
  const next = new Run(folder)
  expect([next.journal.seq, next.recovered.cut]).toEqual([20, null])
})

test('where nothing is to be given up nothing changes', async () => {
  const { folder } = filledFolder(OPTIONS)
  const before = contentsOf(folder)
  const { code, output } = await ask('repair', '--data-dir', folder, '--until', '1500', '--yes')
  expect([code, output]).toEqual([
    0,
    'Nothing reaches beyond seq 1500, and no damage keeps the service from starting.\n',
  ])
  expect(contentsOf(folder)).toEqual(before)
})

test('a place before all snapshots is refused, and nothing changes', async () => {
  const { folder } = filledFolder(OPTIONS)
  const before = contentsOf(folder)
  const { code, errors } = await ask('repair', '--data-dir', folder, '--until', '400', '--yes')
  expect(code).toBe(3)
  expect(errors).toContain('Snapshots are at 500, 1000')
  expect(contentsOf(folder)).toEqual(before)
})

test('a folder in which a later version has written is refused, and nothing changes', async () => {
  const { folder } = filledFolder(OPTIONS)
  makeLater(filesOf(folder, 'snapshot-')[1])
  const before = contentsOf(folder)
  const { code, errors } = await ask('repair', '--data-dir', folder, '--until', '1200', '--yes')
  expect(code).toBe(3)
  expect(errors).toContain('written by a later version of mintfeed')
  expect(contentsOf(folder)).toEqual(before)
})

test('an empty folder has nothing to repair', async () => {
  const folder = newFolder()
  expect((await ask('repair', '--data-dir', folder, '--until', '0', '--yes')).code).toBe(0)
  expect(fs.existsSync(join(folder, 'lock'))).toBe(false)
})

test('without a terminal and without --yes it refuses, and without --until too', async () => {
  const { folder } = filledFolder(OPTIONS)
  const unsure = await ask('repair', '--data-dir', folder, '--until', '700')
  expect(unsure.code).toBe(2)
  expect(unsure.errors).toContain('--yes')
  const aimless = await ask('repair', '--data-dir', folder, '--yes')
  expect(aimless.code).toBe(2)
  expect(aimless.errors).toContain('--until')
})

/** Says which folders were synced, and where a file was cut, in order. */
class TellingDisk extends NodeDisk {
  readonly #told: string[]

  constructor(told: string[]) {
    super()
    this.#told = told
  }

  override syncFolder(folder: string) {
    this.#told.push(`sync ${folder}`)
    super.syncFolder(folder)
  }

  override open(path: string) {
    const file = super.open(path)
    const truncate = file.truncate.bind(file)
    file.truncate = (size) => {
      this.#told.push('cut')
      truncate(size)
    }
    return file
  }
}

/** Repairs with a disk that fails after so many renames and cuts; true when that was enough. */
function interrupted(folder: string, steps: number): boolean {
  let left = steps
  const step = () => {
    left -= 1
    if (left < 0) throw new Error('interrupted')
  }
  class FailingDisk extends NodeDisk {
    override rename(from: string, to: string) {
      step()
      super.rename(from, to)
    }

    override open(path: string) {
      const file = super.open(path)
      const truncate = file.truncate.bind(file)
      file.truncate = (size) => {
        step()
        truncate(size)
      }
      return file
    }
  }
  try {
    carryOut(
      new FailingDisk(),
      folder,
      planRepair(new NodeDisk(), folder, 700, 65_536),
      new Date(0),
    )
    return true
  } catch {
    return false
  }
}

function joined(head = '', tail = ''): string {
  return Buffer.concat([Buffer.from(head, 'base64'), Buffer.from(tail, 'base64')]).toString(
    'base64',
  )
}

test.each([
  ['the end of the input', '', 1],
  ['another word', 'no\n', 1],
  ['yes', 'yes\n', 0],
])('the question whether to give up takes %s for an answer', async (_, typed, expected) => {
  const { folder } = filledFolder(OPTIONS)
  const before = contentsOf(folder)
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  stdin.end(typed)
  const terminal = { stdin, stdout, stderr, environment: {} }
  const args = ['repair', '--data-dir', folder, '--until', '500']
  expect(await runCommand(args, terminal)).toBe(expected)
  if (expected === 1) expect(contentsOf(folder)).toEqual(before)
  expect(fs.existsSync(join(folder, 'lock'))).toBe(false)
})
