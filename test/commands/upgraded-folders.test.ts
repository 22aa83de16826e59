import { expect, test } from 'vitest'
import { SILENT } from '../../src/commands/command.ts'
import { verifyFolder } from '../../src/commands/verify.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import { history } from '../oracle/histories.ts'
import { FOLDER, makeSnapshot, SIZES, writtenFolder } from '../store/damage/folder.ts'
import type { ImageDisk } from '../store/damage/image-disk.ts'
import { olderSnapshot } from '../store/older-snapshot.ts'

test('a snapshot that goes back to one of an older version is not held to the journal from its beginning', () => {
  const segmentsAt = [60, 120, 160]
  const disk = writtenFolder({ events: history(5, 200), segmentsAt, snapshotsAt: [2] })
  const [old] = listDataFiles(disk, FOLDER).snapshots
  disk.files.set(old.path, olderSnapshot(Buffer.from(disk.bytesOf(old.path))))
  makeSnapshot(disk, 3)
  makeSnapshot(disk, 4)
  const { snapshots } = listDataFiles(disk, FOLDER)
  expect(snapshots.map(({ number }) => number)).toEqual([120, 160])
  const [first, second, ...rest] = verified(disk).filter(({ what }) => what.startsWith('journal'))
  expect(first?.found).toBe('seq 0 to 120, it goes back to one of version 13')
  expect(second?.found).toBe('seq 120 to 160, the same state')
  for (const check of [first, second, ...rest]) expect(check?.isGood).toBe(true)
})

function verified(disk: ImageDisk) {
  const newEngine = () => archivedEngine(disk, FOLDER, SIZES)
  const about = { disk, folder: FOLDER, written: null, progress: SILENT }
  return verifyFolder({ ...about, newEngine, onCheck: () => {} })
}
