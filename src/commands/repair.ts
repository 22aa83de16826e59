import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../store/disk/disk.ts'
import { copyTail } from '../store/folder/copy-tail.ts'
import { type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import { FileMark } from '../store/folder/file-mark.ts'
import { bootId } from '../store/folder/process-lock.ts'
import { Journal } from '../store/journal/journal.ts'
import { GIVEN_UP } from './inspect.ts'
import type { RepairPlan } from './repair-plan.ts'

/** Nothing has to go. */
export function isNothing({ cut, segments, snapshots }: RepairPlan): boolean {
  return cut === null && segments.length + snapshots.length === 0
}

/**
 * Moves what is given up into a folder of its own below the data folder and returns that. A segment
 * of a new epoch, empty and closed in order, says that the stream has broken off here.
 *
 * It takes the place of the first segment that goes. Until the last step a start refuses what is
 * left or finds the new epoch, and a repair that was interrupted can be run again.
 */
export function carryOut(disk: Disk, folder: string, plan: RepairPlan, now: Date): string {
  const { cut, snapshots, chunks, segments } = plan
  const givenUp = newFolder(disk, folder, now)
  const move = ({ path, name }: NumberedFile) => disk.rename(path, join(givenUp, name))
  if (cut !== null) {
    const { file, byte, bytes } = cut
    const to = join(givenUp, `${file.name}.from-byte-${byte}`)
    copyTail(disk, { path: file.path, byte, bytes }, to)
  }
  for (const file of [...snapshots, ...chunks, ...segments.slice(0, 1)]) move(file)
  // What is given up has to be there, by its name, before it goes where it was.
  disk.syncFolder(givenUp)
  beginEpoch(disk, folder, plan)
  if (cut !== null)
    withFile(disk.open(cut.file.path), (file) => {
      file.truncate(cut.byte)
      file.sync()
    })
  for (const file of segments.slice(1)) move(file)
  disk.syncFolder(givenUp)
  disk.syncFolder(folder)
  return givenUp
}

function newFolder(disk: Disk, folder: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(':', '-')
  const path = join(folder, `${GIVEN_UP}${stamp}`)
  disk.makeFolder(path)
  return path
}

function beginEpoch(disk: Disk, folder: string, { place }: RepairPlan): void {
  const journal = new Journal(
    {
      disk,
      folder,
      fsync: 'always',
      epoch: randomUUID(),
      boot: bootId(),
      mark: new FileMark(folder),
      onFailure: (failure) => {
        throw failure
      },
    },
    place,
  )
  journal.close()
}
