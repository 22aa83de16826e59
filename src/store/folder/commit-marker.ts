import fs from 'node:fs'
import { join } from 'node:path'
import type { MapFile } from '../disk/kernel-calls.ts'
import { NodeDisk } from '../disk/node-disk.ts'
import { dataPath } from './data-folder.ts'

/**
 * Says beside the journal how far it was written. The journal alone does not show that its end is gone:
 * a copy that was taken earlier, or a file cut between two frames, reads as well as the whole.
 */
export interface CommitMarker {
  /** Is it memory, so that to reach costs no call of the kernel? */
  readonly isMemory: boolean
  /** A process begins to write in this segment, behind this seq; the disk has it when this returns. */
  begin(about: Omit<WrittenBefore, 'isClosed' | 'isHere'>): void
  /** Everything before this seq is written. */
  reach(seq: number): void
  /** The journal was closed in order in this segment; the disk has it when this returns. */
  close(segment: number): void
}

/** What the process before left in its mark. */
export interface WrittenBefore {
  readonly seq: number
  readonly segment: number
  readonly epoch: string
  readonly boot: string
  readonly isClosed: boolean
  /** Is the mark the very file that the process wrote, in no other folder as well, and so the folder no copy? */
  readonly isHere: boolean
}

/** The boot of a machine that does not name it. */
export const UNKNOWN_BOOT = '00000000-0000-0000-0000-000000000000'

/**
 * Why events that a client saw may be gone, in words that go on a sentence; null when it is certain
 * that none is.
 *
 * What a killed process had written is in the memory of its machine, so the folder has it as long as
 * the machine runs. After another boot only a journal that was closed, and so synced, has everything.
 * @param found what a start has found of the stream
 */
export function lossOf(
  found: {
    readonly place: { readonly seq: number; readonly segment: number }
    /** The last segment that is there, 0 for none. */
    readonly lastSegment: number
    readonly epoch: string | null
    /** Does the journal say that it was closed in order? */
    readonly isClosed: boolean
    /** Does more than half a write stand behind its last good frame, which a client may have seen? */
    readonly isTailDamaged: boolean
  } | null,
  written: WrittenBefore | null,
  boot: string,
): string | null {
  // Of an empty folder, which need not be new; a mark that was copied says nothing of the folder it was copied to.
  if (found === null)
    return written?.isHere === true ? goneBehind({ seq: 0, segment: 0 }, written) : null
  if (written === null) return 'nothing in the folder says how far it had been written'
  if (written.epoch !== found.epoch) return 'the journal is not the one that was written here last'
  const gone = goneBehind(found.place, written)
  if (gone !== null) return gone
  if (!written.isHere)
    return 'the folder is a copy, or shares its files with one, and the other may have been written on'
  if (found.isClosed || (written.isClosed && found.lastSegment <= written.segment)) return null
  if (found.isTailDamaged)
    return 'what stands at the end of the journal is damaged, and may be events that were seen'
  if (written.boot === boot && boot !== UNKNOWN_BOOT) return null
  return 'the machine went down, or does not tell, before the journal was closed'
}

function goneBehind(
  { seq, segment }: { readonly seq: number; readonly segment: number },
  written: WrittenBefore,
): string | null {
  if (written.seq > seq)
    return `events ${seq} to ${written.seq - 1} had been written and are not there any more`
  if (written.segment > segment)
    return `segment ${written.segment} of the journal had been begun and is not there any more`
  return null
}

/** How far the journal is written; it belongs to the files beside it. */
export const MARK_FILE = 'written'
const DIGITS = 16
const DIGIT_0 = 48
/** Digits that are stored as one, and what they count up to. */
const PART_DIGITS = 4
const PART = 10 ** PART_DIGITS
const PARTS = DIGITS / PART_DIGITS
const STATE = { open: 'open  ', closed: 'closed' } as const
const SHAPE =
  /^(\d{16}) (\d{16}) (open {2}|closed)\n\{"epoch":"([^"]*)","boot":"([^"]*)","device":"(\d+)","itself":"([^"]*)","first":(\d+),"segment":"([^"]*)"\}\n$/

/**
 * The mark as a file of the data folder. It names itself and the segment that was begun with it by
 * inode and time of birth, so that a copy of either is known for one; its first line is written over
 * in place, which costs no sync.
 */
export class FileCommitMarker implements CommitMarker {
  readonly #folder: string
  readonly #path: string
  readonly #map: MapFile | null
  readonly #digits = Buffer.alloc(DIGITS)
  #fd: number | null = null
  #memory: ReturnType<MapFile> = null
  /** The digits of a mark that is memory: four in each part, the first of them in the lowest byte. */
  #parts: Uint32Array | null = null
  /** What all parts but the last say; -1: they were not stored yet. */
  #above = -1
  #seq = -1

  /** With `map` to reach costs a store, where the file can be memory, else a write. */
  constructor(folder: string, map: MapFile | null = null) {
    this.#folder = folder
    this.#path = join(folder, MARK_FILE)
    this.#map = map
  }

  get isMemory(): boolean {
    return this.#parts !== null
  }

  begin(about: Omit<WrittenBefore, 'isClosed' | 'isHere'>): void {
    const fresh = `${this.#path}.new`
    fs.rmSync(fresh, { force: true })
    const fd = fs.openSync(fresh, 'wx+', 0o644)
    this.#fd = fd
    this.#seq = about.seq
    const stat = fs.fstatSync(fd, { bigint: true })
    const facts = {
      epoch: about.epoch,
      boot: about.boot,
      device: `${stat.dev}`,
      itself: identityOf(stat),
      first: about.segment,
      segment: segmentIdentity(this.#folder, about.segment),
    }
    const text = `${head(about.seq, about.segment, 'open')}${JSON.stringify(facts)}\n`
    fs.writeSync(fd, text, 0)
    fs.fsyncSync(fd)
    const memory = this.#map?.(fd, fresh, text.length) ?? null
    this.#memory = memory
    this.#parts = memory === null ? null : new Uint32Array(memory.bytes.buffer, 0, PARTS)
    fs.renameSync(fresh, this.#path)
    new NodeDisk().syncFolder(this.#folder)
  }

  reach(seq: number): void {
    if (this.#fd === null || seq === this.#seq) return
    this.#seq = seq
    if (this.#parts !== null) {
      this.#store(this.#parts, seq)
      return
    }
    this.#digits.write(digits(seq), 'latin1')
    this.#write(this.#fd, this.#digits)
  }

  close(segment: number): void {
    if (this.#fd === null) return
    const fd = this.#fd
    this.#memory?.close()
    this.#memory = null
    this.#parts = null
    this.#write(fd, Buffer.from(head(this.#seq, segment, 'closed')))
    if (this.#fd === null) return
    fs.fsyncSync(fd)
    fs.closeSync(fd)
    this.#fd = null
  }

  /**
   * Stores the upper parts first, which seldom change: what stands between two of the stores is beyond what anybody
   * has seen, as the next batch is not seen yet. A process killed there may leave a mark beyond what it wrote too,
   * for which the next start gives a new epoch. Nothing is read back on the way: that would wait for all stores
   * before, of the batch into its ring.
   */
  #store(parts: Uint32Array, seq: number): void {
    const above = Math.floor(seq / PART)
    if (above !== this.#above) this.#storeAbove(parts, above)
    parts[PARTS - 1] = digitsOf(seq - above * PART)
  }

  #storeAbove(parts: Uint32Array, above: number): void {
    this.#above = above
    for (let place = 0; place < PARTS - 1; place++)
      parts[place] = digitsOf(Math.floor(above / PART ** (PARTS - 2 - place)) % PART)
  }

  /** A stale marker would pass off a truncated journal as complete, so it is deleted. */
  #write(fd: number, bytes: Uint8Array): void {
    try {
      if (fs.writeSync(fd, bytes, 0, bytes.length, 0) === bytes.length) return
    } catch {
      // What matters is that it is not there any more.
    }
    this.#fd = null
    fs.closeSync(fd)
    fs.rmSync(this.#path, { force: true })
  }
}

/** Four digits as ASCII, the first of them lowest. */
function digitsOf(number: number): number {
  const hundreds = (number / 100) | 0
  const ones = (number - hundreds * 100) | 0
  return pairOf(hundreds) | (pairOf(ones) << 16)
}

function pairOf(number: number): number {
  const tens = (number / 10) | 0
  return (DIGIT_0 + tens) | ((DIGIT_0 + number - tens * 10) << 8)
}

/** Reads the mark of a folder; null when there is none that can be read. */
export function readMark(folder: string, bootNow: string): WrittenBefore | null {
  const path = join(folder, MARK_FILE)
  try {
    const parts = SHAPE.exec(fs.readFileSync(path, 'latin1'))
    if (parts === null) return null
    const [, seq, segment, state, epoch = '', boot = '', device, itself, first, begun] = parts
    const stat = fs.statSync(path, { bigint: true })
    // A device may get another number at the next boot; within one boot another number is a copy of the disk.
    const isSameDevice = boot !== bootNow || device === `${stat.dev}`
    const firstNow = segmentIdentity(folder, Number(first))
    // Snapshots and repairs take segments away.
    const isSameSegment = firstNow === '' || firstNow === begun
    // A copy of hard links has the very file too: nobody can tell which of them is the original.
    const isAlone = stat.nlink === 1n
    return {
      seq: Number(seq),
      segment: Number(segment),
      epoch,
      boot,
      isClosed: state === STATE.closed,
      isHere: isAlone && isSameDevice && isSameSegment && itself === identityOf(stat),
    }
  } catch {
    return null
  }
}

/** Inodes are given anew; together with the time of birth they are not. */
function identityOf({ ino, birthtimeNs }: fs.BigIntStats): string {
  return `${ino}:${birthtimeNs}`
}

/** Empty when the segment is not there. */
function segmentIdentity(folder: string, segment: number): string {
  const stat = fs.statSync(dataPath(folder, 'segment', segment), {
    bigint: true,
    throwIfNoEntry: false,
  })
  return stat === undefined ? '' : identityOf(stat)
}

function head(seq: number, segment: number, state: keyof typeof STATE): string {
  return `${digits(seq)} ${digits(segment)} ${STATE[state]}\n`
}

function digits(number: number): string {
  return String(number).padStart(DIGITS, '0')
}
