import { isRecord } from '../../base/json-access.ts'
import { accept, type Parsed, quoted, refuse } from './parsed.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Text of a request body; not UTF-8 or nothing but space is a 400. */
export function bodyText(bytes: Uint8Array): Parsed<string> {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return refuse('invalid_encoding', 'body', 'body came with bytes that are not UTF-8.')
  }
  if (text.trim() !== '') return accept(text)
  return refuse('empty_body', 'body', 'body came empty, a JSON object is expected.')
}

/**
 * Reads JSON; the parser of the engine is not recursive, so depth cannot hurt it. Nobody reads the
 * stack of its exception: to collect it would be four fifths of what a bad text costs.
 */
export function parseJson(text: string): Parsed<unknown> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const value: unknown = JSON.parse(text)
    return accept(value)
  } catch (error) {
    const message = `body came as text that is not valid JSON${breakOf(error)}.`
    return refuse('invalid_json', 'body', message)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Where the text breaks, as far as the parser says it: a position, or no more than a character. */
function breakOf(error: unknown): string {
  if (!(error instanceof SyntaxError)) return ''
  const { message } = error
  const position = / at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return `: it breaks at position ${position}`
  if (message.startsWith('Unexpected end')) return ': it ends too early'
  const character = /^Unexpected token '(.)',/s.exec(message)?.[1]
  return character === undefined ? '' : `: ${quoted(character)} is not expected where it stands`
}

/**
 * Keys of an object that are judged at most, far more than are allowed in any: one that has more is
 * refused for one of the first, and judging a thousand of them would cost a millisecond.
 */
export const MAX_JUDGED_KEYS = 64

/**
 * The value without the keys that are null, down to `depth` objects: null means absent
 * (contract section 3). Keys of the client stay own properties, `__proto__` included.
 */
export function withoutNulls(value: unknown, depth: number): unknown {
  if (depth === 0 || !isRecord(value)) return value
  const kept: [string, unknown][] = []
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== null) kept.push([key, withoutNulls(member, depth - 1)])
    if (kept.length === MAX_JUDGED_KEYS) break
  }
  return Object.fromEntries(kept)
}
