import type { TableRow } from '../../../client/src/mintfeed.ts'

/** A row as it is shown: `isGone` left the table while the order was held. */
export interface ShownRow {
  readonly row: TableRow
  readonly isGone: boolean
}

/** What a column shows, and how many rows came while its order was held. */
export interface ShownRows {
  readonly rows: readonly ShownRow[]
  readonly arrived: number
}

/**
 * The rows to show. While the order is held (someone points at a row, or has scrolled) every row
 * keeps its place: numbers go on, rows that left stay faded, rows that came wait.
 */
export function heldRows(held: readonly TableRow[] | null, live: readonly TableRow[]): ShownRows {
  if (held === null) return { rows: live.map((row) => ({ row, isGone: false })), arrived: 0 }
  const now = new Map(live.map((row) => [row.mint, row]))
  const rows = held.map((then) => {
    const row = now.get(then.mint)
    return { row: row ?? then, isGone: row === undefined }
  })
  const stayed = rows.filter(({ isGone }) => !isGone).length
  return { rows, arrived: live.length - stayed }
}

/** Height of a row in px; the stylesheet has the same. */
export const ROW_HEIGHT = 84
/** Rows drawn above and below what is seen, so that scrolling shows no gap. */
const OVERSCAN = 3

/** Indexes of the rows to draw, the last one excluded. */
export function seenRange(
  scrollTop: number,
  height: number,
  count: number,
): readonly [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN)
  const end = Math.min(count, Math.ceil((scrollTop + height) / ROW_HEIGHT) + OVERSCAN)
  return [Math.min(first, end), end]
}
