import { SlotLength } from '../slots/slot-length.ts'
import type { Timers } from '../timers.ts'

/** So many times what the chain makes. */
const FASTER_MAX = 4
/** The next slot may lie further ahead by the slots of this time: the machine before may have lagged. */
const AHEAD_MS_MAX = 15 * 60_000
/** Slots that are told for so long, and none that can be, are believed: those before were of another chain. */
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
  /** null: none was told, so that any may be. */
  #newest: ReachedSlot | null
  /** The first one of those refused since the chain's own were told last; null: none was. */
  #refused: ReachedSlot | null = null

  /** @param length how long a slot is */
  constructor(timers: Timers, newest: ReachedSlot | null, length = new SlotLength()) {
    this.#timers = timers
    this.#length = length
    this.#newest = newest
  }

  /** False: what is told of the slot is to be left out. */
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

  /** Whether slots near to a refused one have been all that was told for long enough. */
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
