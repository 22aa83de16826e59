import { errorOf } from '../../base/errors.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import { type NumberedFile, syncFiles } from '../folder/data-folder.ts'

/**
 * Makes the journal of a killed process last while a recovery folds it: its bytes may be in memory
 * alone, and to write them only at the end would keep everybody waiting for the disk.
 */
export class RecoveryFsync {
  readonly #disk: Disk
  #waiting: string[] = []
  readonly #synced = new Set<string>()
  #failure: Error | null = null

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Begins to sync these in the background, one after the other. */
  begin(paths: readonly string[]): void {
    this.#waiting = [...paths]
    this.#next()
  }

  /**
   * Syncs those of the folder's files that are not on the disk yet, and their names; begins with no
   * more by itself.
   * @throws the error of a sync that failed: to try again would take what is lost for safe
   */
  finish(folder: string, files: readonly NumberedFile[]): void {
    this.#waiting = []
    if (this.#failure !== null) throw this.#failure
    const left = files.filter(({ path }) => !this.#synced.has(path))
    syncFiles(this.#disk, folder, left)
  }

  #next(): void {
    for (let path = this.#waiting.shift(); path !== undefined; path = this.#waiting.shift())
      if (this.#syncLater(path)) return
  }

  /** False when the file cannot be opened, which the walk through the journal tells. */
  #syncLater(path: string): boolean {
    const file = this.#opened(path)
    file?.syncLater((error) => {
      // Nobody else would catch what the disk refuses here.
      const notClosed = refusalToClose(file)
      const failure = error ?? notClosed
      if (failure === null) this.#synced.add(path)
      else this.#failure ??= failure
      this.#next()
    })
    return file !== null
  }

  #opened(path: string): DiskFile | null {
    try {
      return this.#disk.open(path)
    } catch {
      return null
    }
  }
}

/** null: it is closed. */
function refusalToClose(file: DiskFile): Error | null {
  try {
    file.close()
    return null
  } catch (error) {
    return errorOf(error)
  }
}
