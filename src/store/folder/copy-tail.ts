import { appendAll, type Disk, readAll } from '../disk/disk.ts'
import { withFile } from './data-folder.ts'

const COPY_BYTES = 8 << 20

/** Copies the bytes of a file from a place on into a new file, which is on the disk then. */
export function copyTail(
  disk: Disk,
  from: { readonly path: string; readonly byte: number; readonly bytes: number },
  to: string,
): void {
  const { path, byte, bytes } = from
  withFile(disk.open(path), (source) => {
    const copy = disk.create(to)
    try {
      withFile(copy, () => {
        const buffer = new Uint8Array(Math.min(COPY_BYTES, bytes))
        for (let done = 0; done < bytes; done += COPY_BYTES) {
          const part = buffer.subarray(0, Math.min(COPY_BYTES, bytes - done))
          if (!readAll(source, part, byte + done)) throw new Error(`${path} became shorter`)
          appendAll(copy, part)
        }
        copy.sync()
      })
    } catch (error) {
      drop(disk, to)
      throw error
    }
  })
}

/** Half a copy on a full disk takes room, and the next start would leave another. */
function drop(disk: Disk, path: string): void {
  try {
    disk.remove(path)
  } catch {
    // The disk refuses this as well; what made it refuse at first is what is told.
  }
}
