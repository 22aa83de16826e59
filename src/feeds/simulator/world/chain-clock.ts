/** The chain's time: slots at a steady pace, transactions ascending in a slot, events in those. */

/**
 * Slots are 268 ms long, which is 67 / 250 s: a quotient of whole numbers, so that a slot's second does
 * not depend on a rounding.
 */
const SLOT_SECONDS_NUMERATOR = 67
const SLOT_SECONDS_DENOMINATOR = 250
/** Length of a slot. */
export const SLOT_SECONDS = SLOT_SECONDS_NUMERATOR / SLOT_SECONDS_DENOMINATOR
/** Unix second of slot 0, so that slots are about the chain's own in October 2026. */
const SLOT_ZERO_SECONDS = 1_669_000_000

export class ChainClock {
  slot = 0
  /** Unix seconds of the slot. */
  timestamp = 0
  txIndex = 0
  /** Ordinal the next event of the open transaction takes. */
  ordinal = 0
  /** Unix seconds at which the next slot begins; 0 until a slot was entered. */
  slotEndSeconds = 0
  /** Emitted slots lie this far ahead of the clock's own. */
  readonly #slotsAhead: number

  /** `firstSlot`: no slot emitted is below it; nothing is emitted of the time before `fromSeconds`. */
  constructor(fromSeconds: number, firstSlot: number) {
    this.#slotsAhead = Math.max(0, firstSlot - slotAt(fromSeconds))
  }

  /** The slot that events name. */
  get emittedSlot(): number {
    return this.slot + this.#slotsAhead
  }

  enterSlot(slot: number): void {
    this.slot = slot
    this.timestamp = SLOT_ZERO_SECONDS + Math.floor(beginOf(slot))
    this.slotEndSeconds = SLOT_ZERO_SECONDS + beginOf(slot + 1)
    this.txIndex = -1
    this.ordinal = 0
  }

  /** Opens a transaction; `skipped` others of the block lie between it and the last one. */
  beginTransaction(skipped: number): void {
    this.txIndex += 1 + skipped
    this.ordinal = 0
  }
}

export function slotAt(seconds: number): number {
  const slots = ((seconds - SLOT_ZERO_SECONDS) * SLOT_SECONDS_DENOMINATOR) / SLOT_SECONDS_NUMERATOR
  return Math.max(0, Math.floor(slots))
}

/** Seconds from slot 0 to the begin of a slot. */
function beginOf(slot: number): number {
  return (slot * SLOT_SECONDS_NUMERATOR) / SLOT_SECONDS_DENOMINATOR
}

/** Kinds of things that happen some slots later. */
export const Appointment = { snipe: 0, migrate: 1 } as const

/** Farthest appointment, slots ahead. */
const MAX_DELAY_SLOTS = 15
const BUCKETS = MAX_DELAY_SLOTS + 1
const BUCKET_CAPACITY = 4_096

/** What has to happen to which token in one of the next slots. Fixed memory. */
export class Appointments {
  readonly #entries = new Int32Array(BUCKETS * BUCKET_CAPACITY)
  readonly #counts = new Int32Array(BUCKETS)
  /** Appointments that are still to come. */
  #pending = 0

  /** False when the slot's list is full. */
  add(slot: number, row: number, kind: number): boolean {
    const bucket = slot % BUCKETS
    const count = this.#counts[bucket]
    if (count === BUCKET_CAPACITY) return false
    this.#entries[bucket * BUCKET_CAPACITY + count] = row * 2 + kind
    this.#counts[bucket] = count + 1
    this.#pending++
    return true
  }

  /** Enters each slot up to `target` that has appointments, and calls `run` for these in the order they were made. */
  runUntil(target: number, clock: ChainClock, run: (row: number, kind: number) => void): void {
    if (this.#pending === 0) return
    const last = Math.min(target, clock.slot + MAX_DELAY_SLOTS)
    for (let slot = clock.slot + 1; slot <= last; slot++) {
      if (this.#counts[slot % BUCKETS] === 0) continue
      clock.enterSlot(slot)
      this.#runSlot(slot, run)
    }
  }

  #runSlot(slot: number, run: (row: number, kind: number) => void): void {
    const bucket = slot % BUCKETS
    const count = this.#counts[bucket]
    this.#counts[bucket] = 0
    this.#pending -= count
    for (let i = 0; i < count; i++) {
      const entry = this.#entries[bucket * BUCKET_CAPACITY + i]
      run(entry >> 1, entry & 1)
    }
  }
}
