import type { Disk, DiskFile } from './disk.ts'

/** Waits measured at most; the newest count. */
export const WAITS_KEPT = 4_096

/**
 * A disk that reports each call that the loop waits for: its name, and when it began (`performance.now`). Calls in the
 * background are not reported.
 */
export function watchedDisk(disk: Disk, onCall: (call: string, startMs: number) => void): Disk {
  // Not of a call that throws.
  const watched = <T>(call: string, run: () => T): T => {
    const startMs = performance.now()
    const value = run()
    onCall(call, startMs)
    return value
  }
  const watchedFile = (file: DiskFile): DiskFile => ({
    size: () => file.size(),
    append: (bytes) => watched('append', () => file.append(bytes)),
    read: (into, position) => watched('read', () => file.read(into, position)),
    truncate: (size) => watched('truncate', () => file.truncate(size)),
    sync: () => watched('sync', () => file.sync()),
    syncLater: (done) => file.syncLater(done),
    close: () => watched('close', () => file.close()),
  })
  return {
    list: (folder) => watched('list', () => disk.list(folder)),
    makeFolder: (folder) => watched('make folder', () => disk.makeFolder(folder)),
    create: (path) => watchedFile(watched('create', () => disk.create(path))),
    open: (path) => watchedFile(watched('open', () => disk.open(path))),
    rename: (from, to) => watched('rename', () => disk.rename(from, to)),
    remove: (path) => watched('remove', () => disk.remove(path)),
    syncFolder: (folder) => watched('sync folder', () => disk.syncFolder(folder)),
    syncFolderLater: (folder, done) => disk.syncFolderLater(folder, done),
  }
}

/** How long writes waited for the disk, over the newest ones. */
export class WaitTimes {
  readonly #waitsMs = new Float64Array(WAITS_KEPT)
  #count = 0
  #longestMs = 0

  add(waitMs: number): void {
    this.#waitsMs[this.#count % WAITS_KEPT] = waitMs
    this.#count += 1
    if (waitMs > this.#longestMs) this.#longestMs = waitMs
  }

  /** Milliseconds from a write to its sync: median, p99, longest ever. */
  figures(): Readonly<Record<string, number>> {
    const sorted = this.#waitsMs.slice(0, Math.min(this.#count, WAITS_KEPT)).sort()
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
    return {
      journal_sync_p50_ms: at(0.5),
      journal_sync_p99_ms: at(0.99),
      journal_sync_longest_ms: this.#longestMs,
    }
  }
}
