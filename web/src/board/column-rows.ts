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
