/**
 * Which (signature, ordinal) were folded, over the last `capacity` swaps: the same swap may arrive
 * many times and counts once (contract section 2). Keys are 64-bit hashes in a first-in-first-out
 * ring, found by open addressing; one wrong match is expected in 10^13 swaps.
 */
export const IDENTITIES_MAX = 1 << 20

export class Identities {
  readonly #capacity: number
  readonly #mask: number
  /** Ring of keys: [high, low]. */
  readonly #keys: Uint32Array
  /** Ring index + 1, by hash. */
  readonly #slots: Uint32Array
  #next = 0
  #count = 0

  /** `capacity` is a power of two. */
  constructor(capacity: number = IDENTITIES_MAX) {
    this.#capacity = capacity
    this.#keys = new Uint32Array(capacity * 2)
    this.#slots = new Uint32Array(capacity * 4)
    this.#mask = capacity * 4 - 1
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#slots.byteLength
  }

  has(high: number, low: number): boolean {
    let at = low & this.#mask
    while (this.#slots[at] !== 0) {
      const entry = (this.#slots[at] - 1) * 2
      if (this.#keys[entry] === high && this.#keys[entry + 1] === low) return true
      at = (at + 1) & this.#mask
    }
    return false
  }

  /** Adds an identity; false when it is already there. Keys come from `hashIdentity`. */
  add(high: number, low: number): boolean {
    const keys = this.#keys
    let at = low & this.#mask
    while (this.#slots[at] !== 0) {
      const entry = (this.#slots[at] - 1) * 2
      if (keys[entry] === high && keys[entry + 1] === low) return false
      at = (at + 1) & this.#mask
    }
    if (this.#count === this.#capacity) {
      this.#removeOldest()
      at = low & this.#mask
      while (this.#slots[at] !== 0) at = (at + 1) & this.#mask
    } else this.#count += 1
    keys[this.#next * 2] = high
    keys[this.#next * 2 + 1] = low
    this.#slots[at] = this.#next + 1
    this.#next = (this.#next + 1) & (this.#capacity - 1)
    return true
  }

  /** The oldest sits where the next one goes; later entries of its run move up into the hole. */
  #removeOldest(): void {
    const slots = this.#slots
    const mask = this.#mask
    let hole = this.#keys[this.#next * 2 + 1] & mask
    while (slots[hole] !== this.#next + 1) hole = (hole + 1) & mask
    let at = (hole + 1) & mask
    while (slots[at] !== 0) {
      const home = this.#keys[(slots[at] - 1) * 2 + 1] & mask
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots[hole] = slots[at]
        hole = at
      }
      at = (at + 1) & mask
    }
    slots[hole] = 0
  }
}

/** Results of `hashIdentity`: two u32. */
export const identityKey = new Uint32Array(2)

/** Hashes `lanes` u32 of a signature with its ordinal into `identityKey`. */
export function hashIdentity(
  source: Uint32Array,
  at: number,
  lanes: number,
  ordinal: number,
): void {
  let a = Math.imul(ordinal + 0x9e3779b9, 0x85ebca6b)
  let b = Math.imul(ordinal ^ 0x7f4a7c15, 0xc2b2ae35)
  for (let i = 0; i < lanes; i++) {
    const lane = source[at + i]
    a = Math.imul((a << 13) | (a >>> 19), 5) + Math.imul(lane, 0xcc9e2d51)
    b = Math.imul((b << 15) | (b >>> 17), 9) + Math.imul(lane ^ (lane >>> 15), 0x1b873593)
    a ^= b >>> 7
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d)
  b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b)
  identityKey[0] = a ^ (a >>> 15)
  identityKey[1] = b ^ (b >>> 16)
}
