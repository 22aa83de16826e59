import type { Config } from '../../config/config.ts'
import type { Disk } from '../disk/disk.ts'
import type { CommitMarker } from '../folder/commit-marker.ts'
import type { SegmentFile } from './journal-ring.ts'

/**
 * While a sync of the group is under way the mark follows the batches no more often than this: it costs as
 * much as a write of sixteen swaps, and feeds that are read back at full speed bring thousands of batches
 * a second.
 */
const MARK_EVERY_MS = 1

export interface JournalSyncsOptions {
  readonly disk: Disk
  readonly folder: string
  /**
   * When what was written is made to last (contract section 6). `group`: in the background, one sync after the other;
   * with a ring some time apart (journal-ring.ts). `always`: before anything of a batch is published. `off`: when the
   * system likes; only the ends of segments are synced.
   */
  readonly fsync: Config['fsync']
  /** Keeps how far the journal is written; without it the next start cannot know that all is there. */
  readonly mark?: CommitMarker
  /** Takes after each sync how long what it made last had waited, at most; milliseconds. */
  readonly onSynced?: (waitedMs: number) => void
  /** Milliseconds, for `onSynced` and `later`. */
  readonly clockMs?: () => number
  /** Runs something so many milliseconds later, a whole number; without it syncs follow each other at once. */
  readonly later?: (run: () => void, ms: number) => unknown
  /** Runs something behind the present turn of the loop; without it a sync that may wait for that begins at once. */
  readonly behindTurn?: (run: () => void) => unknown
}

/**
 * Makes the segments of a journal last as its policy has it: at once, or in the background, one sync
 * after the other, at the pace of the segment, as long as there is something to sync. What is synced has
 * no hole before it: names in the folder and the ends of older segments come first.
 */
export class FsyncScheduler {
  readonly #options: JournalSyncsOptions
  /** Takes the error when the disk refuses a sync in the background. */
  readonly #onRefused: (error: unknown) => void
  /** The segment that is being written, and its number. */
  #file: SegmentFile
  #index: number
  /** Seq behind everything that was written. */
  #seq: number
  #syncedSeq: number
  /** Segments whose last bytes are not known to be on the disk yet, oldest first. */
  #full: FullSegment[] = []
  /** Segments up to this one have names that last. */
  #namedSegment: number
  #isSyncing = false
  /** The next sync of the present segment begins by itself. */
  #isPaused = false
  /** One begins behind this turn of the loop. */
  #isDue = false
  /** When the last one of it began. */
  #begunMs = Number.NEGATIVE_INFINITY
  #isOver = false
  /** When the oldest byte of the file that no running sync covers was written; NaN for none. */
  #waitingSinceMs = Number.NaN
  #markedMs = 0

  /** The first segment and its name are on the disk when this returns. */
  constructor(
    options: JournalSyncsOptions,
    file: SegmentFile,
    index: number,
    seq: number,
    onRefused: (error: unknown) => void,
  ) {
    this.#options = options
    this.#onRefused = onRefused
    this.#file = file
    this.#index = index
    this.#seq = seq
    this.#syncedSeq = seq
    file.sync()
    options.disk.syncFolder(options.folder)
    this.#namedSegment = index
  }

  /** Seq below which everything is on the disk. */
  get syncedSeq(): number {
    return this.#syncedSeq
  }

  /** A batch was written, which ends before this seq; with `always` it is on the disk when this returns. */
  markDirty(seq: number): void {
    this.#seq = seq
    if (this.#options.fsync === 'always') this.#batchNow()
    else if (Number.isNaN(this.#waitingSinceMs)) this.#waitingSinceMs = this.#nowMs()
    this.#markBatch()
  }

  /** The current segment gets no more bytes; `opened` brings the next one. */
  seal(): void {
    this.#file.settle()
    this.#full.push({ file: this.#file, endSeq: this.#seq, sinceMs: this.#waitingSinceMs })
    this.#waitingSinceMs = Number.NaN
  }

  /** The next segment is written from now on; with `always` it is on the disk when this returns. */
  opened(file: SegmentFile): void {
    this.#file = file
    this.#index += 1
    if (this.#options.fsync === 'always') this.now()
  }

  /** Makes everything last: the folder and old segments first. */
  now(): void {
    const { disk, folder } = this.#options
    if (this.#namedSegment < this.#index) disk.syncFolder(folder)
    this.#namedSegment = this.#index
    for (let oldest = this.#full[0]; oldest !== undefined; oldest = this.#full[0]) {
      oldest.file.sync()
      // Closed once, whatever the disk says of it: the system gives its number to the next file or socket.
      this.#full.shift()
      oldest.file.close()
    }
    this.#file.sync()
    this.#syncedSeq = this.#seq
  }

  /** Goes on in the background, unless it does already. */
  resume(): void {
    if (this.#isSyncing || this.#isOver) return
    const step = this.#nextStep()
    if (step === null) return
    this.#isSyncing = true
    step.run((error) => {
      this.#isSyncing = false
      if (this.#isOver) return
      if (error === null) this.#finish(step)
      else this.#onRefused(error)
    })
  }

  /** Goes on once the turn of the loop is over: it has sent its trades before a thread is woken for the disk. */
  resumeBehindTurn(): void {
    const { behindTurn } = this.#options
    if (behindTurn === undefined) this.resume()
    else if (!this.#isDue && !this.#isSyncing && !this.#isPaused) {
      this.#isDue = true
      behindTurn(() => {
        this.#isDue = false
        this.resume()
      })
    }
  }

  /** Begins none in the background any more, and takes no notice of how one ends. */
  stop(): void {
    this.#isOver = true
    this.#file.abandonSync()
  }

  closeFiles(): void {
    // A segment is among the full ones and the present one where the next could not be begun.
    for (const file of new Set([...this.#full.map(({ file }) => file), this.#file]))
      try {
        file.close()
      } catch {
        // What matters was synced before, or the failure was reported.
      }
    this.#full = []
  }

  /** Before anybody sees the batch: if the journal then loses it, the next start has to know. */
  #markBatch(): void {
    const { mark, fsync } = this.#options
    if (mark === undefined) return
    if (!mark.isMemory && fsync === 'group' && this.#isSyncing) {
      const nowMs = this.#nowMs()
      if (nowMs < this.#markedMs + MARK_EVERY_MS) return
      this.#markedMs = nowMs
    }
    mark.reach(this.#seq)
  }

  #batchNow(): void {
    const sinceMs = this.#nowMs()
    this.now()
    this.#options.onSynced?.(this.#nowMs() - sinceMs)
  }

  /** Nobody else would catch what the disk refuses here: it is called in the background. */
  #finish(step: SyncStep): void {
    try {
      step.done()
    } catch (error) {
      this.#onRefused(error)
      return
    }
    this.resume()
  }

  #nextStep(): SyncStep | null {
    const { disk, folder, fsync } = this.#options
    if (fsync === 'always') return null
    const index = this.#index
    if (this.#namedSegment < index) {
      const done = () => {
        this.#namedSegment = index
      }
      return { run: (then) => disk.syncFolderLater(folder, then), done }
    }
    const [oldest] = this.#full
    if (oldest !== undefined) return this.#stepOfFull(oldest)
    if (fsync !== 'group' || this.#syncedSeq >= this.#seq || this.#mustPause()) return null
    return this.#stepOfCurrent()
  }

  /** Is it too early for the next sync of the present segment? */
  #mustPause(): boolean {
    const { later } = this.#options
    const { syncEveryMs } = this.#file
    if (later === undefined || syncEveryMs === 0) return false
    if (this.#isPaused) return true
    const leftMs = this.#begunMs + syncEveryMs - this.#nowMs()
    if (leftMs <= 0) return false
    this.#isPaused = true
    // Timers of Node leave a part of a millisecond off.
    later(() => {
      this.#isPaused = false
      // One may be early by such a part.
      this.#begunMs = Number.NEGATIVE_INFINITY
      this.resume()
    }, Math.ceil(leftMs))
    return true
  }

  #stepOfFull(full: FullSegment): SyncStep {
    const done = () => {
      this.#full.shift()
      full.file.close()
      this.#syncedSeq = Math.max(this.#syncedSeq, full.endSeq)
      this.#reportWait(full.sinceMs)
    }
    return { run: (then) => full.file.syncLater(then), done }
  }

  #stepOfCurrent(): SyncStep {
    const file = this.#file
    const seq = this.#seq
    const sinceMs = this.#waitingSinceMs
    this.#waitingSinceMs = Number.NaN
    this.#begunMs = this.#nowMs()
    const done = () => {
      this.#syncedSeq = seq
      // Of batches that came meanwhile too.
      this.#options.mark?.reach(this.#seq)
      this.#reportWait(sinceMs)
    }
    return { run: (then) => file.syncLater(then), done }
  }

  /** With `off` all waits for the end of its segment, and nothing else is meant to last. */
  #reportWait(sinceMs: number): void {
    if (this.#options.fsync !== 'group' || Number.isNaN(sinceMs)) return
    this.#options.onSynced?.(this.#nowMs() - sinceMs)
  }

  #nowMs(): number {
    return this.#options.clockMs?.() ?? 0
  }
}

interface FullSegment {
  readonly file: SegmentFile
  /** Seq behind its last event. */
  readonly endSeq: number
  /** When the oldest byte of it that no sync covers was written; NaN for none. */
  readonly sinceMs: number
}

/** One thing to sync in the background, and what holds once it is. */
interface SyncStep {
  readonly run: (done: (error: Error | null) => void) => void
  readonly done: () => void
}
