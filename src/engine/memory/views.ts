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

/** Bytes as u32 lanes where they lie, which is at a whole lane. */
export function lanesIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
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

const PAGE_SHIFT = 20
const BYTES_PER_PAGE = 1 << PAGE_SHIFT
/** What an entry begins with lies at `place & PLACE_MASK` of its page. */
export const PLACE_MASK = BYTES_PER_PAGE - 1
/** Room behind the end of a page, for the last entry that begins in it; a longer one makes its page longer. */
const SPARE_BYTES = 1 << 10

/**
 * Entries of bytes, one behind the other, in pages: growing copies nothing. A page has the whole of every entry that
 * begins in it, and the next page has what lies behind its end again, so that from any place on an entry can be read
 * to its end in one page.
 */
export class PagedBytes {
  readonly #pages: Buffer[] = []
  #length = 0

  /** Bytes in use. */
  get length(): number {
    return this.#length
  }

  /** Bytes of its pages. */
  get bytes(): number {
    return this.#pages.reduce((sum, page) => sum + page.length, 0)
  }

  /** Bytes of the last page behind the entries. */
  get untouchedBytes(): number {
    const last = this.#pages.at(-1)
    if (last === undefined) return 0
    return last.length - (this.#length - (this.#pages.length - 1) * BYTES_PER_PAGE)
  }

  /** The page of a place in use. */
  page(place: number): Buffer {
    return this.#pages[place >>> PAGE_SHIFT]
  }

  /** Adds an entry at the end. */
  append(entry: Uint8Array): void {
    let place = this.#length
    this.#length += entry.length
    for (let rest = entry; rest.length > 0; ) {
      const at = place & PLACE_MASK
      this.#pageWithRoom(place, at + rest.length).set(rest, at)
      rest = rest.subarray(BYTES_PER_PAGE - at)
      place += BYTES_PER_PAGE - at
    }
  }

  /** Sets the bytes of an entry to one value. */
  fill(value: number, from: number, to: number): void {
    for (let place = from; place < to; place += BYTES_PER_PAGE - (place & PLACE_MASK)) {
      const at = place & PLACE_MASK
      this.page(place).fill(value, at, at + to - place)
    }
  }

  /** Makes it `length` zeros, to be written by way of `views`; each entry is `join`ed then. */
  reset(length: number): void {
    this.#pages.length = 0
    for (let place = 0; place < length; place += BYTES_PER_PAGE) this.#pageWithRoom(place, 0)
    this.#length = length
  }

  /** The bytes in use, page by page. */
  views(): Uint8Array[] {
    return this.#pages.map((page, i) =>
      page.subarray(0, Math.min(BYTES_PER_PAGE, this.#length - i * BYTES_PER_PAGE)),
    )
  }

  /** Puts what an entry has in the next page behind the end of its own too. */
  join(from: number, to: number): void {
    for (let page = (to - 1) >>> PAGE_SHIFT; page > from >>> PAGE_SHIFT; page--) {
      const start = page * BYTES_PER_PAGE
      const rest = this.#pages[page].subarray(0, to - start)
      this.#pageWithRoom(start - 1, BYTES_PER_PAGE + rest.length).set(rest, BYTES_PER_PAGE)
    }
  }

  #pageWithRoom(place: number, bytes: number): Buffer {
    const index = place >>> PAGE_SHIFT
    const page: Buffer | undefined = this.#pages[index]
    if (page !== undefined && page.length >= bytes) return page
    const made = Buffer.alloc(Math.max(BYTES_PER_PAGE + SPARE_BYTES, bytes))
    page?.copy(made)
    this.#pages[index] = made
    return made
  }
}
