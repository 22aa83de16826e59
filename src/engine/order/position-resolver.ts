import type { Balance, PlacedEvent, Reserves } from '../../events/event.ts'
import { Flag, SwapFloatLane, SwapLane } from '../../events/swap-record.ts'
import { type AddressBook, hashSignature } from '../state/address-book.ts'
import type { Tape } from '../state/tape.ts'
import type { EventPosition } from './event-position.ts'
import { identify } from './identities.ts'
import type { ReorderWindow } from './reorder-window.ts'
import { txIndexInTape } from './tape-slots.ts'

/** Where arriving events stand in the total order (contract section 2). */
export class PositionResolver {
  readonly #book: AddressBook
  readonly #tape: Tape
  readonly #ring: ReorderWindow
  readonly #newest: Readonly<EventPosition>

  constructor(book: AddressBook, tape: Tape, ring: ReorderWindow, newest: Readonly<EventPosition>) {
    this.#book = book
    this.#tape = tape
    this.#ring = ring
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
   * The key of what is told of reserves, or of a wallet's balance (else `wallet` is -1); fills `identityKey`.
   * One transaction tells several under one ordinal, so what it is about is a part of the identity.
   */
  readTold(
    event: Reserves | Balance,
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

  /** The ring knows the last slots; what comes later than those is looked for in the tape. */
  #txIndexOf(slot: number, signatureHigh: number, signatureLow: number): number {
    return this.#ring.reaches(slot)
      ? this.#ring.txIndexOf(slot, signatureHigh, signatureLow)
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
