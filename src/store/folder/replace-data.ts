import fs from 'node:fs'
import { basename, join } from 'node:path'
import type { Disk } from '../disk/disk.ts'
import { MARK_FILE } from './commit-marker.ts'
import { listDataFiles, writeWhole } from './data-folder.ts'

/** Says that the files beside it are all that is to replace those of another folder. */
const WHOLE = 'whole'
/** Says that those of the other folder are gone, and these are being moved there. */
const MOVING = 'moving'

/** The folder is complete: from now on `replaceData` puts its files in place of others, also after a kill. */
export function markWhole(disk: Disk, folder: string): void {
  writeWhole(disk, folder, join(folder, WHOLE), (append) => append(Buffer.from('\n')))
}

/**
 * Puts the files of `by` in place of those of `folder`, if `by` was marked whole; a call after a kill goes on where
 * the one before ended. Nobody may have files of either open. Returns whether files were replaced.
 * @throws the system's own error when the disk refuses: the next call goes on
 */
export function replaceData(disk: Disk, folder: string, by: string): boolean {
  const marks = disk.list(by).filter((name) => name === WHOLE || name === MOVING)
  if (marks.length === 0) return false
  if (marks.includes(WHOLE)) {
    for (const path of filesOf(disk, folder)) disk.remove(path)
    disk.syncFolder(folder)
    disk.rename(join(by, WHOLE), join(by, MOVING))
    disk.syncFolder(by)
  }
  for (const path of filesOf(disk, by)) disk.rename(path, join(folder, basename(path)))
  disk.syncFolder(folder)
  // Last of all: until then another start has to go on.
  fs.rmSync(by, { recursive: true, force: true })
  return true
}

/** The paths of a folder's files, those of half a write among them. */
function filesOf(disk: Disk, folder: string): readonly string[] {
  const { segments, snapshots, chunks, dormantChunks, unfinished } = listDataFiles(disk, folder)
  const numbered = [...segments, ...snapshots, ...chunks, ...dormantChunks]
  const written = disk.list(folder).filter((name) => name === MARK_FILE)
  return [
    ...numbered.map(({ path }) => path),
    ...[...unfinished, ...written].map((name) => join(folder, name)),
  ]
}
