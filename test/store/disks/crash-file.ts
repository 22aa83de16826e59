import { createHash } from 'node:crypto'
import type { Random } from '../../oracle/random.ts'

/** What a disk writes whole or not at all. */
export const SECTOR_BYTES = 512

const FIRST_BYTES = 1 << 10

/** How unsynced bytes come out of a power failure. */
const FLAVOURS = ['none', 'all', 'prefix', 'sectors', 'sectors'] as const

/**
 * The bytes of one file whatever its name is: those that were made to last, and each version since.
 * A version is a view; bytes in front of its end never change, so that views may be shared.
 */
export class Inode {
  #bytes: Uint8Array
  #size: number
  #lasting: Uint8Array
  /** Contents after each unsynced operation, oldest first. */
  #versions: Uint8Array[] = []
  /** Unsynced operations that were made to last or given up so far: where `#versions` begins. */
  #first = 0
  /** Makes the bytes when somebody asks for them first: most files of an image are never read. */
  #making: (() => Uint8Array) | null

  constructor(lasting: Uint8Array | (() => Uint8Array) = new Uint8Array(0)) {
    const isLater = typeof lasting === 'function'
    this.#making = isLater ? lasting : null
    this.#bytes = isLater ? new Uint8Array(0) : lasting
    this.#lasting = this.#bytes
    this.#size = this.#bytes.length
  }

  /** What a program reads. */
  get content(): Uint8Array {
    this.#make()
    return this.#bytes.subarray(0, this.#size)
  }

  /** Hash of the content. */
  get hash(): string {
    return hashOf(this.content)
  }

  /** Number of the operation behind the newest: what a sync that starts now covers. */
  get mark(): number {
    return this.#first + this.#versions.length
  }

  append(bytes: Uint8Array): void {
    this.#make()
    const size = this.#size + bytes.length
    if (size > this.#bytes.length) this.#replace(Math.max(size * 2, FIRST_BYTES))
    this.#bytes.set(bytes, this.#size)
    this.#size = size
    this.#versions.push(this.content)
  }

  /** Writes over what is there, and behind it. Other bytes go as by a cut: what is behind them too. */
  place(bytes: Uint8Array, position: number): void {
    const { content } = this
    if (position > content.length) throw new Error('a write that leaves a hole')
    const known = content.subarray(position, position + bytes.length)
    const isSame = Buffer.from(known).equals(bytes.subarray(0, known.length))
    if (!isSame && position + bytes.length < content.length)
      throw new Error('a write into the middle of other bytes')
    if (!isSame) this.truncate(position)
    const from = isSame ? known.length : 0
    if (from < bytes.length) this.append(bytes.subarray(from))
  }

  truncate(size: number): void {
    this.#make()
    const kept = this.#size
    this.#size = Math.min(kept, size)
    // Into other memory: earlier versions still have the bytes behind the cut.
    this.#replace(Math.max(size, FIRST_BYTES))
    this.#size = size
    this.#versions.push(this.content)
  }

  /** What was done before `mark` lasts now. */
  syncTo(mark: number): void {
    this.#make()
    const done = mark - this.#first
    if (done <= 0) return
    this.#lasting = this.#versions[done - 1]
    this.#versions = this.#versions.slice(done)
    this.#first = mark
  }

  /** What lies between two places lasts now, and no more: what is before may not yet. */
  syncRange(from: number, to: number): void {
    this.#make()
    if (this.#lasting.length < from) return
    const version = this.#versions.findIndex(({ length }) => length >= to)
    if (version >= 0) this.syncTo(this.#first + version + 1)
  }

  /** The file as kill -9 leaves it. */
  killed(): Inode {
    this.#make()
    const copy = new Inode(this.#lasting)
    copy.#bytes = this.content
    copy.#size = this.#size
    copy.#versions = [...this.#versions]
    return copy
  }

  /** The file as a power failure may leave it. */
  crashed(random: Random): Inode {
    this.#make()
    if (this.#versions.length === 0) return new Inode(this.#lasting)
    const versions = [this.#lasting, ...this.#versions]
    return new Inode(() => afterPowerFailure(versions, random))
  }

  #make(): void {
    if (this.#making === null) return
    this.#bytes = this.#making()
    this.#making = null
    this.#lasting = this.#bytes
    this.#size = this.#bytes.length
  }

  #replace(capacity: number): void {
    const bytes = new Uint8Array(capacity)
    bytes.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = bytes
  }
}

/** Hashes of contents by their memory and length: what lies in front of an end never changes. */
const hashes = new WeakMap<ArrayBufferLike, Map<number, string>>()

function hashOf(content: Uint8Array): string {
  const known = hashes.get(content.buffer) ?? new Map<number, string>()
  hashes.set(content.buffer, known)
  const hash = known.get(content.length) ?? createHash('sha1').update(content).digest('base64')
  known.set(content.length, hash)
  return hash
}

/**
 * One of the contents that unsynced operations may leave: any of its sizes, each sector as it was
 * after any one of the operations, zeros where it had not been written yet.
 */
function afterPowerFailure(versions: readonly Uint8Array[], random: Random): Uint8Array {
  const flavour = random.pick(FLAVOURS)
  const [lasting] = versions
  const newest = versions[versions.length - 1]
  if (flavour === 'none') return lasting
  if (flavour === 'all') return newest.slice()
  const [version, size] = anySize(versions, random)
  const after = new Uint8Array(size)
  if (flavour === 'prefix') {
    after.set(version.subarray(0, size))
    return after
  }
  const same = unchanged(versions)
  after.set(lasting.subarray(0, Math.min(size, same)))
  const newestChance = random.pick([0, 0.5, 0.9, 1])
  for (let at = same - (same % SECTOR_BYTES); at < size; at += SECTOR_BYTES) {
    const any = versions[random.integer(0, versions.length - 1)]
    const source = random.chance(newestChance) ? newest : any
    after.set(source.subarray(at, Math.min(size, at + SECTOR_BYTES)), at)
    after.fill(0, Math.min(size, Math.max(at, source.length)), Math.min(size, at + SECTOR_BYTES))
  }
  return after
}

/** A size the file may have had, and the content that was being written then. */
function anySize(versions: readonly Uint8Array[], random: Random): [Uint8Array, number] {
  const to = random.integer(1, versions.length - 1)
  const from = versions[to - 1].length
  const version = versions[to]
  if (version.length <= from || random.chance(0.4)) return [version, version.length]
  const size = random.integer(from, version.length)
  return [version, random.chance(0.5) ? size : Math.max(from, size - (size % SECTOR_BYTES))]
}

/** Bytes from the start that no operation has touched. */
function unchanged(versions: readonly Uint8Array[]): number {
  return Math.min(...versions.map(({ length }) => length))
}
