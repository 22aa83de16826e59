import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { TableRow } from '../../../client/src/mintfeed.ts'
import { heldRows, type ShownRows } from './column-rows.ts'

/** Scrolled further than this, someone reads below the top. */
const SCROLLED_PX = 8

/** Holds a column's order while someone points at it or has scrolled, so that nothing jumps away. */
export class HeldOrder {
  readonly scrollTop = signal(0)
  readonly #isPointedAt = signal(false)
  readonly #held = signal<readonly TableRow[] | null>(null)
  readonly #live: ReadonlySignal<readonly TableRow[]>
  readonly shown: ReadonlySignal<ShownRows>

  constructor(live: ReadonlySignal<readonly TableRow[]>) {
    this.#live = live
    this.shown = computed(() => heldRows(this.#held.value, live.value))
  }

  get isHeld(): boolean {
    return this.#held.value !== null
  }

  pointedAt(is: boolean): void {
    this.#isPointedAt.value = is
    this.#settle()
  }

  scrolled(top: number): void {
    this.scrollTop.value = top
    this.#settle()
  }

  /** Another filter or order: what was held is another table. */
  reset(): void {
    this.#held.value = this.#held.value === null ? null : this.#live.value
  }

  #settle(): void {
    const holds = this.#isPointedAt.value || this.scrollTop.value > SCROLLED_PX
    if (holds === this.isHeld) return
    this.#held.value = holds ? this.#live.value : null
  }
}
