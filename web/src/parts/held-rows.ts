/** A row as it is shown: `isGone` left the table while the order was held. */
export interface ShownRow<T> {
  readonly row: T
  readonly isGone: boolean
}

/** What a table shows, and how many rows came while its order was held. */
export interface ShownRows<T> {
  readonly rows: readonly ShownRow<T>[]
  readonly arrived: number
}

/**
 * The rows to show. While the order is held (someone points at a row, or has scrolled) every row
 * keeps its place: numbers go on, rows that left stay faded, rows that came wait.
 */
export function heldRows<T>(
  held: readonly T[] | null,
  live: readonly T[],
  keyOf: (row: T) => string,
): ShownRows<T> {
  if (held === null) return { rows: live.map((row) => ({ row, isGone: false })), arrived: 0 }
  const now = new Map(live.map((row) => [keyOf(row), row]))
  const rows = held.map((then) => {
    const row = now.get(keyOf(then))
    return { row: row ?? then, isGone: row === undefined }
  })
  const stayed = rows.filter(({ isGone }) => !isGone).length
  return { rows, arrived: live.length - stayed }
}

/** What a heading says of it. */
export function heldText(isHeld: boolean, arrived: number): string {
  if (!isHeld) return ''
  return arrived > 0 ? `paused · ${arrived} new` : 'paused'
}
