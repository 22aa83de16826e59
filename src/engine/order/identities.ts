import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { bytesOf, untouchedByScattered } from '../memory/views.ts'

/**
 * Which (signature, ordinal) were folded, over the last `capacity` swaps: the same swap may arrive
 * many times and counts once (contract section 2). Keys are 64-bit hashes in a first-in-first-out
 * ring, found by open addressing; one wrong match is expected in 10^13 swaps.
 */
const IDENTITIES_MAX = 1 << 20

export class Identities {
  readonly #capacity: number
  readonly #mask: number
  /** Ring of keys: [high, low]. */
  readonly #keys: Uint32Array<ArrayBuffer>
  /** [low word, ring index + 1] by the low word: a probe reads one place, not two. */
  readonly #slots: Uint32Array
  #next = 0
  #count = 0
  /** Slots are of keys that were here before a state was loaded: megabytes, which a new table never touched. */
  #areSlotsOld = false

  readonly part: StatePart = {
    name: 'identities',
    facts: () => [this.#capacity, this.#next, this.#count],
    views: () => [bytesOf(this.#keys.subarray(0, this.#count * 2))],
    open: (facts) => {
      this.#open(facts)
      return [bytesOf(this.#keys.subarray(0, this.#count * 2))]
    },
    settle: () => this.#findAnew(),
  }

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

  /** Keys are written one behind the other; of the slots, all over their table, what is expected. */
  get untouchedBytes(): number {
    const slotsBytes = untouchedByScattered(this.#slots.byteLength, this.#count)
    return this.#keys.byteLength - this.#count * 8 + slotsBytes
  }

  has(high: number, low: number): boolean {
    let at = (low << 1) & this.#mask
    while (this.#slots[at + 1] !== 0) {
      if (this.#slots[at] === low && this.#highOf(this.#slots[at + 1]) === high) return true
      at = (at + 2) & this.#mask
    }
    return false
  }

  /** Reads the slot that a search would begin at; the value means nothing. */
  near(low: number): number {
    return this.#slots[(low << 1) & this.#mask]
  }

  /** Adds an identity; false when it is already there. Keys come from `identify`. */
  add(high: number, low: number): boolean {
    const slots = this.#slots
    let at = (low << 1) & this.#mask
    while (slots[at + 1] !== 0) {
      if (slots[at] === low && this.#highOf(slots[at + 1]) === high) return false
      at = (at + 2) & this.#mask
    }
    if (this.#count === this.#capacity) {
      this.#removeOldest()
      at = (low << 1) & this.#mask
      while (slots[at + 1] !== 0) at = (at + 2) & this.#mask
    } else this.#count += 1
    this.#keys[this.#next * 2] = high
    this.#keys[this.#next * 2 + 1] = low
    slots[at] = low
    slots[at + 1] = this.#next + 1
    this.#next = (this.#next + 1) & (this.#capacity - 1)
    return true
  }

  #highOf(entryPlus1: number): number {
    return this.#keys[(entryPlus1 - 1) * 2]
  }

  #open(facts: readonly number[]): void {
    const most = this.#capacity
    const [capacity, next, count] = sizesOf('identities', facts, [
      Number.MAX_SAFE_INTEGER,
      most - 1,
      most,
    ])
    if (capacity !== most)
      throw new StateError(`the state remembers ${capacity} swaps but the engine ${most}`)
    if (count < most && next !== count)
      throw new StateError(`the state's swap ${next} cannot follow ${count} identities`)
    this.#keys.fill(0, 0, this.#count * 2)
    this.#areSlotsOld ||= this.#count > 0
    this.#next = next
    this.#count = count
  }

  /** Which slot a key has depends on what went before; only that it has one matters. */
  #findAnew(): void {
    const slots = this.#slots
    if (this.#areSlotsOld) slots.fill(0)
    this.#areSlotsOld = false
    for (let entry = 0; entry < this.#count; entry++) {
      const low = this.#keys[entry * 2 + 1]
      let at = (low << 1) & this.#mask
      while (slots[at + 1] !== 0) at = (at + 2) & this.#mask
      slots[at] = low
      slots[at + 1] = entry + 1
    }
  }

  /** The oldest sits where the next one goes; later entries of its run move up into the hole. */
  #removeOldest(): void {
    const slots = this.#slots
    const mask = this.#mask
    let hole = (this.#keys[this.#next * 2 + 1] << 1) & mask
    while (slots[hole + 1] !== this.#next + 1) {
      if (slots[hole + 1] === 0) throw new RangeError(`Identity ${this.#next} has no slot.`)
      hole = (hole + 2) & mask
    }
    let at = (hole + 2) & mask
    while (slots[at + 1] !== 0) {
      const home = (slots[at] << 1) & mask
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots[hole] = slots[at]
        slots[hole + 1] = slots[at + 1]
        hole = at
      }
      at = (at + 2) & mask
    }
    slots[hole + 1] = 0
  }
}

/** Result of `identify`: two u32. */
export const identityKey = new Uint32Array(2)

/** Makes the identity of an event, in `identityKey`: its signature's hash and its ordinal. */
export function identify(signatureHigh: number, signatureLow: number, ordinal: number): void {
  let a = signatureHigh ^ Math.imul(ordinal + 0x9e3779b9, 0x85ebca6b)
  let b = signatureLow ^ Math.imul(ordinal ^ 0x7f4a7c15, 0xc2b2ae35)
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d)
  b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b)
  identityKey[0] = a ^ (a >>> 15)
  identityKey[1] = b ^ (b >>> 16)
}
