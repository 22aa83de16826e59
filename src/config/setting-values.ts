const UNITS_BYTES: Readonly<Record<string, number>> = { kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 }
/** Timers hold 31 bits of milliseconds; what is longer would come due at once. */
const DURATION_HOURS_MAX = 596
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
/** Requests of a window: far above what one process serves, far below where counting grows inexact. */
const RATE_MAX = 1_000_000_000

/** A setting that cannot be used; the message is one sentence for the user. */
export class ConfigError extends Error {}

/** An integer in a range, both ends allowed. */
export function integer(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new ConfigError(`${name} is "${text}"; it must be an integer from ${min} to ${max}.`)
}

/** A decimal number from 0 on with at most nine digits behind the point, as SOL has them. */
export function decimal(name: string, text: string, max: number): number {
  const value = /^\d+(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  const form = `a number from 0 to ${max} with at most nine digits behind the point`
  throw new ConfigError(`${name} is "${text}"; it must be ${form}.`)
}

/** One of a few words. */
export function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  for (const word of allowed) if (word === text) return word
  throw new ConfigError(`${name} is "${text}"; it must be one of ${allowed.join(', ')}.`)
}

/** `120/60s`, or null for `off`. */
export function rateLimit(text: string): { limit: number; windowMs: number } | null {
  if (text === 'off') return null
  const parts = /^(\d+)\/(\w+)$/.exec(text)
  const limit = parts === null ? 0 : Number(parts[1])
  if (parts === null || limit < 1 || limit > RATE_MAX)
    throw new ConfigError(
      `RATE_LIMIT is "${text}"; it must be like 120/60s, with at most ${RATE_MAX} requests, or off.`,
    )
  return { limit, windowMs: durationMs('RATE_LIMIT', parts[2]) }
}

/** `500ms`, `60s`, `5m` or `1h`, in milliseconds; 596 hours at most. */
export function durationMs(name: string, text: string): number {
  const parts = /^(\d+)(ms|s|m|h)$/.exec(text)
  const ms = parts === null ? 0 : Number(parts[1]) * UNITS_MS[parts[2]]
  if (ms > 0 && ms <= DURATION_HOURS_MAX * UNITS_MS.h) return ms
  throw new ConfigError(
    `${name} has the duration "${text}"; it must be like 500ms, 60s, 5m or 1h, and at most ` +
      `${DURATION_HOURS_MAX}h.`,
  )
}

/** `512mb` or `2gb`, in bytes. */
export function sizeBytes(name: string, text: string): number {
  const parts = /^(\d+)(kb|mb|gb)$/i.exec(text)
  const bytes = parts === null ? 0 : Number(parts[1]) * UNITS_BYTES[parts[2].toLowerCase()]
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  throw new ConfigError(`${name} is "${text}"; it must be a size like 512mb or 2gb.`)
}

/**
 * `*`, or one origin as browsers write it: only then are their `Origin` and the answer's header the
 * same text. Anything else would be sent as it stands and allow nobody.
 */
export function origin(name: string, text: string): string {
  if (text === '*' || isOrigin(text)) return text
  const form = '* or one origin as browsers write it, like https://desk.example'
  throw new ConfigError(`${name} is ${JSON.stringify(text)}; it must be ${form}.`)
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) || !URL.canParse(text)) return false
  return new URL(text).origin === text
}
