/**
 * The journal: every event that arrived, in order, before anything of it is folded. In: batches of frames from
 * JournaledEngine. Out: segment files, which journal-scan.ts walks and journal-fold.ts folds again.
 *
 * - A frame is chained to the one before it by its crc; a segment to the one before by the crc of its last frame.
 * - `seq` counts events. Below `syncedSeq` everything is on the disk.
 * - With a ring (journal-ring.ts) a batch is a copy into memory that outlives a kill, and the segment's write follows in
 *   the background (fsync-scheduler.ts). Without, it is one write.
 */
import fs from 'node:fs'
import { appendAll, type DiskFile } from '../disk/disk.ts'
import { diskReason, StoreError } from '../disk/failure.ts'
import { dataPath } from '../folder/data-folder.ts'
import {
  FrameWriter,
  Kind,
  SEGMENT_HEADER_BYTES,
  writeSegmentHeader,
} from '../format/journal-format.ts'
import { FsyncScheduler, type JournalSyncsOptions } from './fsync-scheduler.ts'
import { Ring, type RingPlace, RingSegment, type SegmentFile } from './journal-ring.ts'
import type { JournalEnd } from './journal-scan.ts'

/** A segment is followed by a new one from this size on. */
export const SEGMENT_BYTES = 64 << 20

interface JournalOptions extends JournalSyncsOptions {
  readonly epoch: string
  readonly boot: string
  readonly segmentBytes?: number
  /** What batches are put into with `group`; without it, or where it cannot be, each is a write. */
  readonly ring?: RingPlace | undefined
  /** Looks whether the folder is still the one that was taken. */
  readonly watch?: SegmentWatch
  /** Called once, when the disk refused: nothing can be appended any more. */
  readonly onFailure: (failure: StoreError) => void
}

/**
 * The journal of one process, append-only: a batch is one write, or lies in the ring as one, before
 * anything of it is folded or seen. Every start begins a segment of its own. A failed write or sync is never tried again, since
 * nobody can know what the disk then holds: the journal is over, and with it the intake of events.
 */
export class Journal {
  readonly frames = new FrameWriter()
  readonly #options: JournalOptions
  readonly #segmentBytes: number
  readonly #syncs: FsyncScheduler
  readonly #ring: Ring | null
  #file: SegmentFile
  #index: number
  #size = 0
  #seq: number
  #crc: number
  #failure: StoreError | null = null
  #isClosed = false

  /**
   * Goes on behind a seq and a crc, in the segment after this one.
   * @throws StoreError when the first segment cannot be made
   */
  constructor(options: JournalOptions, place: Pick<JournalEnd, 'seq' | 'crc' | 'segment'>) {
    this.#options = options
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES
    const { seq } = place
    this.#seq = seq
    this.#crc = place.crc
    this.#ring = ringOf(options)
    try {
      const index = place.segment + 1
      this.#index = index
      this.#file = this.#begun(index, seq)
      const onRefused = (error: unknown) => void this.#fail(error)
      this.#syncs = new FsyncScheduler(options, this.#file, index, seq, onRefused)
      const { epoch, boot } = options
      options.mark?.begin({ seq, segment: index, epoch, boot })
    } catch (error) {
      throw refusedJournal(error, options.folder, 'to begin the journal', NEEDS_FOLDER)
    }
  }

  /** Seq behind everything that was written. */
  get seq(): number {
    return this.#seq
  }

  /** Where another journal goes on behind this one, once it is closed. */
  get place(): Pick<JournalEnd, 'seq' | 'crc' | 'segment'> {
    return { seq: this.#seq, crc: this.#crc, segment: this.#index }
  }

  /** Seq below which everything is on the disk. */
  get syncedSeq(): number {
    return this.#syncs.syncedSeq
  }

  /** Index of the segment that is being written. */
  get segment(): number {
    return this.#index
  }

  /** Bytes of the segment that is being written. */
  get segmentSize(): number {
    return this.#size
  }

  /** Length of its ring; 0: each batch is a write. */
  get ringBytes(): number {
    return this.#ring?.memory.length ?? 0
  }

  get failure(): StoreError | null {
    return this.#failure
  }

  /** Starts a batch of frames in `frames`. */
  begin(): FrameWriter {
    this.frames.begin(this.#crc, this.syncedSeq)
    return this.frames
  }

  /**
   * Writes the batch in `frames`, which ends before `endSeq`; with `always` it is on the disk when
   * this returns, else a sync begins once `keepSyncing` is called.
   * @throws StoreError when the disk refuses, or had refused before, or the journal is closed
   */
  commit(endSeq: number): void {
    if (this.#failure !== null) throw this.#failure
    // A feed may still hand over what it had when it was stopped: the file's number is another's by now.
    if (this.#isClosed) throw new StoreError('disk', 'The journal is closed: the program ends.')
    const { bytes } = this.frames
    try {
      this.#file.append(bytes)
      this.#size += bytes.length
      this.#crc = this.frames.crc
      this.#seq = endSeq
      this.#syncs.markDirty(endSeq)
      if (this.#size >= this.#segmentBytes) this.#rotate()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** Begins to make last in the background what was written, unless that is under way or the policy has none. */
  keepSyncing(begin: 'now' | 'behindTurn' = 'now'): void {
    if (begin === 'now') this.#syncs.resume()
    else this.#syncs.resumeBehindTurn()
  }

  /**
   * Index of the first segment behind everything written so far: the files before it are whole. A
   * segment is begun for it, unless the present one is empty or the journal is closed.
   * @throws StoreError when the disk refuses
   */
  boundary(): number {
    if (this.#failure !== null) throw this.#failure
    if (this.#isClosed) return this.segment + 1
    try {
      if (this.#size > SEGMENT_HEADER_BYTES) this.#rotate()
    } catch (error) {
      throw this.#fail(error)
    }
    this.#syncs.resume()
    return this.segment
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
    this.#syncs.stop()
    if (this.#failure === null) this.#sayClosed()
    this.#syncs.closeFiles()
    // After a failure it has what the segment has not.
    if (this.#failure === null && this.#ring !== null) this.#options.ring?.end()
    this.#options.watch?.close()
  }

  #sayClosed(): void {
    try {
      // Before the frame, which says what was safe: with `off` nothing else has ever made it so.
      this.#syncs.now()
      this.begin().add(Kind.closed, this.#seq, 0, new Uint8Array(0))
      this.#file.append(this.frames.bytes)
      this.#crc = this.frames.crc
      this.#syncs.now()
      this.#options.mark?.reach(this.#seq)
      this.#options.mark?.close(this.segment)
    } catch (error) {
      this.#fail(error)
    }
  }

  #rotate(): void {
    this.#syncs.seal()
    this.#file = this.#begun(this.#index + 1, this.syncedSeq)
    this.#index += 1
    this.#syncs.opened(this.#file)
  }

  /** Makes a segment with its header. */
  #begun(index: number, syncedSeq: number): SegmentFile {
    const { disk, folder, epoch, boot, watch } = this.#options
    // Else it would be begun in another folder, which somebody else may hold.
    watch?.look()
    const about = { index, firstSeq: this.#seq, syncedSeq, previousCrc: this.#crc, epoch, boot }
    const header = writeSegmentHeader(about)
    const path = dataPath(folder, 'segment', index)
    const file = disk.create(path)
    try {
      appendAll(file, header.bytes)
      watch?.begun(path)
      const segment = this.#segment(file, path, header.bytes.length)
      this.#size = header.bytes.length
      this.#crc = header.crc
      return segment
    } catch (error) {
      file.close()
      throw error
    }
  }

  #segment(file: DiskFile, path: string, bytes: number): SegmentFile {
    const { ring } = this.#options
    if (this.#ring === null || ring === undefined) return plainSegment(file)
    return new RingSegment(file, ring.open(path), this.#ring, bytes)
  }

  #fail(error: unknown): StoreError {
    if (this.#failure !== null) return this.#failure
    const failure = refusedJournal(error, this.#options.folder, 'the journal', ENDS_INTAKE)
    this.#failure = failure
    this.#syncs.stop()
    this.#options.onFailure(failure)
    return failure
  }
}

/**
 * A segment that is written as it stands, a call of the kernel for each batch. It is synced all the time: the
 * more there is to sync, the longer the kernel keeps a write waiting.
 */
function plainSegment(file: DiskFile): SegmentFile {
  return {
    syncEveryMs: 0,
    append: (bytes) => appendAll(file, bytes),
    sync: () => file.sync(),
    syncLater: (done) => file.syncLater(done),
    close: () => file.close(),
    settle() {},
    abandonSync() {},
  }
}

/** That of a process before was read by the recovery. */
function ringOf({ fsync, ring }: JournalOptions): Ring | null {
  if (fsync !== 'group') ring?.end()
  const memory = fsync === 'group' ? (ring?.begin() ?? null) : null
  return memory === null ? null : new Ring(memory)
}

/** Says that the disk refused to `what`, where, and what follows. A write and a sync do not say where. */
function refusedJournal(error: unknown, folder: string, what: string, then: string): StoreError {
  if (error instanceof StoreError) return error
  const reason = diskReason(error)
  const where = reason.includes(folder) ? '' : `, in ${folder}`
  return new StoreError('disk', `The disk refused ${what} (${reason}${where}): ${then}`)
}

const ENDS_INTAKE =
  'no events are taken until the program is started anew with a disk that works; reads go on.'
const NEEDS_FOLDER = 'mend that, or give another DATA_DIR.'

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
