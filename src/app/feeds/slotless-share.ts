import type { FeedEvent } from '../../events/event.ts'

/** What a folder held before a feed began. */
interface HeldMarket {
  /** Did it have this token then? */
  readonly hasToken: (mint: string) => boolean
  /** Unix seconds of its newest event. */
  readonly newestSeconds: number
}

/** Swaps that are judged. */
export const JUDGED_SLOTLESS_SWAPS = 100
/** So many of the judged ones are nearly all. */
const NEARLY_ALL = 0.9
/** What is older by more than this is not what goes on where the folder ends. */
const OLDER_SECONDS = 60

/**
 * Judges whether a recording is of another market than the folder it goes into. By slots the engine sees that: what lies
 * far behind is refused as late. Events without slots go behind the newest one, whatever they are of, for good.
 */
export class SlotlessShare {
  readonly #held: HeldMarket
  #swaps = 0
  #slotless = 0
  /** Of tokens that the folder had not. */
  #fresh = 0
  #older = 0

  constructor(held: HeldMarket) {
    this.#held = held
  }

  /** Looks at events before they are taken. */
  look(batch: readonly FeedEvent[]): void {
    for (const event of batch) {
      if (this.#swaps >= JUDGED_SLOTLESS_SWAPS) return
      if (event.type !== 'swap') continue
      this.#swaps += 1
      if (event.slot === null) this.#slotless += 1
      if (!this.#held.hasToken(event.mint)) this.#fresh += 1
      if (event.timestamp + OLDER_SECONDS < this.#held.newestSeconds) this.#older += 1
    }
  }

  /** Are there as many swaps as are judged? */
  get isFull(): boolean {
    return this.#swaps >= JUDGED_SLOTLESS_SWAPS
  }

  /** Nearly none has a slot, and nearly all are of other tokens or another time. */
  get isForeign(): boolean {
    const nearlyAll = this.#swaps * NEARLY_ALL
    if (this.#swaps === 0 || this.#slotless < nearlyAll) return false
    return this.#fresh >= nearlyAll || this.#older >= nearlyAll
  }
}
