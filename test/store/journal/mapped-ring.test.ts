import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { loadMapFile, type MapFile } from '../../../src/store/disk/kernel-calls.ts'
import { FileCommitMarker, readMark } from '../../../src/store/folder/commit-marker.ts'
import { dataPath } from '../../../src/store/folder/data-folder.ts'
import { MappedRing, ringPath } from '../../../src/store/journal/journal-ring.ts'
import { Run } from '../../commands/folders.ts'
import { newFolder } from '../../new-folder.ts'
import { Random } from '../../oracle/random.ts'
import { crowd } from '../crowd.ts'
import { systemError } from '../disks/crash-disk.ts'

const RING_BYTES = 2 << 20

const map = await loadMapFile()

/** Does a folder of this machine's temporary files become memory? Not on btrfs, ZFS or an overlay. */
function isMappable(): boolean {
  const folder = fs.mkdtempSync(join(os.tmpdir(), 'mintfeed-map-'))
  const ring = new MappedRing(folder, map, () => {})
  const memory = ring.begin()
  ring.end()
  fs.rmSync(folder, { recursive: true })
  return memory !== null
}

const CAN = isMappable()
if (!CAN)
  console.info(
    `skipped: no file of ${os.tmpdir()} becomes memory, by its file system or this machine`,
  )

const events = crowd(11, 400)
const swapsOf = (run: Run) => run.engine.counts.swaps

afterEach(() => vi.restoreAllMocks())

/** A folder as a kill would leave it now: files as they read, memory that is a file among them. */
function killed(folder: string): string {
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

test.skipIf(!CAN)(
  'what was written is in the ring at once, and in the segment once it is synced',
  async () => {
    const folder = newFolder()
    const run = new Run(folder, { fsync: 'group', map })
    const path = dataPath(folder, 'segment', 1)
    const before = fs.statSync(path).size
    run.take(events)
    expect(run.journal.segmentSize).toBeGreaterThan(before)
    expect(fs.statSync(path).size).toBeLessThan(run.journal.segmentSize)
    await vi.waitFor(() => expect(run.journal.syncedSeq).toBe(run.journal.seq))
    expect(fs.statSync(path).size).toBe(run.journal.segmentSize)
    run.close()
    expect(fs.existsSync(ringPath(folder))).toBe(false)
  },
)

test.skipIf(!CAN)('a start takes out of the ring what a killed process had in it alone', () => {
  const folder = newFolder()
  const run = new Run(folder, { fsync: 'group', map, batch: 7 })
  run.take(events)
  const left = killed(folder)
  expect(fs.statSync(dataPath(left, 'segment', 1)).size).toBeLessThan(run.journal.segmentSize)
  const again = new Run(left, { fsync: 'group', map })
  expect(again.recovered.ringBytes).toBeGreaterThan(0)
  expect(again.recovered.place.seq).toBe(run.journal.seq)
  expect(again.recovered.cut).toBeNull()
  expect(again.digest).toBe(run.digest)
  expect(fs.statSync(dataPath(left, 'segment', 1)).size).toBe(run.journal.segmentSize)
  for (const one of [run, again]) one.close()
})

test.skipIf(!CAN)(
  'a start without a ring of its own takes what was left in one, and then the ring away',
  () => {
    const folder = newFolder()
    const run = new Run(folder, { fsync: 'group', map })
    run.take(events)
    const left = killed(folder)
    const again = new Run(left, { fsync: 'always' })
    expect(again.recovered.place.seq).toBe(run.journal.seq)
    expect(fs.existsSync(ringPath(left))).toBe(false)
    for (const one of [run, again]) one.close()
  },
)

test.skipIf(!CAN)('what a ring has is put into segments that fill while nothing is synced', () => {
  const folder = newFolder()
  const run = new Run(folder, { fsync: 'group', map, segmentBytes: 30_000, batch: 40 })
  for (let i = 0; i < 30; i++) run.take(crowd(i, 400))
  expect(run.journal.segment).toBeGreaterThan(3)
  const again = new Run(killed(folder), { fsync: 'group', map })
  expect(again.recovered.place.seq).toBe(run.journal.seq)
  expect(again.digest).toBe(run.digest)
  for (const one of [run, again]) one.close()
})

test.skipIf(!CAN)(
  'a ring of another life of the folder, of which some stores are missing, adds nothing wrong',
  () => {
    const folder = newFolder()
    const run = new Run(folder, { fsync: 'group', map, batch: 9 })
    run.take(events)
    const whole = fs.readFileSync(ringPath(folder))
    const random = new Random(20_261_126)
    let partly = 0
    for (let i = 0; i < 40; i++) {
      const left = killed(folder)
      const ring = Buffer.from(whole)
      const from = random.integer(0, run.journal.segmentSize)
      ring.fill(random.integer(0, 255), from, from + random.integer(1, 512))
      fs.writeFileSync(ringPath(left), ring)
      const again = new Run(left, { fsync: 'always' })
      const { seq } = again.recovered.place
      expect(seq).toBeLessThanOrEqual(run.journal.seq)
      if (seq > 0 && seq < run.journal.seq) partly += 1
      again.close()
    }
    expect(partly).toBeGreaterThan(5)
    run.close()
  },
)

test.skipIf(!CAN)(
  'a sync that the disk refuses ends the journal, and the ring keeps what the segment has not',
  async () => {
    const folder = newFolder()
    vi.spyOn(fs, 'writev').mockImplementation((...given: unknown[]) => {
      const done = given.at(-1)
      if (typeof done === 'function') setImmediate(() => done(systemError('ENOSPC', 'write'), 0))
    })
    const failures: unknown[] = []
    const run = new Run(folder, {
      fsync: 'group',
      map,
      onFailure: (failure) => failures.push(failure),
    })
    run.take(events)
    await vi.waitFor(() => expect(failures).toHaveLength(1))
    expect(run.journal.failure?.message).toMatch(/ENOSPC|no space/)
    run.journal.close()
    vi.restoreAllMocks()
    const again = new Run(killed(folder), { fsync: 'always' })
    expect(again.recovered.place.seq).toBe(run.journal.seq)
    expect(swapsOf(again)).toBe(swapsOf(run))
    again.close()
  },
)

test.skipIf(!CAN)(
  'writes that are interrupted or cut short go on, in the background too',
  async () => {
    const { writev, writeSync } = fs
    const folder = newFolder()
    const run = new Run(folder, { fsync: 'group', map })
    let calls = 0
    const short = (length: number) => Math.min(length, 100)
    vi.spyOn(fs, 'writev').mockImplementation((...given: unknown[]) => {
      const [fd, parts, position, done] = given
      calls += 1
      if (typeof done !== 'function' || !Array.isArray(parts)) throw new Error('another form')
      if (calls % 2 === 1) setImmediate(() => done(systemError('EINTR', 'write'), 0))
      else Reflect.apply(writev, fs, [fd, [parts[0].subarray(0, 100)], position, done])
    })
    run.take(events)
    await vi.waitFor(() => expect(run.journal.syncedSeq).toBe(run.journal.seq), { timeout: 5_000 })
    vi.spyOn(fs, 'writeSync').mockImplementation((...given: unknown[]) => {
      calls += 1
      if (calls % 2 === 1) throw systemError('EINTR', 'write')
      const [fd, bytes, ...where] = given
      if (where.length < 3) return Reflect.apply(writeSync, fs, given)
      return Reflect.apply(writeSync, fs, [fd, bytes, where[0], short(Number(where[1])), where[2]])
    })
    run.take(crowd(12, 30))
    run.journal.boundary()
    vi.restoreAllMocks()
    const again = new Run(killed(folder), { fsync: 'always' })
    expect(again.digest).toBe(run.digest)
    for (const one of [run, again]) one.close()
  },
)

test.skipIf(!CAN)('a start in a copy by hard links leaves the original its ring', () => {
  const folder = newFolder()
  const run = new Run(folder, { fsync: 'group', map }).take(events)
  const copy = newFolder()
  for (const name of fs.readdirSync(folder)) fs.linkSync(join(folder, name), join(copy, name))
  const other = new Run(copy, { fsync: 'group', map }).take(crowd(12, 400))
  run.take(crowd(13, 400))
  other.take(crowd(14, 400))
  const again = new Run(killed(folder), { fsync: 'always' })
  expect(again.recovered.place.seq).toBe(run.journal.seq)
  expect(again.digest).toBe(run.digest)
  for (const one of [run, other, again]) one.close()
})

test.skipIf(!CAN)('a journal that syncs each batch, or none, is written to without a ring', () => {
  for (const fsync of ['always', 'off'] as const) {
    const folder = newFolder()
    const run = new Run(folder, { fsync, map }).take(events)
    expect(fs.existsSync(ringPath(folder))).toBe(false)
    expect(fs.statSync(dataPath(folder, 'segment', 1)).size).toBe(run.journal.segmentSize)
    run.close()
  }
})

test.skipIf(!CAN)('what is written in the background lasts when that is told', async () => {
  const { openSync, writev } = fs
  const folder = newFolder()
  /** How the segment's files were opened that are open. */
  const flagsOf = new Map<number, number>()
  vi.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
    const fd = openSync(path, flags, mode)
    if (path === dataPath(folder, 'segment', 1)) flagsOf.set(fd, Number(flags))
    return fd
  })
  const written: boolean[] = []
  vi.spyOn(fs, 'writev').mockImplementation((...given: unknown[]) => {
    const flags = flagsOf.get(Number(given[0]))
    if (flags !== undefined) written.push((flags & fs.constants.O_DSYNC) !== 0)
    Reflect.apply(writev, fs, given)
  })
  const run = new Run(folder, { fsync: 'group', map }).take(events)
  await vi.waitFor(() => expect(run.journal.syncedSeq).toBe(run.journal.seq))
  expect(written.length).toBeGreaterThan(0)
  expect(written).not.toContain(false)
  run.close()
})

test('where a file cannot be memory the journal writes as it does without', () => {
  const refusing: MapFile = () => null
  const folder = newFolder()
  const run = new Run(folder, { fsync: 'group', map: refusing })
  run.take(events)
  expect(fs.existsSync(ringPath(folder))).toBe(false)
  expect(fs.statSync(dataPath(folder, 'segment', 1)).size).toBe(run.journal.segmentSize)
  run.close()
})

test('a disk that has no room for a ring is written to without one', () => {
  const folder = newFolder()
  const never: MapFile = () => {
    throw systemError('ENOSPC', 'mmap')
  }
  expect(new MappedRing(folder, never, () => {}).begin()).toBeNull()
  expect(fs.readdirSync(folder)).toEqual([])
})

test('the whole of a ring is on the disk before it is memory', () => {
  const folder = newFolder()
  const sizes: number[] = []
  const looking: MapFile = (fd, _, bytes) => {
    sizes.push(fs.fstatSync(fd).size, fs.fstatSync(fd).blocks * 512)
    return { bytes: new Uint8Array(bytes), close() {} }
  }
  const ring = new MappedRing(folder, looking, () => {})
  onTestFinished(() => ring.end())
  expect(ring.begin()).toHaveLength(RING_BYTES)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(RING_BYTES)
})

test('a write of two parts goes on wherever it is cut short', async () => {
  const { writev } = fs
  const [first, second] = [Buffer.from('what came first'), Buffer.from(', and then the rest')]
  for (const most of [1, 4, 15, 16, 20]) {
    vi.spyOn(fs, 'writev').mockImplementation((...given: unknown[]) => {
      const [fd, parts, position, done] = given
      if (!Array.isArray(parts)) throw new Error('another form')
      const short = Buffer.concat(parts).subarray(0, most)
      Reflect.apply(writev, fs, [fd, [short], position, done])
    })
    const path = join(newFolder(), 'a segment')
    fs.writeFileSync(path, '')
    const file = new MappedRing(newFolder(), null, () => {}).open(path)
    const error = await new Promise((done) => file.writeSyncedLater([first, second], 0, done))
    file.close()
    vi.restoreAllMocks()
    expect(error).toBeNull()
    expect(fs.readFileSync(path, 'utf8')).toBe(`${first}${second}`)
  }
})

test('memory that a write in the background reads is given back when it has ended', async () => {
  const folder = newFolder()
  const path = join(folder, 'a segment')
  fs.writeFileSync(path, '')
  let closed = 0
  const counting: MapFile = (_, __, bytes) => ({
    bytes: new Uint8Array(bytes).fill(7),
    close: () => {
      closed += 1
    },
  })
  const ring = new MappedRing(folder, counting, () => {})
  const memory = ring.begin() ?? expect.fail('no memory')
  const file = ring.open(path)
  const ended = new Promise((done) => {
    file.writeSyncedLater([memory.subarray(8), memory.subarray(0, 8)], 0, done)
  })
  file.close()
  ring.end()
  expect(closed).toBe(0)
  expect(fs.existsSync(ringPath(folder))).toBe(false)
  expect(await ended).toBeNull()
  expect(closed).toBe(1)
  expect(fs.statSync(path).size).toBe(RING_BYTES)
  ring.end()
  expect(closed).toBe(1)
})

test.skipIf(!CAN)('a mark that is memory says what one that is written does, at each seq', () => {
  const about = { seq: 0, segment: 1, epoch: 'an epoch', boot: 'this boot' }
  const [stored, written] = [map, null].map((how) => {
    const folder = newFolder()
    const mark = new FileCommitMarker(folder, how)
    mark.begin(about)
    expect(mark.isMemory).toBe(how !== null)
    return { folder, mark }
  })
  const random = new Random(7)
  const seqs = Array.from({ length: 300 }, () => random.integer(0, 10 ** random.integer(1, 15)))
  for (const seq of [...seqs, 99_999_999, 100_000_000, 2 ** 53 - 1]) {
    for (const { mark } of [stored, written]) mark.reach(seq)
    const [left, right] = [stored, written].map(({ folder }) => readMark(folder, 'this boot'))
    expect(left?.seq).toBe(seq)
    expect(right?.seq).toBe(seq)
  }
  for (const { mark } of [stored, written]) mark.close(4)
  expect(readMark(stored.folder, 'this boot')).toMatchObject({ segment: 4, isClosed: true })
})
