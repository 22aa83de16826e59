const FORM = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/

/**
 * Unix milliseconds of a `YYYY-MM-DD HH:MM:SS`, which is UTC although it does not say so (`Date.parse`
 * would take it as local time). Null when it is no such text, or no day of the calendar.
 */
export function timestampMs(text: string): number | null {
  const parts = FORM.exec(text)
  if (parts === null) return null
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return timestampText(date.getTime()) === text ? date.getTime() : null
}

/** The text of a time, cut to the second. */
export function timestampText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')
}
