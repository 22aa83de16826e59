import { expect, test } from 'vitest'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { segmentFiles, walkJournal } from '../../../src/store/journal/journal-scan.ts'
import { recover } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { archivedEngine } from '../../../src/store/snapshot/tape-archive.ts'
import { history } from '../../oracle/histories.ts'
import {
  BOOT,
  digestsOf,
  EPOCH,
  FOLDER,
  goOn,
  NEW_EPOCH,
  recovered,
  refusal,
  SIZES,
  writtenFolder,
} from '../damage/folder.ts'
import type { ImageDisk } from '../damage/image-disk.ts'

/** Two snapshots, and all of the journal. */
function twoSnapshots(): ImageDisk {
  const plan = { segmentsAt: [60, 120, 180, 240], snapshotsAt: [3, 4] }
  return writtenFolder({ events: history(5, 300), ...plan })
}

/** Tells of the files whose sync was begun in the background, which ends at once. */
function tellingSyncs(disk: ImageDisk): string[] {
  const begun: string[] = []
  const open = disk.open.bind(disk)
  disk.open = (path) => {
    const file: DiskFile = open(path)
    file.syncLater = (done) => {
      begun.push(path)
      done(null)
    }
    return file
  }
  return begun
}

test('what is behind the newest snapshot begins to be synced and loaded before anything else, and is folded as it was loaded', () => {
  const disk = twoSnapshots()
  const begun = tellingSyncs(disk)
  const files = segmentFiles(disk)
  let ahead: readonly string[] = []
  const taken: string[] = []
  const newEngine = () => archivedEngine(disk, FOLDER, SIZES)
  const engine = newEngine()
  const written = { seq: 0, segment: 0, epoch: EPOCH, boot: BOOT, isClosed: true, isHere: true }
  const steps = recover({
    ...{ disk, folder: FOLDER, boot: BOOT, written, engine, newEngine, newEpoch: () => NEW_EPOCH },
    ahead: {
      begin: (paths) => {
        ahead = paths
      },
      take: (path) => {
        taken.push(path)
        return files.take(path)
      },
    },
  })
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  const behind = segments.filter(({ number }) => number >= 4).map(({ path }) => path)
  steps.next()
  expect([begun, ahead, taken]).toEqual([behind, behind, []])
  const { framesFolded } = runToEnd(steps)
  expect(taken).toEqual(behind)
  let frames = 0
  const from = { seq: snapshots.at(-1)?.number ?? 0, segment: 4 }
  runToEnd(walkJournal(disk, listDataFiles(disk, FOLDER), from, () => frames++))
  expect(framesFolded).toBe(frames)
  expect([...digestsOf(twoSnapshots()).values()].at(-1)).toContain(stateDigest(engine.parts))
})

test('where the newest snapshot is damaged and no journal is left, the state is that of the older one, and a new journal goes on behind it', () => {
  const disk = twoSnapshots()
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  const [older, newest] = snapshots
  for (const { path } of segments) disk.remove(path)
  disk.files.set(newest.path, disk.bytesOf(newest.path).slice(0, 100))
  const { engine, found } = recovered(disk)
  const { number: seq } = older
  expect(found).toMatchObject({ damagedSnapshots: [newest.path], snapshotSeq: seq, place: { seq } })
  expect(digestsOf(twoSnapshots()).get(seq)).toContain(stateDigest(engine.parts))
  expect(listDataFiles(disk, FOLDER).snapshots).toEqual([older])
  const more = history(6, 40)
  goOn(disk, engine, found.place, more)
  const next = recovered(disk)
  expect(next.found.place.seq).toBe(seq + more.length)
  expect(stateDigest(next.engine.parts)).toBe(stateDigest(engine.parts))
})

test('where no snapshot is whole and no journal is left, nothing is begun anew in their place', () => {
  const disk = twoSnapshots()
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  for (const { path } of segments) disk.remove(path)
  const paths = snapshots.map(({ path }) => path).toReversed()
  for (const path of paths) disk.files.set(path, disk.bytesOf(path).slice(0, 100))
  const before = new Map(disk.files)
  expect(refusal(disk)).toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(`No snapshot is whole (${paths.join(', ')})`),
  })
  expect(disk.files).toEqual(before)
})
