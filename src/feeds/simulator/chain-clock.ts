/** The chain's time: slots at a steady pace, transactions ascending in a slot, events in those. */

/** Slots are 0.4 s long. */
export const SLOTS_PER_SECOND = 2.5
/** Unix second that reads as slot 0; near the chain's real count in 2026. */
const SLOT_ZERO_SECONDS = 1_611_000_000

/** A market begins with at most this much history, and some room. */
const HISTORY_SECONDS = 2 * 86_400

export class ChainClock {
  slot = 0
  /** Unix seconds of the slot. */
  timestamp = 0
  txIndex = 0
  /** Ordinal the next event of the open transaction takes. */
  ordinal = 0
  /** Unix seconds at which the next slot begins; 0 until a slot was entered. */
  slotEndSeconds = 0
  /** Slots that are told lie this far ahead of the clock's own. */
  readonly #slotsAhead: number

  /** `firstSlot`: slots told are not below it; the day before `startSeconds` is told too. */
  constructor(startSeconds: number, firstSlot: number) {
    this.#slotsAhead = Math.max(0, firstSlot - slotAt(startSeconds - HISTORY_SECONDS))
  }

  /** The slot as the chain's events tell it. */
  get toldSlot(): number {
    return this.slot + this.#slotsAhead
  }

  enterSlot(slot: number): void {
    this.slot = slot
    // slot * 2 / 5 instead of slot * 0.4: a slot's second must not depend on a rounding.
    this.timestamp = SLOT_ZERO_SECONDS + Math.floor((slot * 2) / 5)
    this.slotEndSeconds = SLOT_ZERO_SECONDS + ((slot + 1) * 2) / 5
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
  return Math.max(0, Math.floor((seconds - SLOT_ZERO_SECONDS) * SLOTS_PER_SECOND))
}
