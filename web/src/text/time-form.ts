/** Times relative for reading, exact for hovering. All unix seconds, UTC. */

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** `YYYY-MM-DD HH:MM:SS` of the API as unix seconds; null when there is none. */
export function parseTime(text: string | null | undefined): number | null {
  if (text === null || text === undefined || text === '') return null
  const ms = Date.parse(`${text.replace(' ', 'T')}Z`)
  return Number.isNaN(ms) ? null : ms / 1000
}

/** `12s`, `5m`, `3h`, `2d`, `14mo`; a time that lies ahead reads `0s`. */
export function age(seconds: number): string {
  const size = Math.max(0, Math.floor(seconds))
  if (size < MINUTE) return `${size}s`
  if (size < HOUR) return `${Math.floor(size / MINUTE)}m`
  if (size < DAY) return `${Math.floor(size / HOUR)}h`
  if (size < 60 * DAY) return `${Math.floor(size / DAY)}d`
  return `${Math.floor(size / (30 * DAY))}mo`
}

/** `2026-11-20 12:04:54 UTC`. */
export function exactTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
