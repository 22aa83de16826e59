import type { Balance, PlacedEvent, Reserves, TokenState } from '../../events/event.ts'
import { Flag, SwapFloatLane, SwapLane } from '../../events/swap-record.ts'
import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { bytesOf, untouchedByScattered } from '../memory/views.ts'
import { type AddressBook, hashSignature, isSameSignature } from '../state/address-book.ts'
import type { Tape } from '../state/tape.ts'
import type { EventPosition } from './event-position.ts'
import type { ReorderWindow } from './reorder-window.ts'

/** Swaps of a slot searched for one of the same transaction; a real slot holds fewer. */
const LOOK_BACK_MAX = 4_096

/** Finds the place of arriving events in the total order (contract section 2). */
export class PositionResolver {
  readonly #book: AddressBook
  readonly #tape: Tape
  readonly #reorder: ReorderWindow
  readonly #newest: Readonly<EventPosition>

  constructor(book: AddressBook, tape: Tape, ring: ReorderWindow, newest: Readonly<EventPosition>) {
    this.#book = book
    this.#tape = tape
    this.#reorder = ring
    this.#newest = newest
  }

  /** Fills the key of the record at u32 lane `at`, and `identityKey`. */
  readRecord(key: EventPosition, u32: Uint32Array, f64: Float64Array, at: number): void {
    const flags = u32[at + SwapLane.flags]
    key.isSlotKnown = (flags & Flag.noSlot) === 0
    const signatureHash = hashSignature(u32, at + SwapLane.signature)
    identify(signatureHash[0], signatureHash[1], u32[at + SwapLane.ordinal])
    if (!key.isSlotKnown) {
      this.#inherit(key)
      return
    }
    key.slot = f64[(at >>> 1) + SwapFloatLane.slot]
    key.ordinal = u32[at + SwapLane.ordinal]
    key.signatureHigh = signatureHash[0]
    key.signatureLow = signatureHash[1]
    key.txIndex =
      flags & Flag.noTxIndex
        ? this.#txIndexOf(key.slot, key.signatureHigh, key.signatureLow)
        : u32[at + SwapLane.txIndex]
  }

  /** The key of an event that is no swap. */
  keyOf(event: PlacedEvent, arrival: number): EventPosition {
    return this.#keyOf(event, arrival, this.#book.hashSignature(event.signature))
  }

  /**
   * The key of reserves, of a mint's state, or of a wallet's balance (else `wallet` is -1); fills `identityKey`. One
   * transaction has several under one ordinal, so mint and wallet are a part of the identity.
   */
  readAmount(
    event: Reserves | Balance | TokenState,
    token: number,
    wallet: number,
    arrival: number,
  ): EventPosition {
    const signatureHash = this.#book.hashSignature(event.signature)
    const about = Math.imul(token + 1, 0x9e3779b1) ^ Math.imul(wallet + 2, 0x85ebca6b)
    identify(signatureHash[0] ^ about, signatureHash[1], event.ordinal)
    return this.#keyOf(event, arrival, signatureHash)
  }

  #keyOf(event: PlacedEvent, arrival: number, signatureHash: Int32Array): EventPosition {
    const { slot, ordinal } = event
    if (slot === null) return { ...this.#newest, isSlotKnown: false, arrival }
    const [signatureHigh, signatureLow] = signatureHash
    const txIndex = event.txIndex ?? this.#txIndexOf(slot, signatureHigh, signatureLow)
    return { slot, txIndex, ordinal, isSlotKnown: true, signatureHigh, signatureLow, arrival }
  }

  /** The ring has the last slots; a transaction of an older one is searched in the tape. */
  #txIndexOf(slot: number, signatureHigh: number, signatureLow: number): number {
    return this.#reorder.reaches(slot)
      ? this.#reorder.txIndexOf(slot, signatureHigh, signatureLow)
      : txIndexInTape(this.#tape, slot, signatureHigh, signatureLow)
  }

  #inherit(key: EventPosition): void {
    key.slot = this.#newest.slot
    key.txIndex = this.#newest.txIndex
    key.ordinal = this.#newest.ordinal
    key.signatureHigh = 0
    key.signatureLow = 0
  }
}

/** Below 0 when record `index` is before the place, above 0 when it is behind. */
export function comparePlace(
  tape: Tape,
  index: number,
  place: Pick<EventPosition, 'slot' | 'txIndex' | 'ordinal'>,
): number {
  const u32 = tape.u32Of(index)
  const at = tape.at(index)
  const slot = slotOf(tape, index)
  if (slot !== place.slot) return slot - place.slot
  if (u32[at + SwapLane.txIndex] !== place.txIndex)
    return u32[at + SwapLane.txIndex] - place.txIndex
  return u32[at + SwapLane.ordinal] - place.ordinal
}

/** Index of the first record of a slot or of one behind it; the tape's count when there is none. */
function firstFromSlot(tape: Tape, slot: number): number {
  let low = 0
  let high = tape.count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (slotOf(tape, middle) < slot) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Index of a transaction whose feed gave none, among the swaps of its slot: that of the newest swap
 * with its signature, else the one after the highest; 0 in a slot without swaps.
 */
function txIndexInTape(
  tape: Tape,
  slot: number,
  signatureHigh: number,
  signatureLow: number,
): number {
  const end = firstFromSlot(tape, slot + 1)
  let next = -1
  for (let index = end - 1; index >= Math.max(0, end - LOOK_BACK_MAX); index--) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if (slotOf(tape, index) !== slot) break
    if (u32[at + SwapLane.flags] & Flag.noSlot) continue
    if (next < 0) next = u32[at + SwapLane.txIndex] + 1
    const signatureHash = hashSignature(u32, at + SwapLane.signature)
    if (signatureHash[0] === signatureHigh && signatureHash[1] === signatureLow)
      return u32[at + SwapLane.txIndex]
  }
  return Math.max(0, next)
}

/**
 * First swap of the transaction that swap `end - 1` is of; 0 when it is longer than any real one. A
 * swap before it shares no transaction with one from `end` on.
 */
export function firstOfTransaction(tape: Tape, end: number): number {
  if (end === 0) return 0
  const at = tape.at(end - 1)
  // A copy: the lanes of a record that has left memory are valid only until another is read.
  const last = tape.u32Of(end - 1).slice(at, at + tape.lanes)
  const least = Math.max(0, end - LOOK_BACK_MAX)
  let first = end - 1
  while (first > least && isSameSignature(tape.u32Of(first - 1), tape.at(first - 1), last, 0))
    first -= 1
  return first === least ? 0 : first
}

function slotOf(tape: Tape, index: number): number {
  return tape.f64Of(index)[(tape.at(index) >>> 1) + SwapFloatLane.slot]
}

const IDENTITIES_MAX = 1 << 20

/**
 * Which (signature, ordinal) were folded, over the last `capacity` swaps: the same swap may arrive
 * many times and counts once (contract section 2). Keys are 64-bit hashes in a first-in-first-out
 * ring, found by open addressing; one wrong match is expected in 10^13 swaps.
 */
export class Identities {
  readonly #capacity: number
  readonly #mask: number
  /** Ring of keys: [high, low]. */
  readonly #keys: Uint32Array<ArrayBuffer>
  /** [low word, ring index + 1] by the low word: a probe reads one place, not two. */
  readonly #slots: Uint32Array
  #next = 0
  #count = 0
  /** The slots hold keys from before a state was loaded and must be cleared: a new table's megabytes are still untouched. */
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

  /** Keys are written in order; the share of the scattered slots is an expectation. */
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

  /** Reads the slot where a search starts, to prefetch it; the value means nothing. */
  touch(low: number): number {
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

  /** The slot of a key depends on earlier keys; only that it has one matters. */
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

  /** The oldest key is where the next one goes; later entries of its run move up into the hole. */
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
