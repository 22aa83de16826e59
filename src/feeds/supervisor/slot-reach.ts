import type { Timers } from '../timers.ts'

/** So many times what the chain makes. */
const FASTER_MAX = 4
/** The next slot may lie further ahead by the slots of this time: the machine before may have lagged. */
const AHEAD_MS_MAX = 15 * 60_000
/** Slots that come for so long, while none comes that the chain can have reached, are believed: those before were of another chain. */
const BELIEVED_MS = 5_000

/** A slot, and when it was the newest. */
interface ReachedSlot {
  readonly slot: number
  /** As `Timers.nowMs` has it; below 0: before this process began. */
  readonly atMs: number
}

/**
 * Judges whether the chain can have come to a slot by now. One that it has not would be waited for, all
 * before it given up in the end, and what is folded of it makes every later swap a late one for good.
 */
export class SlotReach {
  readonly #timers: Timers
  readonly #length: Pick<SlotLength, 'slotsIn'>
  /** null: none came yet, so that any is possible. */
  #newest: ReachedSlot | null
  /** The first one of those refused since one of the chain's own came last; null: none was. */
  #refused: ReachedSlot | null = null

  /** @param length how long a slot is */
  constructor(timers: Timers, newest: ReachedSlot | null, length = new SlotLength()) {
    this.#timers = timers
    this.#length = length
    this.#newest = newest
  }

  /** False: what came for the slot is left out. */
  admits(slot: number): boolean {
    const atMs = this.#timers.nowMs()
    if (
      this.#newest !== null &&
      slot > this.#lastOf(this.#newest, atMs) &&
      !this.#goesOn(slot, atMs)
    )
      return false
    this.#refused = null
    if (this.#newest === null || slot > this.#newest.slot) this.#newest = { slot, atMs }
    return true
  }

  /** Whether slots near to a refused one have been all that came for long enough. */
  #goesOn(slot: number, atMs: number): boolean {
    const refused = this.#refused
    const isNear =
      refused !== null && slot >= this.#firstOf(refused) && slot <= this.#lastOf(refused, atMs)
    if (isNear) return atMs - refused.atMs >= BELIEVED_MS
    this.#refused = { slot, atMs }
    return false
  }

  #firstOf({ slot }: ReachedSlot): number {
    return slot - this.#length.slotsIn(AHEAD_MS_MAX)
  }

  /** The last slot that can be by now where another was the newest some time ago. */
  #lastOf({ slot, atMs }: ReachedSlot, nowMs: number): number {
    return slot + this.#length.slotsIn(AHEAD_MS_MAX + (nowMs - atMs) * FASTER_MAX)
  }
}

/** What a slot took in October 2026, measured over six spans of 3,000 to 4,000,000 slots; taken until enough was seen. */
export const SLOT_MS_START = 268
/** No chain of this kind was ever faster or slower over minutes: what comes out beyond is a wrong time. */
const SLOT_MS_MIN = 100
const SLOT_MS_MAX = 1_000
/** Times have whole seconds: over so many slots that is some 4 ms a slot. */
const SPAN_SLOTS = 256
/** One that lies so far before the others is of another chain, and the span begins with it. */
const BACK_SLOTS_MAX = 4_096
/** Spans of which the middle one counts, some ten minutes; past it the oldest go. */
const SPANS_MAX = 9
/** Spans from which on they count. */
const SPANS_MIN = 3

/**
 * How long a slot takes on the chain, by its own slots and times: skipped slots count, they take as long, and the clock
 * of this machine has no part in it. The middle of several spans, so that one wrong time does not move it.
 */
export class SlotLength {
  /** Where the open span begins; null: there is none. */
  #start: { readonly slot: number; readonly seconds: number } | null = null
  /** Milliseconds a slot, oldest first. */
  readonly #spans: number[] = []
  #ms = SLOT_MS_START

  /** Milliseconds. */
  get ms(): number {
    return this.#ms
  }

  /** The slots that the chain makes in a time. */
  slotsIn(ms: number): number {
    return ms / this.#ms
  }

  /** A slot and the unix seconds of an event in it, in any order. */
  observe(slot: number, seconds: number): void {
    const start = this.#start
    const isAnew = start === null || slot < start.slot - BACK_SLOTS_MAX
    if (isAnew) this.#start = { slot, seconds }
    if (isAnew || slot - start.slot < SPAN_SLOTS) return
    this.#start = { slot, seconds }
    const ms = ((seconds - start.seconds) * 1_000) / (slot - start.slot)
    if (ms < SLOT_MS_MIN || ms > SLOT_MS_MAX) return
    this.#spans.push(ms)
    if (this.#spans.length > SPANS_MAX) this.#spans.shift()
    if (this.#spans.length >= SPANS_MIN) this.#ms = middleOf(this.#spans) ?? this.#ms
  }
}

function middleOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}
