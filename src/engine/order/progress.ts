import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import { type EventPosition, NOWHERE } from './event-position.ts'

const PART = 'progress'

/** How far the engine is: its counts, and the newest place in the total order. */
export class Progress {
  /** Events that were taken, refused or ignored; a snapshot has the numbers in this order. */
  readonly counts = {
    swaps: 0,
    duplicates: 0,
    lateRefused: 0,
    lateFolded: 0,
    aheadRefused: 0,
    secondCreations: 0,
    secondMigrations: 0,
    events: 0,
  }
  /** Events taken, swaps among them. */
  taken = 0
  readonly newest: EventPosition = { ...NOWHERE }

  readonly part: StatePart = {
    name: PART,
    facts: () => this.#facts(),
    views: () => [],
    open: (facts) => this.#open(facts),
    settle() {},
  }

  /** The newest slot of a state, by the facts of its parts; -1: it has none, or no such part. */
  static newestSlotOf(
    parts: readonly { readonly name: string; readonly facts: readonly number[] }[],
  ): number {
    return parts.find(({ name }) => name === PART)?.facts[0] ?? NOWHERE.slot
  }

  #facts(): number[] {
    const { slot, txIndex, ordinal, isSlotKnown } = this.newest
    const place = [slot, txIndex, ordinal, isSlotKnown ? 1 : 0]
    const othersTaken = this.taken - this.counts.swaps
    return [...place, othersTaken, ...Object.values(this.counts)]
  }

  #open(facts: readonly number[]): [] {
    const [slot, ...others] = facts
    // Before the first event the newest slot is -1.
    if (!Number.isSafeInteger(slot) || slot < -1)
      throw new StateError(`the newest slot of the state is ${slot}, which no slot can be`)
    const limits = this.#facts().slice(1).fill(Number.MAX_SAFE_INTEGER)
    limits[2] = 1
    const sizes = sizesOf('progress', others, limits)
    const [txIndex, ordinal, isSlotKnown, othersTaken, ...counted] = sizes
    Object.assign(this.newest, { slot, txIndex, ordinal, isSlotKnown: isSlotKnown === 1 })
    const names = Object.keys(this.counts)
    Object.assign(this.counts, Object.fromEntries(names.map((name, i) => [name, counted[i]])))
    this.taken = this.counts.swaps + othersTaken
    return []
  }
}
