import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { heldRows, type ShownRows } from './held-rows.ts'

/** Scrolled further than this, someone reads below the top. */
const SCROLLED_PX = 8

/** Whether rows of another filter or order are there at once, as those chosen among rows that are there. */
export type NewRows = 'there' | 'to come'

/**
 * Holds the order of a column, or of another table, while someone points at it, walks through it by
 * keys, has the focus on one of its rows or has scrolled, so that nothing jumps away.
 * Only rows can be held: a column that is still empty fills first, and one whose held rows have all
 * left shows those that are there.
 */
export class HeldOrder<T> {
  readonly scrollTop = signal(0)
  readonly #isPointedAt = signal(false)
  readonly #isWalked = signal(false)
  readonly #hasFocus = signal(false)
  readonly #held = signal<readonly T[] | null>(null)
  readonly #live: ReadonlySignal<readonly T[]>
  readonly #keyOf: (row: T) => string
  /** Rows of the table before; the ones that follow them are of another. */
  #former: readonly T[] | null = null
  readonly shown: ReadonlySignal<ShownRows<T>>

  /** @param keyOf tells a row from all others, whatever its numbers are */
  constructor(live: ReadonlySignal<readonly T[]>, keyOf: (row: T) => string) {
    this.#live = live
    this.#keyOf = keyOf
    this.shown = computed(() => heldRows(this.#held.value, live.value, keyOf))
  }

  get isHeld(): boolean {
    return this.#held.value !== null
  }

  /** Holds and lets go until the returned function is called. */
  follow(): () => void {
    return effect(() => this.#settle(this.#isWanted(), this.#live.value))
  }

  #isWanted(): boolean {
    const isScrolled = this.scrollTop.value > SCROLLED_PX
    const isAttended = this.#isPointedAt.value || this.#isWalked.value || this.#hasFocus.value
    return isAttended || isScrolled
  }

  pointedAt(is: boolean): void {
    this.#isPointedAt.value = is
  }

  /** The keyboard is at one of its rows. */
  walked(is: boolean): void {
    this.#isWalked.value = is
  }

  /** The focus is on a row: one that moved or left would take it away. */
  focused(is: boolean): void {
    this.#hasFocus.value = is
  }

  scrolled(top: number): void {
    this.scrollTop.value = top
  }

  /** Another filter or order: what was held is another table, whose rows are there by now or still to come. */
  reset(rows: NewRows = 'to come'): void {
    const live = this.#live.peek()
    this.#former = rows === 'to come' ? live : null
    this.#held.value = null
    this.#settle(this.#isWanted(), live)
  }

  #settle(isWanted: boolean, live: readonly T[]): void {
    if (live === this.#former) return
    this.#former = null
    const held = this.#held.peek()
    if (!isWanted) this.#held.value = null
    else if (held === null || !this.#isAnyOf(held, live))
      this.#held.value = live.length > 0 ? live : null
  }

  /** Is one of the held rows still in the table? */
  #isAnyOf(held: readonly T[], live: readonly T[]): boolean {
    const keys = new Set(live.map(this.#keyOf))
    return held.some((row) => keys.has(this.#keyOf(row)))
  }
}
