import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type DataFiles, listDataFiles, withFile } from '../../src/store/folder/data-folder.ts'
import { JOURNAL_VERSION } from '../../src/store/format/journal-format.ts'
import { readContents, stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { FOLDER, makeSnapshot, recovered, writtenFolder } from './damage/folder.ts'
import type { ImageDisk } from './damage/image-disk.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)
const FOLDERS = 20
const EVENTS = 60
/** Where they stand in the header of a segment. */
const VERSION_AT = 8
const HEADER_CRC_AT = 124

/** A folder of a few segments, with snapshots before some of them; two at most are asked for. */
function randomFolder(random: Random): ImageDisk {
  const events = history(random.integer(1, 1_000), EVENTS)
  const segmentsAt = Array.from({ length: EVENTS - 1 }, (_, i) => i + 1).filter(() =>
    random.chance(0.1),
  )
  const snapshotsAt = segmentsAt.map((_, i) => i + 2).filter(() => random.chance(0.3))
  return writtenFolder({ events, segmentsAt, snapshotsAt: snapshotsAt.slice(-3) })
}

/** Segment that the journal behind a snapshot begins with. */
function segmentBehind(disk: ImageDisk, path: string): number {
  const contents = withFile(disk.open(path), (file) => readContents(file, path))
  if (contents === null) throw new Error(`${path} is damaged`)
  return contents.segment
}

const numbers = (files: DataFiles['segments']) => files.map(({ number }) => number)

test('of a journal stays what the older of two snapshots needs, and nothing before it', () => {
  const random = new Random(SEED)
  const tried = { withOne: 0, withTwo: 0, toTheLast: 0 }
  for (let i = 0; i < FOLDERS; i++) {
    const disk = randomFolder(random)
    const before = listDataFiles(disk, FOLDER)
    const last = before.segments.at(-1)?.number ?? 0
    const whole = disk.copy()
    const { segmentsRemoved } = makeSnapshot(disk, last + 1, false)
    const after = listDataFiles(disk, FOLDER)
    const said = `seed ${SEED}, folder ${i}`
    expect(after.snapshots, said).toHaveLength(Math.min(before.snapshots.length + 1, 2))
    const first = after.snapshots.length < 2 ? 1 : segmentBehind(disk, after.snapshots[0].path)
    expect(numbers(after.segments), said).toEqual(
      numbers(before.segments).filter((number) => number >= first),
    )
    expect(segmentsRemoved, said).toBe(before.segments.length - after.segments.length)
    for (const { path } of after.snapshots.slice(-1)) disk.files.delete(path)
    const state = ({ engine }: ReturnType<typeof recovered>) => stateDigest(engine.parts)
    expect(state(recovered(disk)), said).toBe(state(recovered(whole)))
    if (after.snapshots.length === 1) tried.withOne += 1
    else tried.withTwo += 1
    if (first === last) tried.toTheLast += 1
  }
  for (const times of Object.values(tried)) expect(times).toBeGreaterThan(0)
})

test('a journal that is all kept stays, and a compaction that nothing came for changes nothing', () => {
  const plan = { segmentsAt: [10, 20, 30, 40], snapshotsAt: [3, 4] }
  const disk = writtenFolder({ events: history(5, EVENTS), ...plan })
  const made = makeSnapshot(disk, 6)
  expect(made).toMatchObject({ seq: EVENTS, snapshotsRemoved: 1, segmentsRemoved: 0 })
  expect(numbers(listDataFiles(disk, FOLDER).segments)).toEqual([1, 2, 3, 4, 5])
  const before = disk.copy()
  const again = { seq: EVENTS, fromSeq: EVENTS, framesFolded: 0, digest: '' }
  const nothing = { snapshotsRemoved: 0, segmentsRemoved: 0, damagedSnapshots: [] }
  const { archivedRecords, chunks } = made
  expect(makeSnapshot(disk, 6, false)).toMatchObject({
    ...again,
    ...nothing,
    archivedRecords,
    chunks,
  })
  expect(disk.files).toEqual(before.files)
})

test('a segment that cannot be read, or only by a later version, stays with the one before it', () => {
  const plan = { segmentsAt: [10, 20, 30, 40], snapshotsAt: [5] }
  const whole = writtenFolder({ events: history(5, EVENTS), ...plan })
  const [, , third] = listDataFiles(whole, FOLDER).segments
  for (const change of [torn, ofLaterVersion]) {
    const disk = whole.copy()
    disk.files.set(third.path, change(Buffer.from(disk.bytesOf(third.path))))
    expect(makeSnapshot(disk, 6, false)).toMatchObject({ seq: EVENTS, segmentsRemoved: 1 })
    expect(numbers(listDataFiles(disk, FOLDER).segments)).toEqual([2, 3, 4, 5])
  }
})

function torn(segment: Buffer): Uint8Array {
  segment[HEADER_CRC_AT] ^= 1
  return segment
}

function ofLaterVersion(segment: Buffer): Uint8Array {
  segment.writeUInt32LE(JOURNAL_VERSION + 1, VERSION_AT)
  segment.writeUInt32LE(crc32(segment.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT)
  return segment
}
