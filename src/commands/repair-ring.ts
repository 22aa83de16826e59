import type { Disk } from '../store/disk/disk.ts'
import { listDataFiles, syncFiles } from '../store/folder/data-folder.ts'
import { RING_NAME, type RingPlace, ringPath } from '../store/journal/journal-ring.ts'
import { settleRing } from '../store/journal/ring-tail.ts'

/**
 * What a killed process had in its ring alone is of the journal, before anything is given up of it: it lasts in
 * the segment before the ring goes.
 */
export function emptyRing(disk: Disk, folder: string, place: RingPlace): void {
  const { segments } = listDataFiles(disk, folder)
  settleRing(disk, folder, segments, place)
  // And the segments before, with their names: of those too the process may have synced nothing yet.
  syncFiles(disk, folder, segments)
  // Else the next start would take out of it what is given up.
  if (disk.list(folder).includes(RING_NAME)) disk.remove(ringPath(folder))
}
