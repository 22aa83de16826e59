import type { Disk } from '../disk/disk.ts'
import { FileBuffer } from '../folder/data-folder.ts'

/** A segment in memory. */
export interface LoadedSegment {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Frames that end here or before were checked by who loaded it. */
  readonly checkedTo: number
}

/** Where a walk takes segments from; what it took is valid until it takes the next one. */
export interface SegmentSource {
  /** Null when the segment is not there yet: the walk rests and asks again. */
  take(path: string): LoadedSegment | null
}

/** Reads each segment when it is asked for. */
export class SegmentFiles implements SegmentSource {
  readonly #disk: Disk
  readonly #buffer = new FileBuffer()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  take(path: string): LoadedSegment {
    return { bytes: this.#buffer.read(this.#disk, path), checkedTo: 0 }
  }
}
