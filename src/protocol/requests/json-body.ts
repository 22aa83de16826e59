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
 * Reads JSON; V8's parser is not recursive, so depth cannot hurt it. Nobody reads the stack of its exception, and
 * collecting one would be four fifths of the cost of a bad text.
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

/** Where the text breaks, as far as the parser says: a position, or only a character. */
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
 * Keys of an object that are checked, far more than any schema allows: an object with more is refused for one of the
 * first, and a check of a thousand keys would cost a millisecond.
 */
export const MAX_CHECKED_KEYS = 64

/**
 * The value without the keys that are null, down to `depth` objects: null means absent (contract section 3).
 * Every key of the client stays an own property, `__proto__` included.
 */
export function withoutNulls(value: unknown, depth: number): unknown {
  if (depth === 0 || !isRecord(value)) return value
  const entries: [string, unknown][] = []
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== null) entries.push([key, withoutNulls(member, depth - 1)])
    if (entries.length === MAX_CHECKED_KEYS) break
  }
  return Object.fromEntries(entries)
}
