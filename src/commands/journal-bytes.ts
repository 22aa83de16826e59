import type { Disk } from '../store/disk/disk.ts'
import { type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import { FRAME_HEADER_BYTES } from '../store/format/journal-format.ts'
import { headerOf } from '../store/journal/journal-scan.ts'

/** Bytes of the segments that hold events from one seq to another; `toSeq` null: to the end. */
export function bytesBetween(
  disk: Disk,
  segments: readonly NumberedFile[],
  fromSeq: number,
  toSeq: number | null,
): number {
  let bytes = 0
  for (const { path } of segments) {
    const header = headerOf(disk, path)
    if (header === null || header === 'newer' || header.firstSeq < fromSeq) continue
    if (toSeq !== null && header.firstSeq >= toSeq) continue
    bytes += withFile(disk.open(path), (file) => file.size())
  }
  return Math.max(bytes, FRAME_HEADER_BYTES)
}
