import type { Completed, Migrated, TokenCreated } from './event.ts'
import type { OrderKey } from './token-births.ts'

/** Slots an event may be late and still be folded in its place (contract section 2). */
export const LATE_SLOTS = 32
/** Events remembered for it; past it the oldest go, and what would come before them is refused. */
export const RECENT_EVENTS_MAX = 1 << 20

export interface LifecycleEntry {
  readonly event: TokenCreated | Completed | Migrated
  readonly token: number
  readonly key: OrderKey
}

/**
 * The events of the last slots in their total order, newest last, with where the undo log stood
 * before each: what has to be taken back and folded again when one arrives late.
 */
export class OrderRing {
  #capacity = 1 << 12
  #slots = new Float64Array(this.#capacity)
  #txIndexes = new Uint32Array(this.#capacity)
  #ordinals = new Uint32Array(this.#capacity)
  #marks = new Float64Array(this.#capacity)
  #bars = new Float64Array(this.#capacity)
  #entries: (LifecycleEntry | null)[] = new Array(this.#capacity).fill(null)
  #head = 0
  #tail = 0

  get length(): number {
    return this.#head - this.#tail
  }

  /** Does a key come before the newest event, so that the newest has to be taken back first? */
  isLate(key: OrderKey): boolean {
    return this.length > 0 && this.#isAfter(this.#head - 1, key)
  }

  /** Adds the newest event; `entry` null for a swap (it is the newest record of the tape). */
  push(key: OrderKey, mark: number, bars: number, entry: LifecycleEntry | null): void {
    if (this.length === this.#capacity) {
      if (this.#capacity < RECENT_EVENTS_MAX) this.#grow()
      else this.#drop()
    }
    const at = this.#head & (this.#capacity - 1)
    this.#slots[at] = key.slot
    this.#txIndexes[at] = key.txIndex
    this.#ordinals[at] = key.ordinal
    this.#marks[at] = mark
    this.#bars[at] = bars
    this.#entries[at] = entry
    this.#head += 1
  }

  /** Forgets events of slots before `slot`; returns the undo mark before which nothing is needed. */
  forgetBefore(slot: number): number {
    while (this.length > 0 && this.#slots[this.#tail & (this.#capacity - 1)] < slot) this.#drop()
    return this.length === 0
      ? Number.POSITIVE_INFINITY
      : this.#marks[this.#tail & (this.#capacity - 1)]
  }

  /** Takes the newest event off; reads of `popped` hold until the next push. */
  pop(): { key: OrderKey; mark: number; bars: number; entry: LifecycleEntry | null } {
    this.#head -= 1
    const at = this.#head & (this.#capacity - 1)
    const key = {
      slot: this.#slots[at],
      txIndex: this.#txIndexes[at],
      ordinal: this.#ordinals[at],
      isSlotKnown: true,
    }
    const entry = this.#entries[at]
    this.#entries[at] = null
    return { key, mark: this.#marks[at], bars: this.#bars[at], entry }
  }

  /** Undo mark of the first event after a key: how far a late one reaches back. */
  markAfter(key: OrderKey): number {
    let low = this.#tail
    let high = this.#head
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#isAfter(middle, key)) high = middle
      else low = middle + 1
    }
    return this.#marks[low & (this.#capacity - 1)]
  }

  #isAfter(position: number, { slot, txIndex, ordinal }: OrderKey): boolean {
    const at = position & (this.#capacity - 1)
    if (this.#slots[at] !== slot) return this.#slots[at] > slot
    if (this.#txIndexes[at] !== txIndex) return this.#txIndexes[at] > txIndex
    return this.#ordinals[at] > ordinal
  }

  #drop(): void {
    this.#entries[this.#tail & (this.#capacity - 1)] = null
    this.#tail += 1
  }

  #grow(): void {
    const old = this.#capacity
    const mask = old * 2 - 1
    const from = [this.#slots, this.#txIndexes, this.#ordinals, this.#marks, this.#bars] as const
    const entries = this.#entries
    this.#capacity = old * 2
    this.#slots = new Float64Array(this.#capacity)
    this.#txIndexes = new Uint32Array(this.#capacity)
    this.#ordinals = new Uint32Array(this.#capacity)
    this.#marks = new Float64Array(this.#capacity)
    this.#bars = new Float64Array(this.#capacity)
    this.#entries = new Array(this.#capacity).fill(null)
    const to = [this.#slots, this.#txIndexes, this.#ordinals, this.#marks, this.#bars] as const
    for (let at = this.#tail; at < this.#head; at++) {
      for (let i = 0; i < to.length; i++) to[i][at & mask] = from[i][at & (old - 1)]
      this.#entries[at & mask] = entries[at & (old - 1)]
    }
  }
}
