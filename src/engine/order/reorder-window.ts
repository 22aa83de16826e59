import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { bytesOf, isRingLength } from '../memory/views.ts'
import { WIDE_BARS_APART } from '../state/layout.ts'
import {
  charactersOf,
  type EventPosition,
  entriesPart,
  type LifecycleEntry,
} from './event-position.ts'

/** Slots an event may be late and still be folded in its place (contract section 2). */
export const LATE_SLOTS = 32
/** Events in the window; past it the oldest go, and an event before them is refused. */
const RECENT_EVENTS_MAX = 1 << 20
/**
 * Characters of the lifecycle events among them; past it the oldest events go too. Slots end an event long
 * before; without slots nothing else does, and the events must fit a snapshot (`COPIED_BYTES_MAX`) in
 * whatever escapes.
 */
export const LIFECYCLE_TEXTS_MAX = 1 << 25
/**
 * Events in the window after as many in a row without a slot, two minutes of a busy feed: the events with a
 * slot before them are over, and nothing else would end an event of such a feed.
 */
export const SLOTLESS_EVENTS_MAX = 1 << 12
const FIRST_EVENTS = 1 << 12

/** Events of a slot searched for one of the same transaction; a real slot holds fewer. */
const LOOK_BACK_MAX = 4_096

/** Lanes of an event; they are saved, loaded and grown in this order. */
function columnsOf(capacity: number) {
  return {
    slots: new Float64Array(capacity),
    txIndexes: new Uint32Array(capacity),
    ordinals: new Uint32Array(capacity),
    signatureHighs: new Int32Array(capacity),
    signatureLows: new Int32Array(capacity),
    arrivals: new Float64Array(capacity),
    marks: new Float64Array(capacity),
    bars: new Float64Array(capacity),
    minutes: new Uint32Array(capacity),
    hours: new Uint32Array(capacity),
  }
}

/** Columns in snapshots before the version in which bars of minutes and hours are counted apart. */
const FORMER_COLUMNS = 8

/** Columns with counts of stored bars, by base width. */
const BARS_OF = ['bars', 'minutes', 'hours'] as const

/**
 * `engine/order` gives an event its place. In: records and events as they arrive. Out: their identity and
 * position in the total order (slot, tx index, ordinal), and the events that a late one goes before. It
 * writes no row of the state; `engine/fold` does.
 *
 * The events of the last slots in their total order, newest last, each with the mark of the undo log before
 * it: the events to take back and fold again when one arrives late.
 */
export class ReorderWindow {
  #capacity = FIRST_EVENTS
  #columns = columnsOf(FIRST_EVENTS)
  #entries: (LifecycleEntry | null)[] = new Array(FIRST_EVENTS).fill(null)
  #head = 0
  #tail = 0
  #swaps = 0
  /** Characters of the lifecycle events. */
  #texts = 0
  /** Position of the newest event with a slot; before the tail: none has one. */
  #slotted = -1
  /** Lifecycle events by token: a walk through a million events would take milliseconds. */
  readonly #entryCounts = new Map<number, number>()

  readonly parts: readonly StatePart[] = [
    {
      ...this.#ringPart(),
      former: (version) => (version < WIDE_BARS_APART ? this.#ringPart(FORMER_COLUMNS) : null),
    },
    entriesPart(
      () => this.#placedEntries(),
      (entries) => this.#load(entries),
    ),
  ]

  /** The ring as a part; its last columns are zeroed where the part is without them. */
  #ringPart(columns?: number): StatePart {
    return {
      name: 'order ring',
      facts: () => [this.#capacity, this.#head, this.#tail],
      views: () => this.#views(columns),
      open: (facts) => {
        this.#open(facts)
        return this.#views(columns)
      },
      settle: () => this.#findSlotted(),
    }
  }

  get length(): number {
    return this.#head - this.#tail
  }

  get bytes(): number {
    return Object.values(this.#columns).reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Swaps among the events: as many of the newest records of the tape may be taken back. */
  get swaps(): number {
    return this.#swaps
  }

  /** Of so many bars of a base width, those from before its oldest event: none of them is taken back. */
  settledBars(base: number, bars: number): number {
    return this.length === 0
      ? bars
      : this.#columns[BARS_OF[base]][this.#tail & (this.#capacity - 1)]
  }

  /** Has it events of a token that are no swaps? */
  hasEntryOf(token: number): boolean {
    return this.#entryCounts.has(token)
  }

  /** Is a place before the newest event, which has to be taken back first? */
  isLate(key: Pick<EventPosition, 'slot' | 'txIndex' | 'ordinal'>): boolean {
    return this.length > 0 && this.#isAfter(this.#head - 1, key)
  }

  /** Adds the newest event, with the undo mark and the bars of before it; `entry` null for a swap (it is the newest record of the tape). */
  push(
    key: EventPosition,
    mark: number,
    counts: Record<(typeof BARS_OF)[number], number>,
    entry: LifecycleEntry | null,
  ): void {
    if (this.length === this.#capacity) {
      if (this.#capacity < RECENT_EVENTS_MAX) this.#grow()
      else this.#drop()
    }
    const at = this.#head & (this.#capacity - 1)
    const columns = this.#columns
    columns.slots[at] = key.slot
    columns.txIndexes[at] = key.txIndex
    columns.ordinals[at] = key.ordinal
    columns.signatureHighs[at] = key.signatureHigh
    columns.signatureLows[at] = key.signatureLow
    columns.arrivals[at] = key.arrival
    columns.marks[at] = mark
    columns.bars[at] = counts.bars
    columns.minutes[at] = counts.minutes
    columns.hours[at] = counts.hours
    this.#entries[at] = entry
    if (entry === null) this.#swaps += 1
    else this.#countIn(entry)
    if (isSlotted(key.signatureHigh, key.signatureLow)) this.#slotted = this.#head
    this.#head += 1
    while (this.#texts > LIFECYCLE_TEXTS_MAX && this.length > 1) this.#drop()
    if (this.#head - this.#slotted > SLOTLESS_EVENTS_MAX)
      while (this.length > SLOTLESS_EVENTS_MAX) this.#drop()
  }

  /** Drops events of slots before `slot`; returns the undo mark from which images are still needed. */
  forgetBefore(slot: number): number {
    const { slots, marks } = this.#columns
    while (this.length > 0 && slots[this.#tail & (this.#capacity - 1)] < slot) this.#drop()
    return this.length === 0 ? Number.POSITIVE_INFINITY : marks[this.#tail & (this.#capacity - 1)]
  }

  /** Takes the newest event off. */
  pop(): {
    key: EventPosition
    mark: number
    counts: Record<(typeof BARS_OF)[number], number>
    entry: LifecycleEntry | null
  } {
    this.#head -= 1
    const at = this.#head & (this.#capacity - 1)
    const columns = this.#columns
    const key = {
      slot: columns.slots[at],
      txIndex: columns.txIndexes[at],
      ordinal: columns.ordinals[at],
      isSlotKnown: true,
      signatureHigh: columns.signatureHighs[at],
      signatureLow: columns.signatureLows[at],
      arrival: columns.arrivals[at],
    }
    const entry = this.#entries[at]
    this.#countOut(entry)
    this.#entries[at] = null
    if (this.#slotted === this.#head) this.#findSlotted()
    const counts = {
      bars: columns.bars[at],
      minutes: columns.minutes[at],
      hours: columns.hours[at],
    }
    return { key, mark: columns.marks[at], counts, entry }
  }

  /** The undo log was written anew. */
  moveMarks(moved: (mark: number) => number): void {
    const { marks } = this.#columns
    for (let position = this.#tail; position < this.#head; position++) {
      const at = position & (this.#capacity - 1)
      marks[at] = moved(marks[at])
    }
  }

  /** Undo mark of the newest event, which there is. */
  get newestMark(): number {
    return this.#columns.marks[(this.#head - 1) & (this.#capacity - 1)]
  }

  /** Undo mark of the first event after a key, to which a late event rolls back. */
  markAfter(key: EventPosition): number {
    return this.#columns.marks[this.#firstAfter(key) & (this.#capacity - 1)]
  }

  /** Has it every event of a slot, none of which it dropped? */
  reaches(slot: number): boolean {
    return this.length === 0 || slot >= this.#columns.slots[this.#tail & (this.#capacity - 1)]
  }

  /**
   * Index of a transaction whose feed gave none: that of the event of its signature that arrived
   * last in the slot, else the one after the highest of the slot.
   */
  txIndexOf(slot: number, signatureHigh: number, signatureLow: number): number {
    const { slots, txIndexes, signatureHighs, signatureLows, arrivals } = this.#columns
    const mask = this.#capacity - 1
    const end = this.#firstAfter({ slot, txIndex: Infinity, ordinal: Infinity })
    if (end === this.#tail || slots[(end - 1) & mask] !== slot) return 0
    let txIndex = txIndexes[(end - 1) & mask] + 1
    let arrival = -1
    const first = Math.max(this.#tail, end - LOOK_BACK_MAX)
    for (let position = end - 1; position >= first; position--) {
      const at = position & mask
      if (slots[at] !== slot) break
      if (signatureLows[at] !== signatureLow || signatureHighs[at] !== signatureHigh) continue
      if (arrivals[at] < arrival) continue
      arrival = arrivals[at]
      txIndex = txIndexes[at]
    }
    return txIndex
  }

  /** Position of the first event after a place. */
  #firstAfter(place: Pick<EventPosition, 'slot' | 'txIndex' | 'ordinal'>): number {
    let low = this.#tail
    let high = this.#head
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#isAfter(middle, place)) high = middle
      else low = middle + 1
    }
    return low
  }

  #isAfter(
    position: number,
    { slot, txIndex, ordinal }: Pick<EventPosition, 'slot' | 'txIndex' | 'ordinal'>,
  ): boolean {
    const at = position & (this.#capacity - 1)
    const { slots, txIndexes, ordinals } = this.#columns
    if (slots[at] !== slot) return slots[at] > slot
    if (txIndexes[at] !== txIndex) return txIndexes[at] > txIndex
    return ordinals[at] > ordinal
  }

  #drop(): void {
    const at = this.#tail & (this.#capacity - 1)
    this.#countOut(this.#entries[at])
    this.#entries[at] = null
    this.#tail += 1
  }

  /** Finds the newest event with a slot. */
  #findSlotted(): void {
    const { signatureHighs: highs, signatureLows: lows } = this.#columns
    const mask = this.#capacity - 1
    let at = this.#head - 1
    while (at >= this.#tail && !isSlotted(highs[at & mask], lows[at & mask])) at -= 1
    this.#slotted = at
  }

  #countIn(entry: LifecycleEntry): void {
    this.#texts += charactersOf(entry)
    this.#entryCounts.set(entry.token, (this.#entryCounts.get(entry.token) ?? 0) + 1)
  }

  #countOut(entry: LifecycleEntry | null): void {
    if (entry === null) {
      this.#swaps -= 1
      return
    }
    this.#texts -= charactersOf(entry)
    const left = (this.#entryCounts.get(entry.token) ?? 0) - 1
    if (left > 0) this.#entryCounts.set(entry.token, left)
    else this.#entryCounts.delete(entry.token)
  }

  #grow(): void {
    const old = this.#capacity
    const mask = old * 2 - 1
    const from = Object.values(this.#columns)
    const entries = this.#entries
    this.#makeAnew(old * 2)
    const to = Object.values(this.#columns)
    from.forEach((column, i) => {
      copyRing(column, to[i], this.#tail, this.#head)
    })
    for (let at = this.#tail; at < this.#head; at++)
      this.#entries[at & mask] = entries[at & (old - 1)]
  }

  #makeAnew(capacity: number): void {
    this.#capacity = capacity
    this.#columns = columnsOf(capacity)
    this.#entries = new Array(capacity).fill(null)
  }

  #views(columns?: number): Uint8Array[] {
    return Object.values(this.#columns)
      .slice(0, columns)
      .flatMap((column) => ringBytes(column, this.#tail, this.#head))
  }

  #open(facts: readonly number[]): void {
    const limits = [RECENT_EVENTS_MAX, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    const [capacity, head, tail] = sizesOf('order ring', facts, limits)
    const isRing = isRingLength(capacity, FIRST_EVENTS, RECENT_EVENTS_MAX)
    if (!isRing || tail > head || head - tail > capacity)
      throw new StateError(`an order ring of ${capacity} cannot reach from ${tail} to ${head}`)
    this.#makeAnew(capacity)
    this.#head = head
    this.#tail = tail
    this.#swaps = head - tail
    this.#texts = 0
    this.#entryCounts.clear()
  }

  *#placedEntries(): Generator<[number, LifecycleEntry]> {
    for (let at = this.#tail; at < this.#head; at++) {
      const entry = this.#entries[at & (this.#capacity - 1)]
      if (entry !== null) yield [at, entry]
    }
  }

  #load(entries: readonly (readonly [number, LifecycleEntry])[]): void {
    for (const [at, entry] of entries) {
      if (at < this.#tail || at >= this.#head)
        throw new StateError(`a lifecycle event stands at ${at}, outside the state's order ring`)
      this.#entries[at & (this.#capacity - 1)] = entry
      this.#countIn(entry)
    }
    this.#swaps = this.length - entries.length
  }
}

/** An event without a slot has the place of the one before it, and no hash of a signature. */
function isSlotted(signatureHigh: number, signatureLow: number): boolean {
  return signatureHigh !== 0 || signatureLow !== 0
}

type Column = Uint32Array | Int32Array | Float64Array

/**
 * The bytes of a ring from position `tail` to `head`, oldest first: one run, or two where it wraps.
 * Its length is a power of two, and position p lies at p modulo it.
 */
function ringBytes(ring: Column, tail: number, head: number): Uint8Array[] {
  const from = tail & (ring.length - 1)
  const end = from + head - tail
  const runs = [ring.subarray(from, Math.min(end, ring.length))]
  if (end > ring.length) runs.push(ring.subarray(0, end - ring.length))
  return runs.map(bytesOf)
}

/** Copies positions `tail` to `head` of a ring into a longer one, in runs that wrap in neither. */
export function copyRing<T extends Column>(from: T, to: T, tail: number, head: number): void {
  for (let at = tail; at < head; ) {
    const start = at & (from.length - 1)
    const run = Math.min(head - at, from.length - start)
    to.set(from.subarray(start, start + run), at & (to.length - 1))
    at += run
  }
}
