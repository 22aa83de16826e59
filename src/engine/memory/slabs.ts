/** Pages before slabs begin: small tables stay small. */
const SINGLE_PAGES = 4
/** Pages of a slab. */
const PAGES_PER_SLAB = 8

/**
 * Memory for pages of one size, taken in slabs of several: the system gives big blocks in big
 * pieces (huge pages, where it is asked to), which cost less to get and less to find than small ones.
 */
export class Slabs {
  readonly #pageBytes: number
  #slab = new ArrayBuffer(0)
  #nextAt = 0

  constructor(pageBytes: number) {
    this.#pageBytes = pageBytes
  }

  /** Lanes of a new page, zeroed; `have` = pages there are already. */
  page(have: number): { u32: Uint32Array<ArrayBuffer>; f64: Float64Array<ArrayBuffer> } {
    const bytes = this.#pageBytes
    if (this.#nextAt === this.#slab.byteLength) {
      this.#slab = new ArrayBuffer(have < SINGLE_PAGES ? bytes : bytes * PAGES_PER_SLAB)
      this.#nextAt = 0
    }
    const at = this.#nextAt
    this.#nextAt += bytes
    return {
      u32: new Uint32Array(this.#slab, at, bytes / 4),
      f64: new Float64Array(this.#slab, at, bytes / 8),
    }
  }
}
