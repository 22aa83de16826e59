import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { copyRing, isRingLength, ringBytes } from '../memory/views.ts'
import {
  charactersOf,
  type EventPosition,
  entriesPart,
  type LifecycleEntry,
  NOWHERE,
} from './event-position.ts'

/** Slots an event may be late and still be folded in its place (contract section 2). */
export const LATE_SLOTS = 32
/** Events remembered for it; past it the oldest go, and what would come before them is refused. */
const RECENT_EVENTS_MAX = 1 << 20
/**
 * Characters of the lifecycle events among them, with what each is beside its texts; past it the oldest
 * events go too. Slots move on long before; a feed without slots has nothing else that makes an event old,
 * and what it tells is to be saved and loaded (`COPIED_BYTES_MAX`) however it is escaped.
 */
export const LIFECYCLE_TEXTS_MAX = 1 << 25
/**
 * Events without a slot remembered once as many in a row have come, two minutes of a busy feed: those that
 * told one before them are over, and nothing else would make an event of such a feed old.
 */
export const SLOTLESS_EVENTS_MAX = 1 << 12
const FIRST_EVENTS = 1 << 12

/** Events of a slot looked back over for one of the same transaction; a real slot holds fewer. */
const LOOK_BACK_MAX = 4_096

/** What is kept of every event; saved, loaded and grown as it stands here. */
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
  }
}

/**
 * The events of the last slots in their total order, newest last, with where the undo log stood
 * before each: what has to be taken back and folded again when one arrives late.
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
  /** Position of the newest event that told its slot; before the tail: none has. */
  #slotted = -1
  /** How many of them each token has: to look through a million events for them would take milliseconds. */
  readonly #told = new Map<number, number>()

  readonly parts: readonly StatePart[] = [
    {
      name: 'order ring',
      facts: () => [this.#capacity, this.#head, this.#tail],
      views: () => this.#views(),
      open: (facts) => {
        this.#open(facts)
        return this.#views()
      },
      settle: () => this.#findSlotted(),
    },
    entriesPart(
      () => this.#placedEntries(),
      (entries) => this.#load(entries),
    ),
  ]

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

  /** Bars there were before the oldest of its events, of so many there are now: none of them is taken back. */
  settledBars(bars: number): number {
    return this.length === 0 ? bars : this.#columns.bars[this.#tail & (this.#capacity - 1)]
  }

  /** Has it events of a token that are no swaps? */
  tells(token: number): boolean {
    return this.#told.has(token)
  }

  /** Does a key come before the newest event, so that the newest has to be taken back first? */
  isLate(key: EventPosition): boolean {
    return this.length > 0 && this.#isAfter(this.#head - 1, key)
  }

  /** Adds the newest event; `entry` null for a swap (it is the newest record of the tape). */
  push(key: EventPosition, mark: number, bars: number, entry: LifecycleEntry | null): void {
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
    columns.bars[at] = bars
    this.#entries[at] = entry
    if (entry === null) this.#swaps += 1
    else this.#came(entry)
    if (isSlotted(key.signatureHigh, key.signatureLow)) this.#slotted = this.#head
    this.#head += 1
    while (this.#texts > LIFECYCLE_TEXTS_MAX && this.length > 1) this.#drop()
    if (this.#head - this.#slotted > SLOTLESS_EVENTS_MAX)
      while (this.length > SLOTLESS_EVENTS_MAX) this.#drop()
  }

  /** Forgets events of slots before `slot`; returns the undo mark before which nothing is needed. */
  forgetBefore(slot: number): number {
    const { slots, marks } = this.#columns
    while (this.length > 0 && slots[this.#tail & (this.#capacity - 1)] < slot) this.#drop()
    return this.length === 0 ? Number.POSITIVE_INFINITY : marks[this.#tail & (this.#capacity - 1)]
  }

  /** Takes the newest event off. */
  pop(): { key: EventPosition; mark: number; bars: number; entry: LifecycleEntry | null } {
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
    this.#left(entry)
    this.#entries[at] = null
    if (this.#slotted === this.#head) this.#findSlotted()
    return { key, mark: columns.marks[at], bars: columns.bars[at], entry }
  }

  /** Undo mark of the first event after a key: how far a late one reaches back. */
  markAfter(key: EventPosition): number {
    return this.#columns.marks[this.#firstAfter(key) & (this.#capacity - 1)]
  }

  /** Does it hold every event of a slot that it ever will? */
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
    const end = this.#firstAfter({ ...NOWHERE, slot, txIndex: Infinity })
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
  #firstAfter(place: EventPosition): number {
    let low = this.#tail
    let high = this.#head
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#isAfter(middle, place)) high = middle
      else low = middle + 1
    }
    return low
  }

  #isAfter(position: number, { slot, txIndex, ordinal }: EventPosition): boolean {
    const at = position & (this.#capacity - 1)
    const { slots, txIndexes, ordinals } = this.#columns
    if (slots[at] !== slot) return slots[at] > slot
    if (txIndexes[at] !== txIndex) return txIndexes[at] > txIndex
    return ordinals[at] > ordinal
  }

  #drop(): void {
    const at = this.#tail & (this.#capacity - 1)
    this.#left(this.#entries[at])
    this.#entries[at] = null
    this.#tail += 1
  }

  /** The newest event but those that came without a slot. */
  #findSlotted(): void {
    const { signatureHighs, signatureLows } = this.#columns
    const mask = this.#capacity - 1
    let position = this.#head - 1
    for (; position >= this.#tail; position--) {
      const at = position & mask
      if (isSlotted(signatureHighs[at], signatureLows[at])) break
    }
    this.#slotted = position
  }

  #came(entry: LifecycleEntry): void {
    this.#texts += charactersOf(entry)
    this.#told.set(entry.token, (this.#told.get(entry.token) ?? 0) + 1)
  }

  #left(entry: LifecycleEntry | null): void {
    if (entry === null) {
      this.#swaps -= 1
      return
    }
    this.#texts -= charactersOf(entry)
    const left = (this.#told.get(entry.token) ?? 0) - 1
    if (left > 0) this.#told.set(entry.token, left)
    else this.#told.delete(entry.token)
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

  #views(): Uint8Array[] {
    return Object.values(this.#columns).flatMap((column) =>
      ringBytes(column, this.#tail, this.#head),
    )
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
    this.#told.clear()
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
      this.#came(entry)
    }
    this.#swaps = this.length - entries.length
  }
}

/** Events without a slot have the place of the one before them, and nothing of their own to be told by. */
function isSlotted(signatureHigh: number, signatureLow: number): boolean {
  return signatureHigh !== 0 || signatureLow !== 0
}
