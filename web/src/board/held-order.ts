import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { TableRow } from '../../../client/src/mintfeed.ts'
import { heldRows, type ShownRows } from './column-rows.ts'

/** Scrolled further than this, someone reads below the top. */
const SCROLLED_PX = 8

/**
 * Holds a column's order while someone points at it, walks through it by keys, has the focus on one
 * of its rows or has scrolled, so that nothing jumps away.
 * Only rows can be held: a column that is still empty fills first, and one whose held rows have all
 * left shows those that are there.
 */
export class HeldOrder {
  readonly scrollTop = signal(0)
  readonly #isPointedAt = signal(false)
  readonly #isWalked = signal(false)
  readonly #hasFocus = signal(false)
  readonly #held = signal<readonly TableRow[] | null>(null)
  readonly #live: ReadonlySignal<readonly TableRow[]>
  /** Rows of the table before; the ones that follow them are of another. */
  #former: readonly TableRow[] | null = null
  readonly shown: ReadonlySignal<ShownRows>

  constructor(live: ReadonlySignal<readonly TableRow[]>) {
    this.#live = live
    this.shown = computed(() => heldRows(this.#held.value, live.value))
  }

  get isHeld(): boolean {
    return this.#held.value !== null
  }

  /** Holds and lets go until the returned function is called. */
  follow(): () => void {
    return effect(() => {
      const isScrolled = this.scrollTop.value > SCROLLED_PX
      const isAttended = this.#isPointedAt.value || this.#isWalked.value || this.#hasFocus.value
      this.#settle(isAttended || isScrolled, this.#live.value)
    })
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

  /** Another filter or order: what was held is another table. */
  reset(): void {
    this.#former = this.#live.peek()
    this.#held.value = null
  }

  #settle(isWanted: boolean, live: readonly TableRow[]): void {
    if (live === this.#former) return
    this.#former = null
    const held = this.#held.peek()
    if (!isWanted) this.#held.value = null
    else if (held === null || !isAnyOf(held, live)) this.#held.value = live.length > 0 ? live : null
  }
}

/** Is one of the held rows still in the table? */
function isAnyOf(held: readonly TableRow[], live: readonly TableRow[]): boolean {
  const mints = new Set(live.map(({ mint }) => mint))
  return held.some(({ mint }) => mints.has(mint))
}
