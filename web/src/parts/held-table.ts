import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { HeldOrder, type NewRows } from './held-order.ts'
import { heldText, type ShownRow } from './held-rows.ts'
import { holding } from './holding.ts'

/** A table whose rows are kept in their places while somebody is at them. */
export interface HeldTable<T> {
  readonly rows: readonly ShownRow<T>[]
  /** For its heading: whether it is held, and what came meanwhile. */
  readonly note: string
  /** Goes to the element that has the rows. */
  readonly box: ReturnType<typeof holding>
}

/**
 * Holds what is in `live` as the columns of the board are held: a link or button that moves away under the
 * pointer has another one pressed in its place.
 *
 * @param view of the reader's choice: rows of another one are another table
 * @param newRows of another view: those chosen among rows that are there need not be waited for
 */
export function useHeldTable<T>(
  live: ReadonlySignal<readonly T[]>,
  keyOf: (row: T) => string,
  view: string = '',
  newRows: NewRows = 'to come',
): HeldTable<T> {
  const order = useMemo(() => new HeldOrder(live, keyOf), [live])
  useEffect(() => order.follow(), [order])
  const shownView = useRef(view)
  useEffect(() => {
    // The first rows there are can be held at once: they are of no other view.
    if (shownView.current !== view) order.reset(newRows)
    shownView.current = view
  }, [order, view])
  const { rows, arrived } = order.shown.value
  return {
    rows,
    note: heldText(order.isHeld, arrived),
    box: useMemo(() => holding(order), [order]),
  }
}
