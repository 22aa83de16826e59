import { basename, dirname } from 'node:path'
import {
  type PlacedFile,
  type RingPlace,
  ringPath,
} from '../../../src/store/journal/journal-ring.ts'
import type { Random } from '../../oracle/random.ts'
import { type CrashDisk, systemError } from './crash-disk.ts'
import { Inode, SECTOR_BYTES } from './crash-file.ts'
import { FOLDER } from './story.ts'

/** Earlier contents of the ring that a power failure may leave parts of. */
const EARLIER_MAX = 4

/** A file that is memory: what was stored last is what a kill leaves of it. */
class MemoryInode extends Inode {
  readonly memory: Uint8Array
  readonly #random: Random
  readonly #earlier: Uint8Array[] = []

  constructor(bytes: number, random: Random) {
    super()
    this.memory = new Uint8Array(bytes)
    this.#random = random
  }

  override get content(): Uint8Array {
    return this.memory
  }

  override get hash(): string {
    return Buffer.from(this.memory).toString('base64')
  }

  override killed(): Inode {
    if (this.#random.chance(0.1) && this.#earlier.length < EARLIER_MAX)
      this.#earlier.push(this.memory.slice())
    return new Inode(this.memory.slice())
  }

  /** Nothing of it is ever made to last: each sector is as it was at some time. */
  override crashed(random: Random): Inode {
    const after = new Uint8Array(this.memory.length)
    const versions = [after.slice(), ...this.#earlier, this.memory] as const
    const newestChance = random.pick([0, 0.5, 0.9, 1])
    for (let at = 0; at < after.length; at += SECTOR_BYTES) {
      const version = random.chance(newestChance) ? this.memory : random.pick(versions)
      after.set(version.subarray(at, at + SECTOR_BYTES), at)
    }
    return new Inode(after)
  }
}

/** The ring of a journal on a simulated disk. */
export class CrashRing implements RingPlace {
  readonly #disk: CrashDisk
  readonly #bytes: number
  readonly #random: Random

  constructor(disk: CrashDisk, bytes: number, random: Random) {
    this.#disk = disk
    this.#bytes = bytes
    this.#random = random
  }

  begin(): Uint8Array {
    const { entries } = this.#disk.folder(FOLDER)
    const inode = new MemoryInode(this.#bytes, this.#random)
    const name = ringPath('')
    this.#disk.folder(FOLDER).change(entries.has(name) ? name : null, name, inode)
    return inode.memory
  }

  open(path: string): PlacedFile {
    const inode = this.#disk.folder(dirname(path)).entries.get(basename(path))
    if (inode === undefined) throw systemError('ENOENT', path)
    return new CrashPlacedFile(this.#disk, inode, this.#random)
  }

  end(): void {
    const folder = this.#disk.folder(FOLDER)
    const name = ringPath('')
    const inode = folder.entries.get(name)
    if (inode !== undefined) folder.change(name, null, inode)
  }
}

class CrashPlacedFile implements PlacedFile {
  readonly #disk: CrashDisk
  readonly #inode: Inode
  readonly #random: Random

  constructor(disk: CrashDisk, inode: Inode, random: Random) {
    this.#disk = disk
    this.#inode = inode
    this.#random = random
  }

  write(parts: readonly Uint8Array[], position: number): void {
    const bytes = Buffer.concat(parts)
    const fault = this.#disk.begin('write', 'write at a place of a segment', true)
    const code = fault?.code ?? null
    // Of one that takes fewer bytes and says so the rest is written by another call.
    const taken = code === null ? bytes.length : Math.floor(bytes.length * (fault?.takes ?? 0))
    this.#inode.place(bytes.subarray(0, taken), position)
    this.#disk.onChange?.()
    if (code !== null) throw systemError(code, 'write at a place')
  }

  /** The kernel may have done any part of it at any time; the bytes are those of the ring all the while. */
  writeSyncedLater(
    parts: readonly Uint8Array[],
    position: number,
    done: (error: Error | null) => void,
  ): void {
    const bytes = Buffer.concat(parts)
    if (this.#random.chance(0.5))
      this.#inode.place(bytes.subarray(0, this.#random.integer(0, bytes.length)), position)
    const work = () => {
      if (!Buffer.concat(parts).equals(bytes)) throw new Error('a write under way was written over')
      this.#inode.place(bytes, position)
      this.#inode.syncRange(position, position + bytes.length)
    }
    this.#disk.later('synced write of a segment', work, done)
  }

  close(): void {}
}
