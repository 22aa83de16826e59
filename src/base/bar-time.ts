const DAY = 86_400
/** The Monday that opened the week of the epoch. */
const FIRST_MONDAY = -3 * DAY

/** A width: seconds, or the calendar's weeks (Monday) and months, all in UTC. */
export type Width = number | 'week' | 'month'

/** Open time of the bar that holds a time (unix seconds). */
export function barTime(width: Width, time: number): number {
  if (width === 'month') {
    const date = new Date(time * 1000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000
  }
  if (width === 'week') return FIRST_MONDAY + floorTo(time - FIRST_MONDAY, 7 * DAY)
  return floorTo(time, width)
}

/** Open time of the bar after the one that opens at `time`. */
export function nextBarTime(width: Width, time: number): number {
  if (width === 'month') {
    const date = new Date(time * 1000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
  }
  return time + (width === 'week' ? 7 * DAY : width)
}

function floorTo(time: number, step: number): number {
  return Math.floor(time / step) * step
}
