import fs from 'node:fs'
import { StoreError } from '../disk/failure.ts'

/**
 * Sees to it that the segment being written is where the next start looks for it: a folder that is
 * removed, moved or covered while it is used takes every write all the same.
 */
export class SegmentWatch {
  #path = ''
  #fd: number | null = null

  /** From now on this segment is written. */
  begun(path: string): void {
    const fd = fs.openSync(path, 'r')
    this.close()
    this.#path = path
    this.#fd = fd
  }

  /** @throws StoreError when the file under the segment's name is not the one that is written */
  look(): void {
    if (this.#fd === null) return
    const named = fs.statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const own = fs.fstatSync(this.#fd, { bigint: true })
    if (named?.ino === own.ino && named.dev === own.dev) return
    // Some shared folders give a file new numbers; one that grows as this one is written is the same.
    if (named?.size === own.size) return
    throw new StoreError(
      'disk',
      `${this.#path} is not the file any more that is written: it, or its folder, was moved, removed ` +
        'or covered by another one. No events are taken until it is put back under its name and the ' +
        'program is started anew; reads go on.',
    )
  }

  close(): void {
    if (this.#fd !== null) fs.closeSync(this.#fd)
    this.#fd = null
  }
}
