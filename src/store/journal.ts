import { segmentPath } from './data-folder.ts'
import { appendAll, type Disk, type DiskFile } from './disk.ts'
import { diskReason } from './disk-reason.ts'
import { StoreError } from './failure.ts'
import { FrameWriter } from './frame-writer.ts'
import { Kind, SEGMENT_HEADER_BYTES } from './journal-format.ts'
import { writeSegmentHeader } from './segment-header.ts'
import type { SegmentWatch } from './segment-watch.ts'
import type { WrittenMark } from './written-mark.ts'

/** When what was written is made to last (contract section 6). */
export type FsyncPolicy =
  /** `fdatasync` back to back in the background. */
  | 'group'
  /** Before anything of a batch is published. */
  | 'always'
  /** When the system likes; only the ends of segments are synced. */
  | 'off'

/** A segment is followed by a new one from this size on. */
export const SEGMENT_BYTES = 64 << 20

export interface JournalOptions {
  readonly disk: Disk
  readonly folder: string
  readonly fsync: FsyncPolicy
  readonly epoch: string
  readonly boot: string
  readonly segmentBytes?: number
  /** Told how far the journal is written; without it the next start cannot know that all is there. */
  readonly mark?: WrittenMark
  /** Looks whether the folder is still the one that was taken. */
  readonly watch?: SegmentWatch
  /** Told once, when the disk refused: nothing can be appended any more. */
  readonly onFailure: (failure: StoreError) => void
  /** Told after each sync how long what it made last had waited, at most; milliseconds. */
  readonly onSynced?: (waitedMs: number) => void
  /** Milliseconds, for `onSynced`. */
  readonly clockMs?: () => number
}

/** Where a journal goes on: behind this seq and crc, in the segment after this one. */
export interface JournalPlace {
  readonly seq: number
  readonly crc: number
  readonly segment: number
}

/**
 * The journal of one process, append-only: a batch is one write, before anything of it is folded or
 * seen. Every start begins a segment of its own. A failed write or sync is never tried again, since
 * nobody can know what the disk then holds: the journal is over, and with it the intake of events.
 */
export class Journal {
  readonly frames = new FrameWriter()
  readonly #options: JournalOptions
  readonly #segmentBytes: number
  #file: DiskFile
  #segment: number
  #size = 0
  #seq: number
  #crc: number
  #syncedSeq: number
  #failure: StoreError | null = null
  /** Segments whose last bytes are not known to be on the disk yet, oldest first. */
  #full: FullSegment[] = []
  /** Segments up to this one have names that last. */
  #namedSegment = 0
  #isSyncing = false
  #isClosed = false
  /** When the oldest byte of the file that no running sync covers was written; NaN for none. */
  #waitingSinceMs = Number.NaN

  /** @throws StoreError when the first segment cannot be made */
  constructor(options: JournalOptions, place: JournalPlace) {
    this.#options = options
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES
    this.#seq = place.seq
    this.#crc = place.crc
    this.#syncedSeq = place.seq
    this.#segment = place.segment
    try {
      this.#file = this.#openSegment()
      this.#file.sync()
      options.disk.syncFolder(options.folder)
      this.#namedSegment = this.#segment
      const { epoch, boot } = options
      options.mark?.begin({ seq: this.#seq, segment: this.#segment, epoch, boot })
    } catch (error) {
      throw notBegun(error, options.folder)
    }
  }

  /** Seq behind everything that was written. */
  get seq(): number {
    return this.#seq
  }

  /** Seq below which everything is on the disk. */
  get syncedSeq(): number {
    return this.#syncedSeq
  }

  /** Index of the segment that is being written. */
  get segment(): number {
    return this.#segment
  }

  /** Bytes of the segment that is being written. */
  get segmentSize(): number {
    return this.#size
  }

  get failure(): StoreError | null {
    return this.#failure
  }

  /** Starts a batch of frames in `frames`. */
  begin(): FrameWriter {
    this.frames.begin(this.#crc, this.#syncedSeq)
    return this.frames
  }

  /**
   * Writes the batch in `frames`, which ends before `endSeq`; with `always` it is on the disk when
   * this returns.
   * @throws StoreError when the disk refuses, or had refused before, or the journal is closed
   */
  commit(endSeq: number): void {
    if (this.#failure !== null) throw this.#failure
    // A feed may still hand over what it had when it was stopped: the file's number is another's by now.
    if (this.#isClosed) throw new StoreError('disk', 'The journal is closed: the program ends.')
    const { bytes } = this.frames
    try {
      appendAll(this.#file, bytes)
      this.#size += bytes.length
      this.#crc = this.frames.crc
      this.#seq = endSeq
      if (this.#options.fsync === 'always') this.#syncBatch()
      else if (Number.isNaN(this.#waitingSinceMs)) this.#waitingSinceMs = this.#nowMs()
      if (this.#size >= this.#segmentBytes) this.#rotate()
      if (this.#options.fsync !== 'group') this.#options.mark?.reach(endSeq)
    } catch (error) {
      throw this.#fail(error)
    }
    this.#keepSyncing()
  }

  /**
   * Index of the first segment behind everything written so far: the files before it are whole. A
   * segment is begun for it, unless the present one is empty or the journal is closed.
   * @throws StoreError when the disk refuses
   */
  boundary(): number {
    if (this.#failure !== null) throw this.#failure
    if (this.#isClosed) return this.#segment + 1
    try {
      if (this.#size > SEGMENT_HEADER_BYTES) this.#rotate()
    } catch (error) {
      throw this.#fail(error)
    }
    this.#keepSyncing()
    return this.#segment
  }

  /** Ends the intake when what is written is not in the folder any more; asked now and then. */
  look(): void {
    if (this.#isClosed || this.#failure !== null) return
    try {
      this.#options.watch?.look()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Makes everything last and says so in the file: a stop in order. */
  close(): void {
    if (this.#isClosed) return
    this.look()
    this.#isClosed = true
    if (this.#failure === null) this.#sayClosed()
    this.#closeFiles()
  }

  #sayClosed(): void {
    try {
      this.begin().add(Kind.closed, this.#seq, 0, new Uint8Array(0))
      appendAll(this.#file, this.frames.bytes)
      this.#syncNow()
      this.#options.mark?.reach(this.#seq)
      this.#options.mark?.close(this.#segment)
    } catch (error) {
      this.#fail(error)
    }
  }

  #openSegment(): DiskFile {
    const { disk, folder, epoch, boot, watch } = this.#options
    // Else it would be begun in another folder, which somebody else may hold.
    watch?.look()
    this.#segment += 1
    const header = writeSegmentHeader({
      index: this.#segment,
      firstSeq: this.#seq,
      syncedSeq: this.#syncedSeq,
      previousCrc: this.#crc,
      epoch,
      boot,
    })
    const path = segmentPath(folder, this.#segment)
    const file = disk.create(path)
    this.#file = file
    appendAll(file, header.bytes)
    watch?.begun(path)
    this.#size = header.bytes.length
    this.#crc = header.crc
    return file
  }

  #rotate(): void {
    this.#full.push({ file: this.#file, endSeq: this.#seq, sinceMs: this.#waitingSinceMs })
    this.#waitingSinceMs = Number.NaN
    this.#openSegment()
    if (this.#options.fsync === 'always') this.#syncNow()
  }

  #syncBatch(): void {
    const sinceMs = this.#nowMs()
    this.#syncNow()
    this.#options.onSynced?.(this.#nowMs() - sinceMs)
  }

  /** The folder and old segments first: what is synced has no hole before it. */
  #syncNow(): void {
    if (this.#namedSegment < this.#segment) this.#options.disk.syncFolder(this.#options.folder)
    this.#namedSegment = this.#segment
    for (const { file } of this.#full) {
      file.sync()
      file.close()
    }
    this.#full = []
    this.#file.sync()
    this.#syncedSeq = this.#seq
  }

  /** One sync after the other as long as there is something to sync. */
  #keepSyncing(): void {
    if (this.#isSyncing || this.#isClosed || this.#failure !== null) return
    const step = this.#nextStep()
    if (step === null) return
    this.#isSyncing = true
    step.run((error) => {
      this.#isSyncing = false
      if (this.#isClosed || this.#failure !== null) return
      if (error === null) this.#finish(step)
      else this.#fail(error)
    })
  }

  /** Nobody else would catch what the disk refuses here: it is called in the background. */
  #finish(step: SyncStep): void {
    try {
      step.done()
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#keepSyncing()
  }

  #nextStep(): SyncStep | null {
    const { disk, folder, fsync } = this.#options
    if (fsync === 'always') return null
    if (this.#namedSegment < this.#segment) {
      const segment = this.#segment
      const done = () => {
        this.#namedSegment = segment
      }
      return { run: (then) => disk.syncFolderLater(folder, then), done }
    }
    if (this.#full.length > 0) return this.#stepOfFull(this.#full[0])
    return fsync === 'group' && this.#syncedSeq < this.#seq ? this.#stepOfCurrent() : null
  }

  #stepOfFull(full: FullSegment): SyncStep {
    const done = () => {
      this.#full.shift()
      full.file.close()
      this.#syncedSeq = Math.max(this.#syncedSeq, full.endSeq)
      this.#tellWait(full.sinceMs)
    }
    return { run: (then) => full.file.syncLater(then), done }
  }

  #stepOfCurrent(): SyncStep {
    const file = this.#file
    const seq = this.#seq
    const sinceMs = this.#waitingSinceMs
    this.#waitingSinceMs = Number.NaN
    const done = () => {
      this.#syncedSeq = seq
      // Not with every batch: a mark costs as much as a write of sixteen swaps.
      this.#options.mark?.reach(seq)
      this.#tellWait(sinceMs)
    }
    return { run: (then) => file.syncLater(then), done }
  }

  /** With `off` all waits for the end of its segment, and nothing else is meant to last. */
  #tellWait(sinceMs: number): void {
    if (this.#options.fsync !== 'group' || Number.isNaN(sinceMs)) return
    this.#options.onSynced?.(this.#nowMs() - sinceMs)
  }

  #nowMs(): number {
    return this.#options.clockMs?.() ?? 0
  }

  #fail(error: unknown): StoreError {
    if (this.#failure !== null) return this.#failure
    const failure = refused(error, this.#options.folder)
    this.#failure = failure
    this.#options.onFailure(failure)
    return failure
  }

  #closeFiles(): void {
    for (const file of [...this.#full.map((full) => full.file), this.#file])
      try {
        file.close()
      } catch {
        // What matters was synced before, or the failure was told.
      }
    this.#options.watch?.close()
    this.#full = []
  }
}

interface FullSegment {
  readonly file: DiskFile
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

function refused(error: unknown, folder: string): StoreError {
  if (error instanceof StoreError) return error
  return new StoreError(
    'disk',
    `The disk refused the journal (${reasonAt(error, folder)}): no events are taken until the program ` +
      'is started anew with a disk that works; reads go on.',
  )
}

function notBegun(error: unknown, folder: string): StoreError {
  if (error instanceof StoreError) return error
  return new StoreError(
    'disk',
    `The disk refused to begin the journal (${reasonAt(error, folder)}): mend that, or give another ` +
      'DATA_DIR.',
  )
}

/** A write and a sync do not tell where. */
function reasonAt(error: unknown, folder: string): string {
  const reason = diskReason(error)
  return reason.includes(folder) ? reason : `${reason}, in ${folder}`
}
