import fs from 'node:fs'
import { join } from 'node:path'
import { segmentPath } from './data-folder.ts'
import { NodeDisk } from './node-disk.ts'
import type { MarkAbout, WrittenBefore, WrittenMark } from './written-mark.ts'

const NAME = 'written'
const DIGITS = 16
const STATE = { open: 'open  ', closed: 'closed' } as const
const SHAPE =
  /^(\d{16}) (\d{16}) (open {2}|closed)\n\{"epoch":"([^"]*)","boot":"([^"]*)","device":"(\d+)","itself":"([^"]*)","first":(\d+),"segment":"([^"]*)"\}\n$/

/**
 * The mark as a file of the data folder. It names itself and the segment that was begun with it by
 * inode and time of birth, so that a copy of either is known for one; its first line is written over
 * in place, which costs no sync.
 */
export class FileMark implements WrittenMark {
  readonly #folder: string
  readonly #path: string
  readonly #digits = Buffer.alloc(DIGITS)
  #fd: number | null = null
  #seq = -1

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, NAME)
  }

  begin(about: MarkAbout): void {
    const fresh = `${this.#path}.new`
    fs.rmSync(fresh, { force: true })
    const fd = fs.openSync(fresh, 'wx', 0o644)
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
    fs.writeSync(fd, `${head(about.seq, about.segment, 'open')}${JSON.stringify(facts)}\n`, 0)
    fs.fsyncSync(fd)
    fs.renameSync(fresh, this.#path)
    new NodeDisk().syncFolder(this.#folder)
  }

  reach(seq: number): void {
    if (this.#fd === null || seq === this.#seq) return
    this.#seq = seq
    this.#digits.write(digits(seq), 'latin1')
    this.#write(this.#fd, this.#digits)
  }

  close(segment: number): void {
    if (this.#fd === null) return
    const fd = this.#fd
    this.#write(fd, Buffer.from(head(this.#seq, segment, 'closed')))
    if (this.#fd === null) return
    fs.fsyncSync(fd)
    fs.closeSync(fd)
    this.#fd = null
  }

  /** A mark that stays behind would call less than there was everything: better none at all. */
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

/** Reads the mark of a folder; null when there is none that can be read. */
export function readMark(folder: string, bootNow: string): WrittenBefore | null {
  const path = join(folder, NAME)
  try {
    const parts = SHAPE.exec(fs.readFileSync(path, 'latin1'))
    if (parts === null) return null
    const [, seq, segment, state, epoch, boot, device, itself, first, begun] = parts
    const stat = fs.statSync(path, { bigint: true })
    // A device may get another number at the next boot; within one it tells a picture of the disk.
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
  const stat = fs.statSync(segmentPath(folder, segment), { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : identityOf(stat)
}

function head(seq: number, segment: number, state: keyof typeof STATE): string {
  return `${digits(seq)} ${digits(segment)} ${STATE[state]}\n`
}

function digits(number: number): string {
  return String(number).padStart(DIGITS, '0')
}
