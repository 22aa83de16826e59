/** Bytes that the system gives at the first write to any of them. */
const PAGE_BYTES = 4_096

/** The bytes of an array where they lie. */
export function bytesOf(array: Uint32Array | Int32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** A copy of bytes as u32 lanes; they may lie anywhere, and `slice` of a Buffer copies nothing. */
export function lanesOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer)
}

/** How many bytes some views have in all. */
export function totalBytes(views: readonly Uint8Array[]): number {
  return views.reduce((sum, view) => sum + view.length, 0)
}

/** May a ring that doubles from `least` to `most` be this long? */
export function isRingLength(length: number, least: number, most: number): boolean {
  return length >= least && length <= most && Number.isInteger(Math.log2(length))
}

/** Of a zeroed array's bytes those that are expected to lie in pages that `writes` to places all over it never met. */
export function untouchedByScattered(bytes: number, writes: number): number {
  return Math.floor(bytes * Math.exp((-writes * PAGE_BYTES) / bytes))
}

/**
 * Doubles that V8 does not count as garbage to come: it collects for every few megabytes of other
 * buffers. Nobody shares them (see `Rows`).
 */
export function sharedF64(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}

/** The wider copy `to` of a typed array, with what `from` holds. */
export function widened<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from)
  return to
}

/** From this part of a buffer on, the next one is filled beside it. */
const AHEAD_FROM = 0.75
/** Bytes copied with each entry: the copy is done long before the buffer is full. */
const SLICE_BYTES = 1 << 16

/**
 * Bytes that grow at their end and lie in one buffer. A wider one is filled in slices before it is
 * needed: copying a hundred megabytes at once would hold the loop for as many milliseconds.
 */
export class GrowingBytes {
  readonly #firstBytes: number
  #buffer: Buffer
  /** The next buffer, while it is filled; null: not yet. */
  #wider: Buffer | null = null
  /** Bytes that the next buffer has. */
  #copied = 0
  #length = 0

  constructor(firstBytes: number) {
    this.#firstBytes = firstBytes
    this.#buffer = Buffer.alloc(firstBytes)
  }

  /** Bytes in use. */
  get length(): number {
    return this.#length
  }

  /** The buffer they lie in, from its start; another one after some appends. */
  get buffer(): Buffer {
    return this.#buffer
  }

  /** Bytes of its buffers. */
  get bytes(): number {
    return this.#buffer.length + (this.#wider?.length ?? 0)
  }

  get untouchedBytes(): number {
    return this.bytes - this.#length - this.#copied
  }

  /** Adds an entry at the end. */
  append(entry: Uint8Array): void {
    const end = this.#length + entry.length
    if (end > this.#buffer.length) this.#takeWider(end)
    this.#buffer.set(entry, this.#length)
    this.#length = end
    if (end >= this.#buffer.length * AHEAD_FROM) this.#copyAhead()
  }

  /** Sets bytes in use to one value. */
  fill(value: number, from: number, to: number): void {
    this.#buffer.fill(value, from, to)
    if (from < this.#copied) this.#wider?.fill(value, from, Math.min(to, this.#copied))
  }

  /** Makes it `length` zeros, with room for as many more. */
  reset(length: number): void {
    this.#buffer = Buffer.alloc(Math.max(length * 2, this.#firstBytes))
    this.#wider = null
    this.#copied = 0
    this.#length = length
  }

  #copyAhead(): void {
    this.#wider ??= Buffer.alloc(this.#buffer.length * 2)
    const to = Math.min(this.#length, this.#copied + SLICE_BYTES)
    this.#buffer.copy(this.#wider, this.#copied, this.#copied, to)
    this.#copied = to
  }

  /** The next buffer takes over; an entry longer than all before it may have come too soon for it. */
  #takeWider(least: number): void {
    const isWideEnough = this.#wider !== null && this.#wider.length >= least
    const wider = isWideEnough ? this.#wider : null
    const next = wider ?? Buffer.alloc(Math.max(this.#buffer.length * 2, least))
    const from = wider === null ? 0 : this.#copied
    this.#buffer.copy(next, from, from, this.#length)
    this.#buffer = next
    this.#wider = null
    this.#copied = 0
  }
}
