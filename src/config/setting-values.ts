const BYTES_OF_UNIT = new Map([
  ['kb', 2 ** 10],
  ['mb', 2 ** 20],
  ['gb', 2 ** 30],
])
/** Timers hold 31 bits of milliseconds; what is longer would come due at once. */
const DURATION_HOURS_MAX = 596
const HOUR_MS = 3_600_000
const MS_OF_UNIT = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', HOUR_MS],
])
/** A setting that cannot be used; the message is one sentence for the user. */
export class ConfigError extends Error {}

/** An integer in a range, both ends allowed. */
export function integer(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new ConfigError(`${name} is "${text}"; it must be an integer from ${min} to ${max}.`)
}

/** One of a few words. */
export function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  for (const word of allowed) if (word === text) return word
  throw new ConfigError(`${name} is "${text}"; it must be one of ${allowed.join(', ')}.`)
}

/** `500ms`, `60s`, `5m` or `1h`, in milliseconds; 596 hours at most. */
export function durationMs(name: string, text: string): number {
  const [, number, unit = ''] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? []
  const ms = Number(number) * (MS_OF_UNIT.get(unit) ?? 0)
  if (ms > 0 && ms <= DURATION_HOURS_MAX * HOUR_MS) return ms
  throw new ConfigError(
    `${name} has the duration "${text}"; it must be like 500ms, 60s, 5m or 1h, and at most ` +
      `${DURATION_HOURS_MAX}h.`,
  )
}

/** `512mb` or `2gb`, in bytes. */
export function sizeBytes(name: string, text: string): number {
  const [, number, unit = ''] = /^(\d+)(kb|mb|gb)$/i.exec(text) ?? []
  const bytes = Number(number) * (BYTES_OF_UNIT.get(unit.toLowerCase()) ?? 0)
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  throw new ConfigError(`${name} is "${text}"; it must be a size like 512mb or 2gb.`)
}
