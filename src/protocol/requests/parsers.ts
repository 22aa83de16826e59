/**
 * Reading requests: query parameters, paths and bodies come in as text, and a query of protocol/queries.ts or a refusal
 * goes out, both as values. Each message names the parameter or body path, the value that came and the allowed ones;
 * the client's text in it is quoted and cut. Nothing here knows HTTP or the engine. Here are the parts of all parsers;
 * charts.ts, tables.ts and tokens.ts have one for each request.
 */

import { isAddress } from '../../base/base58.ts'
import { type RequestError, requestError } from '../errors.ts'
import type { Queries } from '../queries.ts'

/** The result of every parser: the query, or the refusal that goes to the client. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RequestError }

export type Refused = Extract<Parsed<never>, { ok: false }>

/** A parsed value. */
export function accept<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

/** Refuses one parameter or body path; the sentence is the message and the only detail. */
export function refuse(code: RequestError['code'], path: string, message: string): Refused {
  return { ok: false, error: requestError(code, message, [{ path, message }]) }
}

/** Characters of the client's text that a message repeats. */
const QUOTED_CHARACTERS = 40

/** Text of the client for a message: quoted, and cut so that it cannot swell the answer. */
export function quoted(text: string): string {
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text
  return JSON.stringify(cut)
}

/** A value of the client for a message; lists and objects are not repeated. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

const SWITCH_WORDS = ['0', '1', 'false', 'true'] as const

/**
 * uWebSockets.js puts it where the raw url has bytes that are not UTF-8. A client that means this
 * character sends it percent-encoded, as RFC 3986 asks.
 */
const REPLACEMENT_CHARACTER = '\ufffd'

/** Decoded query parameters in the order they came; a name may have several values. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>

/** Decodes a raw query string (without `?`): `+` is a space, bytes that are not UTF-8 are a 400. */
export function parseQueryString(raw: string): Parsed<QueryParameters> {
  const parameters = new Map<string, string[]>()
  if (raw === '') return accept(parameters)
  for (const pair of raw.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodePair(equals < 0 ? pair : pair.slice(0, equals), 'query string')
    if (!name.ok) return name
    const value = decodePair(equals < 0 ? '' : pair.slice(equals + 1), name.value)
    if (!value.ok) return value
    const values = parameters.get(name.value)
    if (values === undefined) parameters.set(name.value, [value.value])
    else values.push(value.value)
  }
  return accept(parameters)
}

function decodePair(raw: string, path: string): Parsed<string> {
  return decodePiece(raw.includes('+') ? raw.replaceAll('+', ' ') : raw, path)
}

/** The single value of a parameter, null when absent; a repeated parameter is a 400. */
export function single(parameters: QueryParameters, name: string): Parsed<string | null> {
  const values = parameters.get(name) ?? []
  if (values.length <= 1) return accept(values[0] ?? null)
  const message = `${name} came ${values.length} times, it is allowed once.`
  return refuse('invalid_parameter', name, message)
}

/** The single value of a required parameter; absent or blank is a 400. */
export function required(parameters: QueryParameters, name: string): Parsed<string> {
  const value = single(parameters, name)
  if (!value.ok) return value
  if (value.value === null) {
    return refuse('missing_parameter', name, `${name} is missing, it is required.`)
  }
  if (value.value.trim() !== '') return accept(value.value)
  return refuse('invalid_parameter', name, `${name} came blank, a text is expected.`)
}

/** One of a closed list of words, compared exactly. */
export function choice<T extends string, F extends T | null>(
  parameters: QueryParameters,
  name: string,
  allowed: readonly T[],
  fallback: F,
): Parsed<T | F> {
  const value = single(parameters, name)
  if (!value.ok) return value
  if (value.value === null) return accept(fallback)
  const found = allowed.find((word) => word === value.value)
  if (found !== undefined) return accept(found)
  const message = `${name} came as ${quoted(value.value)}, allowed are ${allowed.join(', ')}.`
  return refuse('invalid_parameter', name, message)
}

/** An opt-in switch: 1 or true, 0 or false; absent is off. */
export function optIn(parameters: QueryParameters, name: string): Parsed<boolean> {
  const word = choice(parameters, name, SWITCH_WORDS, '0')
  return word.ok ? accept(word.value === '1' || word.value === 'true') : word
}

/** Decodes one percent-encoded piece of a url; bytes that are not UTF-8 are refused. */
function decodePiece(raw: string, path: string): Parsed<string> {
  if (raw.includes(REPLACEMENT_CHARACTER)) return notUtf8(raw, path)
  if (!raw.includes('%')) return accept(raw)
  try {
    return accept(decodeURIComponent(raw))
  } catch {
    return notUtf8(raw, path)
  }
}

function notUtf8(raw: string, path: string): Parsed<string> {
  const message = `${path} came as ${quoted(raw)}, which is not percent-encoded UTF-8.`
  return refuse('invalid_encoding', path, message)
}

/** A required path segment: decoded, not blank. */
export function pathParameter(raw: string, name: string): Parsed<string> {
  const decoded = decodePiece(raw, name)
  if (!decoded.ok || decoded.value.trim() !== '') return decoded
  return refuse('missing_parameter', name, `${name} is blank in the path, an address is expected.`)
}

/** `extra=1` asks for additive fields; `extra=0` and absent do not. */
export function parseExtra(parameters: QueryParameters): Parsed<boolean> {
  const word = choice(parameters, 'extra', ['0', '1'], '0')
  return word.ok ? accept(word.value === '1') : word
}

/** Plain decimal digits only: `1e1`, ` 1`, `+1`, `1.0`, `0x1` and `01` are no integers here. */
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]*)$/

/** Times from here on are milliseconds: as seconds they would be past the year 5138. */
const MILLISECONDS_FROM = 1e11
/** Earlier times count as this one: it is long before every bar, and a calendar has it. */
const EARLIEST = -1e11

/** An optional integer in an inclusive range. */
export function integer(
  parameters: QueryParameters,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): Parsed<number> {
  const text = single(parameters, name)
  if (!text.ok) return text
  if (text.value === null) return accept(fallback)
  const value = PLAIN_INTEGER.test(text.value) ? Number(text.value) : Number.NaN
  if (value >= min && value <= max) return accept(value)
  const message = `${name} came as ${quoted(text.value)}, an integer from ${min} to ${max} is allowed.`
  return refuse('invalid_parameter', name, message)
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

/** Where the text is wrong, as far as the parser says: a position, or only a character. */
function breakOf(error: unknown): string {
  if (!(error instanceof SyntaxError)) return ''
  const { message } = error
  const position = / at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return `: it breaks at position ${position}`
  if (message.startsWith('Unexpected end')) return ': it ends too early'
  const character = /^Unexpected token '(.)',/s.exec(message)?.[1]
  return character === undefined ? '' : `: ${quoted(character)} is not expected where it stands`
}

/** The end of every refusal of a text that cannot be a mint or a wallet. */
export const ADDRESS_EXPECTED = 'an address is expected: 32 to 44 characters of base58'

/**
 * Can this text be a mint or a wallet? The one rule of all requests: it is an address, known or not, or a name that
 * came in an event line, where tokens may have other names.
 */
export function mayBeAddress(text: string, isKnownAddress: Queries['isKnownAddress']): boolean {
  return isAddress(text) || isKnownAddress(text)
}

/** The refusal of a parameter that cannot be a mint or a wallet; null: it can. */
export function addressRefusal(
  name: string,
  text: string,
  isKnownAddress: Queries['isKnownAddress'],
): Refused | null {
  if (mayBeAddress(text, isKnownAddress)) return null
  const message = `${name} came as ${quoted(text)}, ${ADDRESS_EXPECTED}.`
  return refuse('invalid_parameter', name, message)
}
