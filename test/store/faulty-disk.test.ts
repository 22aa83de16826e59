import { expect, test } from 'vitest'
import { codeOf } from '../../src/base/errors.ts'
import type { Config } from '../../src/config/config.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { compact } from '../../src/store/compaction/compaction.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { recover } from '../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../lengths.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { Random } from '../oracle/random.ts'
import { CrashDisk, type Fault } from './disks/crash-disk.ts'
import { CrashService, newUuid, recoverFrom } from './disks/crash-service.ts'
import { FOLDER, Story } from './disks/story.ts'

const FAULTS: readonly Fault[] = [
  { code: 'EIO' },
  { code: 'ENOSPC', stays: true },
  { code: 'EIO', takes: 0.4 },
  { code: 'ENOSPC', takes: 0.9, stays: true },
  { code: null, takes: 0.5 },
]
/** One in so many runs asks everything that can be asked. */
const READ_EVERY = 12
/** A snapshot is hundreds of appends and reads alike: one in so many fails; 1 for each of them. */
const STRIDE = Number(process.env.FAULT_STRIDE ?? 16)
/** One call in so many is tried: each of them, or in the short form a few. */
const CALLS_EVERY = byLength(7, 1)
const PATIENCE_MS = 300_000
const BOOT = newUuid()

/** What a run on a faulty disk came to. */
interface Run {
  readonly service: CrashService
  readonly published: number
}

/** Shorter than some batches. */
const RING_BYTES = 2_000

const JOURNALS: readonly { fsync: Config['fsync']; ringBytes: number | null }[] = [
  { fsync: 'group', ringBytes: null },
  { fsync: 'group', ringBytes: RING_BYTES },
  { fsync: 'always', ringBytes: null },
  { fsync: 'off', ringBytes: null },
]

for (const { fsync, ringBytes } of JOURNALS)
  test(`a journal that was refused at any call folds nothing of it, and ends, fsync ${fsync}, ring ${ringBytes}`, {
    timeout: PATIENCE_MS,
  }, () => {
    const story = new Story(3, 60, fsync, 'event', ringBytes)
    const whole = new CrashDisk()
    serve(story, whole)
    let refused = 0
    for (const fault of FAULTS)
      for (const call of callsToFail(whole.calls, fault)) {
        const disk = new CrashDisk()
        disk.failAt(call, fault)
        const run = served(story, disk, fault, call % READ_EVERY === 0)
        if (run !== null && run.service.journal.failure !== null) refused += 1
        disk.heal()
        const where = `fault ${JSON.stringify(fault)} at call ${call}`
        expectRecovery(story, disk.kill(), run?.published ?? 0, where)
      }
    console.info(
      `fsync ${fsync}, ring ${ringBytes}: ${whole.operations} calls, ${refused} journals refused`,
    )
    expect(refused).toBeGreaterThan(whole.operations / CALLS_EVERY)
  })

test('a compaction that fails at any call leaves everything a recovery needs', {
  timeout: PATIENCE_MS,
}, () => {
  const story = new Story(5, 260, 'group', 'event')
  const before = preparedDisk(story)
  const whole = before.kill()
  const segments = listDataFiles(before, FOLDER).segments.length
  runToEnd(compaction(story, whole))
  expect(listDataFiles(whole, FOLDER).segments.length).toBeLessThan(segments)
  let failed = 0
  let tries = 0
  for (const fault of FAULTS)
    for (const call of callsToFail(whole.calls, fault)) {
      const disk = before.kill()
      disk.failAt(call, fault)
      tries += 1
      if (!compactsWell(story, disk)) failed += 1
      disk.heal()
      expectOlderFiles(before, disk, `fault ${JSON.stringify(fault)} at call ${call}`)
      expectRecovery(story, disk, story.count, `fault ${JSON.stringify(fault)} at call ${call}`)
    }
  console.info(`compaction: ${whole.operations} calls, ${tries} faults, ${failed} of them failed`)
  expect(failed).toBeGreaterThan(tries / 2)
})

test('a recovery that fails at any call can be made again and comes to the same', {
  timeout: PATIENCE_MS,
}, () => {
  const story = new Story(5, 200, 'group', 'event')
  for (let seed = 1; seed <= byLength(2, 4); seed += 1) {
    const image = tornDisk(story, seed)
    const whole = image.kill()
    const { recovered } = recoverFrom(story, whole, BOOT)
    expect(recovered.cut, `seed ${seed}`).not.toBeNull()
    expect(recovered.damagedSnapshots.length).toBe(1)
    for (const fault of FAULTS)
      for (const call of callsToFail(whole.calls, fault)) {
        const disk = image.kill()
        disk.failAt(call, fault)
        const where = `seed ${seed}, fault ${JSON.stringify(fault)} at call ${call}`
        if (!recoversWell(story, disk)) disk.heal()
        const again = recoverFrom(story, disk, BOOT)
        expect(again.recovered.place.seq, where).toBe(recovered.place.seq)
        const digest = stateDigest(again.engine.parts)
        expect(story.isStateAt(recovered.place.seq, digest), where).toBe(true)
      }
  }
})

/** Calls that may take some of their bytes before they fail. */
const TAKES_BYTES = /^(append|write at a place )/

/** Numbers of the calls at which a fault is tried: what takes bytes is only for appends. */
function callsToFail(calls: readonly string[], { takes }: Fault): number[] {
  const numbered = calls.map((what, i) => ({ what, call: i + 1 }))
  const fitting = numbered.filter(({ what }) => takes === undefined || TAKES_BYTES.test(what))
  const alike = (what: string) => /^(append|read) snapshot/.test(what)
  return fitting
    .filter(({ what, call }) => !alike(what) || call % STRIDE === 0)
    .filter((_, i) => i % CALLS_EVERY === 0)
    .map(({ call }) => call)
}

/** A service from its first start over a stop to its end; background syncs end as they come. */
function serve(story: Story, disk: CrashDisk, onBatch?: (service: CrashService) => void): Run {
  let service = new CrashService(story, disk, BOOT)
  let published = service.journal.seq
  for (const [i, batch] of story.batches.entries()) {
    const { leftOut } = service.journaled
    service.feed(batch)
    if (service.journaled.leftOut === leftOut) published = service.journal.seq
    onBatch?.(service)
    if (i % 3 !== 0) disk.settle()
    if (i !== Math.floor(story.batches.length / 2) || service.journal.failure !== null) continue
    service.journal.close()
    if (service.journal.failure === null) service = new CrashService(story, disk, BOOT)
  }
  return { service, published }
}

/** As `serve` on a disk that fails, watched; null when the service could not start. */
function served(story: Story, disk: CrashDisk, fault: Fault, isRead: boolean): Run | null {
  const watch = new Watch(story, disk, isRead)
  try {
    const run = serve(story, disk, (service) => watch.look(service))
    watch.end(run)
    return run
  } catch (error) {
    // Only a start may throw: at the beginning, or after the stop in the middle.
    if (!(error instanceof StoreError) && codeOf(error) !== fault.code) throw error
    return watch.last === null ? null : { service: watch.last, published: watch.seen }
  }
}

/** Sees to it that a journal which was refused does nothing more, and its engine neither. */
class Watch {
  last: CrashService | null = null
  /** Events folded so far. */
  seen = 0
  readonly #story: Story
  readonly #disk: CrashDisk
  readonly #reads: boolean
  #batches = 0
  /** Of the moment the failure was seen. */
  #calls = -1
  #state = ''
  #answers: Map<string, string> | null = null
  #leftOut = 0

  constructor(story: Story, disk: CrashDisk, reads: boolean) {
    this.#story = story
    this.#disk = disk
    this.#reads = reads
  }

  look(service: CrashService): void {
    this.last = service
    const { journal, journaled, engine } = service
    const batch = this.#story.batches[this.#batches]
    this.#batches += 1
    if (journal.failure === null) {
      this.seen = batch.from + batch.events.length
      expect(journaled.leftOut).toBe(0)
      return
    }
    if (this.#calls < 0) this.#noteFailure(service, batch.from)
    if (journaled.leftOut > 0) this.#leftOut += batch.events.length
    expect(journaled.leftOut).toBe(this.#leftOut)
    expect(this.#disk.operations).toBe(this.#calls)
    expect(foldedDigest(engine)).toBe(this.#state)
  }

  end({ service }: Run): void {
    if (service.journal.failure === null) return
    expect(service.failures.length).toBe(1)
    service.journal.close()
    this.#disk.settle()
    if (this.#calls >= 0) expect(this.#disk.operations).toBe(this.#calls)
    if (this.#answers === null) return
    expect(firstUnlike(this.#answersOf(service.engine), this.#answers)).toBeNull()
  }

  #noteFailure(service: CrashService, from: number): void {
    const { journal, engine } = service
    expect(journal.failure).toBeInstanceOf(StoreError)
    expect(journal.failure?.message).toMatch(/^The disk refused the journal \(.+\): no events/)
    expect(this.seen).toBe(from)
    expect(this.#story.isStateAt(from, stateDigest(engine.parts))).toBe(true)
    this.#calls = this.#disk.operations
    this.#state = foldedDigest(engine)
    if (this.#reads) this.#answers = this.#answersOf(engine)
  }

  #answersOf(engine: Engine): Map<string, string> {
    return everyRead(
      engine,
      this.#story.batches.flatMap(({ events }) => events),
    )
  }
}

/** The book is left out: events that are left out may have named something new before. */
function foldedDigest(engine: Engine): string {
  return stateDigest(engine.parts.filter(({ name }) => !name.includes('address')))
}

/** What was seen is there once the disk works again, and the service goes on to the end. */
function expectRecovery(story: Story, disk: CrashDisk, published: number, where: string): void {
  const { engine, recovered } = recoverFrom(story, disk, BOOT)
  const n = recovered.place.seq
  expect(n, where).toBeGreaterThanOrEqual(published)
  expect(story.isStateAt(n, stateDigest(engine.parts)), where).toBe(true)
  if (n === story.count || disk.operations % READ_EVERY !== 0) return
  const service = new CrashService(story, disk, BOOT)
  for (const { from, events } of story.batches)
    if (from + events.length > service.journal.seq) feedNext(story, service)
  expect(stateDigest(service.engine.parts), where).toBe(story.end)
}

function feedNext(story: Story, service: CrashService): void {
  const { seq } = service.journal
  const next = story.batches.find(({ from, events }) => from + events.length > seq)
  if (next !== undefined) service.feed(next)
}

/** A disk with two snapshots, chunks of the tape, a closed journal and something to compact. */
function preparedDisk(story: Story): CrashDisk {
  const disk = new CrashDisk()
  const service = new CrashService(story, disk, BOOT)
  const third = Math.floor(story.batches.length / 3)
  for (const [i, batch] of story.batches.entries()) {
    service.feed(batch)
    disk.settle()
    if (i !== third && i !== third * 2) continue
    service.beginCompaction()
    while (service.isCompacting) service.step()
  }
  service.journal.close()
  return disk.kill()
}

function compaction(story: Story, disk: CrashDisk) {
  const newEngine = () => story.newEngine(disk)
  return compact({ disk, folder: FOLDER, untilSegment: 1_000, newEngine, keepsJournal: false })
}

function compactsWell(story: Story, disk: CrashDisk): boolean {
  try {
    runToEnd(compaction(story, disk))
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return false
  }
}

/** Nothing older goes before the new snapshot is there. */
function expectOlderFiles(before: CrashDisk, after: CrashDisk, where: string): void {
  const old = listDataFiles(before, FOLDER)
  const now = listDataFiles(after, FOLDER)
  const names = ({ snapshots, segments }: typeof old) =>
    [...snapshots, ...segments].map(({ name }) => name)
  const hasNew = now.snapshots.some(({ number }) => number > (old.snapshots.at(-1)?.number ?? 0))
  if (!hasNew) expect(names(now), where).toEqual(names(old))
}

/** A disk whose journal has a torn tail and whose newest snapshot is damaged. */
function tornDisk(story: Story, seed: number): CrashDisk {
  const disk = preparedDisk(story)
  const random = new Random(seed)
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  const last = disk.open(segments.at(-1)?.path ?? '')
  last.truncate(last.size() - random.integer(41, 200))
  disk.open(snapshots.at(-1)?.path ?? '').truncate(random.integer(0, 10_000))
  return disk.kill()
}

function recoversWell(story: Story, disk: CrashDisk): boolean {
  try {
    const newEngine = () => story.newEngine(disk)
    const about = { disk, folder: FOLDER, boot: BOOT, written: null }
    const options = { ...about, newEngine, newEpoch: newUuid }
    runToEnd(recover({ ...options, engine: newEngine() }))
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return false
  }
}
