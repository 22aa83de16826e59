import { expect, test } from 'vitest'
import { TapeDamage } from '../../src/base/errors.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { dataPath, listDataFiles } from '../../src/store/folder/data-folder.ts'
import {
  FRAME,
  frameBytes,
  Kind,
  SEGMENT_HEADER_BYTES,
} from '../../src/store/format/journal-format.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { BadSectorDisk } from './damage/bad-sector-disk.ts'
import {
  BOOT,
  digestsOf,
  EPOCH,
  FOLDER,
  goOn,
  makeSnapshot,
  NEW_EPOCH,
  recovered,
  refusal,
  writtenFolder,
} from './damage/folder.ts'
import type { ImageDisk } from './damage/image-disk.ts'
import { randomBytes } from './damage/journal-run.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)
/** Folders damaged anew at random. */
const RANDOM_FOLDERS = 300
const PATIENCE_MS = 300_000
/** The frame that a stop in order ends a journal with. */
const CLOSED_BYTES = frameBytes(0)
/** Histories tried, most of whose swaps may still be taken back. */
const UNSETTLED_SEEDS = 12
/** So many slots are within the reach of a late event. */
const NEAR_SLOTS = 20
/** Events that a killed process had written and not synced. */
const BEHIND_THE_SYNC = 20

/** One whose swaps settle early enough to leave memory. */
const HISTORY_SEED = 11
const events = history(HISTORY_SEED, 260)
const segmentsAt = [60, 150, 170, 240]
/** Five segments, snapshots before the third and the fifth, chunks of both. */
const whole = writtenFolder({ events, segmentsAt, snapshotsAt: [3, 5] })
const files = listDataFiles(whole, FOLDER)
const digests = digestsOf(whole)
const [older, newest] = files.snapshots
const endSeq = events.length

function flipped(disk: ImageDisk, path: string, at: number): void {
  const bytes = new Uint8Array(disk.bytesOf(path))
  bytes[Math.floor(at)] ^= 4
  disk.files.set(path, bytes)
}

/** The event in a slot that is near those of all others. */
function withinReach(event: FeedEvent): FeedEvent {
  if (!('slot' in event) || event.slot === null) return event
  return { ...event, slot: event.slot % NEAR_SLOTS }
}

function middleOf(disk: ImageDisk, path: string): number {
  return disk.bytesOf(path).length / 2
}

test('the folder has what the tests damage', () => {
  expect(files.segments).toHaveLength(5)
  expect(files.snapshots).toHaveLength(2)
  expect(files.chunks.length).toBeGreaterThan(0)
  const { engine, found } = recovered(whole.copy())
  expect(found).toMatchObject({ loss: null, snapshotSeq: newest.number, cut: null })
  expect(found.place.seq).toBe(endSeq)
  expect(stateDigest(engine.parts)).toBe(digests.get(endSeq)?.at(-1))
})

test('a damaged newest snapshot gives way to the older one and the journal behind it', () => {
  const size = whole.bytesOf(newest.path).length
  for (const at of [0, 9, 20, size * 0.1, size * 0.5, size * 0.9, size - 40, size - 30, size - 1]) {
    const disk = whole.copy()
    flipped(disk, newest.path, at)
    const { engine, found } = recovered(disk)
    expect(found.damagedSnapshots, `byte ${at}`).toEqual([newest.path])
    expect(found).toMatchObject({ snapshotSeq: older.number, loss: null })
    expect(stateDigest(engine.parts)).toBe(digests.get(endSeq)?.at(-1))
    expect(disk.files.has(`${newest.path}.damaged`)).toBe(true)
  }
})

test('a newest snapshot that cannot be read any more gives way as a damaged one does', () => {
  const size = whole.bytesOf(newest.path).length
  for (const at of [0, 9, size >> 1, size - 40, size - 1]) {
    const { found, engine } = recovered(new BadSectorDisk(whole, newest.path, at))
    expect(found.damagedSnapshots, `byte ${at}`).toEqual([newest.path])
    expect(found).toMatchObject({ snapshotSeq: older.number, loss: null })
    expect(stateDigest(engine.parts)).toBe(digests.get(endSeq)?.at(-1))
    const compacted = new BadSectorDisk(whole, newest.path, at)
    expect(makeSnapshot(compacted, 6, false)).toMatchObject({
      seq: endSeq,
      damagedSnapshots: [newest.path],
    })
  }
})

test('a snapshot that this process may not read, or has no descriptor for, is not taken for damaged', () => {
  for (const code of ['EACCES', 'EMFILE']) {
    const disk = new BadSectorDisk(whole, newest.path, 9, code)
    expect(() => recovered(disk)).toThrow(code)
    expect(disk.files).toEqual(whole.files)
  }
})

test('a snapshot that a compactor finds damaged does not count as one of those that are kept', () => {
  // One more snapshot than are kept: it is the newest of the two before that is damaged.
  const disk = writtenFolder({ events, segmentsAt, snapshotsAt: [2, 4] })
  const [first, second] = listDataFiles(disk, FOLDER).snapshots
  flipped(disk, second.path, middleOf(disk, second.path))
  expect(makeSnapshot(disk, 6, false).damagedSnapshots).toEqual([second.path])
  const { snapshots } = listDataFiles(disk, FOLDER)
  expect(snapshots.map(({ number }) => number)).toEqual([first.number, endSeq])
  expect(disk.files.has(`${second.path}.damaged`)).toBe(true)
  // Should the new one be damaged too, the first and the journal behind it are there.
  flipped(disk, snapshots[1].path, middleOf(disk, snapshots[1].path))
  const { engine, found } = recovered(disk)
  expect(found).toMatchObject({ snapshotSeq: first.number, loss: null })
  expect(stateDigest(engine.parts)).toBe(digests.get(endSeq)?.at(-1))
})

test('the first snapshot leaves the whole journal: should it be damaged, there is that', () => {
  const disk = writtenFolder({ events, segmentsAt, snapshotsAt: [] })
  expect(makeSnapshot(disk, 6, false)).toMatchObject({ seq: endSeq, segmentsRemoved: 0 })
  const [{ path }] = listDataFiles(disk, FOLDER).snapshots
  flipped(disk, path, middleOf(disk, path))
  const { engine, found } = recovered(disk)
  expect(found).toMatchObject({ snapshotSeq: null, loss: null, damagedSnapshots: [path] })
  expect(stateDigest(engine.parts)).toBe(digests.get(endSeq)?.at(-1))
})

test('a snapshot leaves to chunks no swap that a late event may still take back', () => {
  let unsettled = 0
  for (let seed = 1; seed <= UNSETTLED_SEEDS; seed++) {
    const near = history(seed, 260).map(withinReach)
    const disk = writtenFolder({ events: near, segmentsAt: [], snapshotsAt: [] })
    const { engine } = recovered(disk.copy())
    if (engine.state.tape.count - engine.settledSwaps < engine.state.tape.chunkRecords) continue
    unsettled += 1
    expect(makeSnapshot(disk, 2).archivedRecords).toBeLessThanOrEqual(engine.settledSwaps)
  }
  expect(unsettled).toBeGreaterThan(0)
})

test('a damaged snapshot that is made again at its seq gives way to the new one', () => {
  const disk = whole.copy()
  makeSnapshot(disk, 6, false)
  const last = listDataFiles(disk, FOLDER).snapshots.at(-1)?.path ?? ''
  flipped(disk, last, middleOf(disk, last))
  makeSnapshot(disk, 6, false)
  expect(recovered(disk).found).toMatchObject({ snapshotSeq: endSeq, damagedSnapshots: [] })
})

test('names of a torn write right behind a snapshot stay as long as that snapshot does', () => {
  const disk = writtenFolder({ events: events.slice(0, 20), segmentsAt: [], snapshotsAt: [] })
  makeSnapshot(disk, 2, false)
  const first = recovered(disk)
  goOn(disk, first.engine, first.found.place, events.slice(20, 22))
  const torn = listDataFiles(disk, FOLDER).segments.at(-1)?.path ?? ''
  disk.files.set(torn, disk.bytesOf(torn).slice(0, -CLOSED_BYTES - 8))
  const second = recovered(disk)
  goOn(disk, second.engine, second.found.place, events.slice(22, 60))
  makeSnapshot(disk, 4, false)
  const last = listDataFiles(disk, FOLDER).snapshots[1]
  flipped(disk, last.path, middleOf(disk, last.path))
  const { engine, found } = recovered(disk)
  expect(found.snapshotSeq).toBe(20)
  expect(stateDigest(engine.parts)).toBe(stateDigest(second.engine.parts))
})

test('with all snapshots damaged the whole journal is read', () => {
  const disk = whole.copy()
  for (const { path } of files.snapshots) flipped(disk, path, middleOf(disk, path))
  const { engine, found } = recovered(disk)
  expect(found).toMatchObject({ snapshotSeq: null, loss: null })
  expect(stateDigest(engine.parts)).toBe(digests.get(endSeq)?.at(-1))
})

test('with all snapshots damaged and no journal the start is refused, nothing touched', () => {
  const disk = whole.copy()
  for (const { path } of files.snapshots) flipped(disk, path, middleOf(disk, path))
  for (const { path } of files.segments) disk.remove(path)
  const before = [...disk.files.keys()]
  expect(refusal(disk)).toMatchObject({ code: 'damaged' })
  expect(refusal(disk).message).toContain(newest.path)
  expect([...disk.files.keys()]).toEqual(before)
})

test('a journal of nothing but a torn header does not stand for damaged snapshots', () => {
  const disk = whole.copy()
  for (const { path } of files.snapshots) flipped(disk, path, middleOf(disk, path))
  for (const { path } of files.segments.slice(0, -1)) disk.remove(path)
  const last = files.segments[4].path
  disk.files.set(last, disk.bytesOf(last).subarray(0, 100))
  expect(refusal(disk)).toMatchObject({ code: 'damaged' })
  expect(disk.files.has(last)).toBe(true)
})

test('with all snapshots damaged a journal that begins later is refused', () => {
  const disk = whole.copy()
  for (const { path } of files.snapshots) flipped(disk, path, middleOf(disk, path))
  disk.remove(files.segments[0].path)
  expect(refusal(disk)).toMatchObject({ code: 'missing' })
  expect(refusal(disk).message).toContain(`snapshots are damaged: ${newest.path}, ${older.path}. `)
})

test('a segment that is missing in the middle is refused by its number', () => {
  const disk = whole.copy()
  disk.remove(newest.path)
  disk.remove(files.segments[3].path)
  expect(refusal(disk)).toMatchObject({ code: 'missing' })
  expect(refusal(disk).message).toContain('segment 4')
})

test('a journal that ends before its snapshot goes on behind the snapshot, in a new epoch', () => {
  const disk = whole.copy()
  disk.remove(older.path)
  disk.remove(files.segments[4].path)
  const { path } = files.segments[3]
  const bytes = disk.bytesOf(path)
  // What a power failure leaves of a journal nobody had synced, when the snapshot was.
  disk.files.set(path, bytes.subarray(0, 128))
  const { engine, found } = recovered(disk)
  expect(found.place.seq).toBe(newest.number)
  expect(stateDigest(engine.parts)).toBe(digests.get(newest.number)?.[0])
  expect(found).toMatchObject({ loss: null, cut: null })
  disk.files.set(path, bytes.subarray(0, 140))
  const torn = recovered(disk, 'another boot')
  expect(torn.found.place.seq).toBe(newest.number)
  expect(torn.found).toMatchObject({ loss: expect.any(String), epoch: NEW_EPOCH })
})

test('events behind a journal that ended before its snapshot are there at the next start', () => {
  const disk = whole.copy()
  disk.remove(files.segments[4].path)
  const { path } = files.segments[3]
  disk.files.set(path, disk.bytesOf(path).subarray(0, 140))
  const { engine, found } = recovered(disk)
  goOn(disk, engine, found.place, events.slice(newest.number))
  const again = recovered(disk, BOOT, { epoch: NEW_EPOCH })
  expect(again.found).toMatchObject({ snapshotSeq: newest.number, loss: null })
  expect(again.found.place.seq).toBe(endSeq)
  expect(stateDigest(again.engine.parts)).toBe(stateDigest(engine.parts))
})

test.each([
  ['the first batch of all', false],
  ['the first batch behind a snapshot', true],
])('%s that was torn behind its definitions does not spoil the next starts', (_, hasSnapshot) => {
  const at = hasSnapshot ? secondSigner() : 0
  const plan = { segmentsAt: at > 0 ? [at] : [], snapshotsAt: [2] }
  const disk = writtenFolder({ events, ...plan })
  const path = listDataFiles(disk, FOLDER).segments.at(-1)?.path ?? ''
  disk.files.set(path, disk.bytesOf(path).subarray(0, endOfDefinitions(disk, path)))
  const rest = events.slice(at)
  const first = recovered(disk)
  expect(first.found).toMatchObject({ snapshotSeq: hasSnapshot ? at : null, place: { seq: at } })
  goOn(disk, first.engine, first.found.place, rest)
  const again = recovered(disk)
  expect(again.found.place.seq).toBe(endSeq)
  expect(stateDigest(again.engine.parts)).toBe(stateDigest(first.engine.parts))
})

/** A swap, not the first, by a wallet that has done nothing before. */
function secondSigner(): number {
  const known = new Set<string>()
  return events.findIndex((event) => {
    if (event.type === 'balance') known.add(event.wallet)
    if (event.type !== 'swap' || known.has(event.signer)) return false
    known.add(event.signer)
    return known.size >= 3
  })
}

/** Byte behind the first definitions of a segment. */
function endOfDefinitions(disk: ImageDisk, path: string): number {
  const bytes = disk.bytesOf(path)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = SEGMENT_HEADER_BYTES; at < bytes.length; ) {
    const kind = view.getUint32(at + FRAME.kind, true)
    at += frameBytes(view.getUint32(at + FRAME.payloadBytes, true))
    if (kind === Kind.definitions) return at
  }
  throw new Error(`${path} has no definitions`)
}

test('a journal behind a snapshot that is cut whole begins a new epoch', () => {
  const disk = whole.copy()
  for (const { path } of files.segments.slice(0, 4)) disk.remove(path)
  const { path } = files.segments[4]
  disk.files.set(path, disk.bytesOf(path).subarray(0, 60))
  const { found } = recovered(disk, BOOT, { seq: endSeq })
  expect(found.place.seq).toBe(newest.number)
  expect(found).toMatchObject({ loss: expect.any(String), epoch: NEW_EPOCH })
})

test('a write that a kill cut short keeps the epoch, wherever it was cut', () => {
  const { path } = files.segments[4]
  const bytes = whole.bytesOf(path)
  const ends = frameEnds(bytes)
  const from = ends.at(-3) ?? 0
  expect(ends.length).toBeGreaterThan(3)
  for (let length = from; length < bytes.length; length += 1) {
    const disk = whole.copy()
    disk.files.set(path, bytes.subarray(0, length))
    const { found } = recovered(disk)
    expect(found.cut === null, `${length} bytes`).toBe(ends.includes(length))
    expect(found, `${length} bytes`).toMatchObject({ loss: null, epoch: EPOCH })
  }
})

test('a tail that is no write cut short is put aside, with a new epoch when events were in it', () => {
  const { path } = files.segments[4]
  const bytes = whole.bytesOf(path)
  const [last, closed] = frameEnds(bytes).slice(-3)
  for (let at = last; at < bytes.length; at += 1) {
    const disk = whole.copy()
    const isLost = at < closed
    // The frame that closes the journal would say that what stood before it had been safe.
    if (isLost) disk.files.set(path, bytes.subarray(0, closed))
    flipped(disk, path, at)
    const damaged = disk.bytesOf(path)
    // A stop in order says so in the mark as well.
    const { found } = recovered(disk, BOOT, { seq: endSeq, segment: 5, isClosed: !isLost })
    expect(found.loss !== null, `byte ${at}`).toBe(isLost)
    expect(found.epoch, `byte ${at}`).toBe(isLost ? NEW_EPOCH : EPOCH)
    const from = isLost ? last : closed
    expect(found.putAside, `byte ${at}`).toEqual([`${path}.from-byte-${from}.damaged`])
    const kept = Buffer.from(disk.bytesOf(found.putAside[0]))
    expect(kept.equals(damaged.subarray(from)), `byte ${at}`).toBe(true)
  }
})

test('a tail that is no write cut short has a new epoch though the mark was not as far yet', () => {
  const { path } = files.segments[4]
  const bytes = whole.bytesOf(path)
  const [last, closed] = frameEnds(bytes).slice(-3)
  for (let at = last; at < closed; at += 1) {
    const disk = whole.copy()
    disk.files.set(path, bytes.subarray(0, closed))
    flipped(disk, path, at)
    // With FSYNC=group the mark follows the syncs: clients have seen more than it tells.
    const { found } = recovered(disk, BOOT, { seq: endSeq - BEHIND_THE_SYNC })
    expect(found, `byte ${at}`).toMatchObject({ loss: expect.any(String), epoch: NEW_EPOCH })
    expect(found.putAside, `byte ${at}`).toHaveLength(1)
  }
})

test('a journal that was not closed before a reboot begins a new epoch', () => {
  const { path } = files.segments[4]
  const bytes = whole.bytesOf(path)
  const disk = whole.copy()
  disk.files.set(path, bytes.subarray(0, bytes.length - 1))
  const { found } = recovered(disk, 'another boot')
  expect(found).toMatchObject({ loss: expect.any(String), epoch: NEW_EPOCH })
})

test('a damaged segment that the newest snapshot holds is put aside whole, and nothing is lost', () => {
  const disk = writtenFolder({ events, segmentsAt: [], snapshotsAt: [] })
  makeSnapshot(disk, 2)
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  const [{ path }] = segments
  flipped(disk, path, 3)
  const damaged = disk.bytesOf(path)
  const { found } = recovered(disk, BOOT, { seq: endSeq, segment: 1, isClosed: true })
  expect(found).toMatchObject({ snapshotSeq: snapshots[0].number, loss: null, epoch: EPOCH })
  expect(found.putAside).toEqual([`${path}.damaged`])
  expect(disk.bytesOf(`${path}.damaged`)).toEqual(damaged)
  expect(disk.files.has(path)).toBe(false)
})

test('what was put aside before keeps its name when the same place is damaged again', () => {
  const disk = whole.copy()
  const { path } = files.segments[4]
  const closed = frameEnds(whole.bytesOf(path)).at(-2) ?? 0
  const name = `${path}.from-byte-${closed}`
  disk.files.set(`${name}.damaged`, new Uint8Array([1, 2, 3]))
  flipped(disk, path, closed)
  expect(recovered(disk).found.putAside).toEqual([`${name}.2.damaged`])
  expect(disk.bytesOf(`${name}.damaged`)).toEqual(new Uint8Array([1, 2, 3]))
})

/** Byte behind each frame of a segment. */
function frameEnds(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const ends: number[] = []
  for (let at = SEGMENT_HEADER_BYTES; at < bytes.length; ) {
    at += frameBytes(view.getUint32(at + FRAME.payloadBytes, true))
    ends.push(at)
  }
  return ends
}

test('a chunk of the tape that is missing, torn or headless is refused by its path', () => {
  for (const { number, path } of files.chunks) {
    const broken = [
      (disk: ImageDisk) => disk.remove(path),
      (disk: ImageDisk) => flipped(disk, path, 30),
      (disk: ImageDisk) => flipped(disk, path, 41),
      (disk: ImageDisk) => disk.files.set(path, disk.bytesOf(path).subarray(0, -1)),
      (disk: ImageDisk) =>
        disk.files.set(path, disk.bytesOf(dataPath(FOLDER, 'chunk', 1 - number))),
    ]
    for (const damage of broken) {
      const disk = whole.copy()
      damage(disk)
      expect(refusal(disk)).toMatchObject({ code: 'missing' })
      expect(refusal(disk).message).toContain(path)
    }
  }
})

test('a damaged block of the tape is told when it is read, and read again when it is back', () => {
  const disk = whole.copy()
  const [{ path }] = files.chunks
  const good = disk.bytesOf(path)
  const reference = recovered(whole.copy()).engine.state.tape
  for (const at of [60, 5_000, good.length - 1]) {
    flipped(disk, path, at)
    const { tape } = recovered(disk).engine.state
    tape.leaveMemory(tape.archivedCount)
    expect(() => tape.u32Of(3)).toThrow(TapeDamage)
    expect(() => tape.u32Of(3)).toThrow(path)
    disk.files.set(path, good)
    expect(tape.u32Of(3)).toEqual(reference.u32Of(3))
  }
})

test('a folder damaged at random starts as it was at some seq, or is refused', {
  timeout: PATIENCE_MS,
}, () => {
  const outcomes = new Map<string, number>()
  for (let round = 0; round < RANDOM_FOLDERS; round += 1) {
    const outcome = outcomeOf(SEED + round)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  console.log('damaged folders:', Object.fromEntries(outcomes))
  expect(outcomes.get('as it was') ?? 0).toBeGreaterThan(0)
  expect(outcomes.get('refused: damaged') ?? 0).toBeGreaterThan(0)
})

function outcomeOf(seed: number): string {
  const random = new Random(seed)
  const disk = whole.copy()
  const paths = [...files.segments, ...files.snapshots, ...files.chunks].map(({ path }) => path)
  for (let times = random.integer(1, 3); times > 0; times -= 1)
    damageAtRandom(disk, paths[random.integer(0, paths.length - 1)], random)
  try {
    const { engine, found } = recovered(disk)
    const { seq } = found.place
    const digest = stateDigest(engine.parts)
    expect(digests.get(seq), `PROPERTY_SEED=${seed}, seq ${seq}`).toContain(digest)
    return seq === endSeq ? 'as it was' : 'as it was before'
  } catch (error) {
    if (error instanceof StoreError) return `refused: ${error.code}`
    throw error
  }
}

function damageAtRandom(disk: ImageDisk, path: string, random: Random): void {
  const found = disk.files.get(path)
  if (found === undefined || found.length === 0) return
  const bytes = new Uint8Array(found)
  const at = random.integer(0, bytes.length - 1)
  const sort = random.integer(0, 5)
  if (sort === 0) disk.files.delete(path)
  else if (sort === 1) disk.files.set(path, bytes.subarray(0, at))
  else if (sort === 2) disk.files.set(path, Buffer.concat([bytes, randomBytes(random, 300)]))
  else {
    if (sort === 3) bytes.fill(0, at, at + 512)
    else if (sort === 4) bytes.set(randomBytes(random, Math.min(64, bytes.length - at)), at)
    else bytes[at] ^= 1 << random.integer(0, 7)
    disk.files.set(path, bytes)
  }
}
