import { basename, join } from 'node:path'
import type { Disk } from '../disk/disk.ts'
import { copyTail } from '../folder/copy-tail.ts'
import { DAMAGED, withFile } from '../folder/data-folder.ts'
import { SEGMENT_HEADER_BYTES } from '../format/journal-format.ts'
import type { Cut } from '../journal/journal-scan.ts'

/**
 * Takes a tail that cannot be read off the journal; returns the paths of what was put aside. Only
 * half a write goes for good: it was never seen, and no whole frame can be in it.
 */
export function cutTail(disk: Disk, folder: string, cut: Cut): readonly string[] {
  const aside: string[] = []
  const putAside = (path: string) => {
    aside.push(freeName(disk, folder, path))
    disk.rename(path, aside[aside.length - 1])
  }
  for (const path of cut.dropped.toReversed()) putAside(path)
  if (cut.byte < SEGMENT_HEADER_BYTES) {
    if (cut.isUnfinished) disk.remove(cut.path)
    else putAside(cut.path)
  } else {
    if (!cut.isUnfinished) {
      const copy = freeName(disk, folder, `${cut.path}.from-byte-${cut.byte}`)
      copyTail(disk, cut, copy)
      // The copy has to be there, by its name, before the original goes.
      disk.syncFolder(folder)
      aside.push(copy)
    }
    withFile(disk.open(cut.path), (file) => {
      file.truncate(cut.byte)
      file.sync()
    })
  }
  disk.syncFolder(folder)
  return aside
}

/** A name that nothing has: an earlier start may have put the same place aside. */
function freeName(disk: Disk, folder: string, path: string): string {
  const names = new Set(disk.list(folder))
  const name = basename(path)
  let free = `${name}${DAMAGED}`
  for (let i = 2; names.has(free); i++) free = `${name}.${i}${DAMAGED}`
  return join(folder, free)
}
