import { accept, type Parsed, quoted, type Refused, refuse } from './parsed.ts'
import { type QueryParameters, single } from './query-parameters.ts'

/** Plain decimal digits only: `1e1`, ` 1`, `+1`, `1.0`, `0x1` and `01` are no integers here. */
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]*)$/

/** Times from here on are milliseconds: as seconds they would lie past the year 5138. */
const MILLISECONDS_FROM = 1e11
/** Long before every bar, and a time that a calendar has: what is earlier counts as this. */
const EARLIEST = -1e11

interface IntegerRange {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

/** An optional integer in an inclusive range. */
export function integer(
  parameters: QueryParameters,
  name: string,
  range: IntegerRange,
): Parsed<number> {
  const text = single(parameters, name)
  if (!text.ok) return text
  if (text.value === null) return accept(range.fallback)
  const value = PLAIN_INTEGER.test(text.value) ? Number(text.value) : Number.NaN
  if (value >= range.min && value <= range.max) return accept(value)
  return refuse(
    'invalid_parameter',
    name,
    `${name} came as ${quoted(text.value)}, an integer from ${range.min} to ${range.max} is allowed.`,
  )
}

/** A required time in whole POSIX seconds, negative allowed; milliseconds are named as such. */
export function unixSeconds(parameters: QueryParameters, name: string): Parsed<number> {
  const text = single(parameters, name)
  if (!text.ok) return text
  if (text.value === null) {
    return refuse('missing_parameter', name, `${name} is missing, unix seconds are required.`)
  }
  if (!PLAIN_INTEGER.test(text.value)) {
    return badTime(name, text.value, 'whole unix seconds are allowed')
  }
  const seconds = Number(text.value)
  if (seconds < MILLISECONDS_FROM) return accept(Math.max(seconds, EARLIEST))
  return badTime(name, text.value, 'which looks like milliseconds; unix seconds are allowed')
}

function badTime(name: string, text: string, rest: string): Refused {
  return refuse('invalid_parameter', name, `${name} came as ${quoted(text)}, ${rest}.`)
}
