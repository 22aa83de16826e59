import type { Appended, DiskFile } from './disk.ts'

/**
 * Bytes of a file that lie in memory alone while it is written. A file system holds a sync of one file
 * back until what it has begun to write of others is on the disk: were a snapshot left to the end, the
 * journal's next sync would wait for all of it (docs/performance.md).
 */
export const UNSYNCED_BYTES_MAX = 8 << 20

/** A long file that is made to last piece by piece. */
export class SteadyFile implements Appended {
  readonly #file: DiskFile
  #unsyncedBytes = 0

  constructor(file: DiskFile) {
    this.#file = file
  }

  append(bytes: Uint8Array): number {
    const taken = this.#file.append(bytes.subarray(0, UNSYNCED_BYTES_MAX - this.#unsyncedBytes))
    this.#unsyncedBytes += taken
    if (this.#unsyncedBytes === UNSYNCED_BYTES_MAX) {
      this.#file.sync()
      this.#unsyncedBytes = 0
    }
    return taken
  }
}
