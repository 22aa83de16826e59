/**
 * Reading requests: query parameters, paths and bodies come in as text, and a query of protocol/queries.ts or a refusal
 * goes out, both as values. Each message names the parameter or body path, what came and what is allowed; the client's
 * text in it is quoted and cut. Nothing here knows HTTP or the engine.
 */
import { type HttpErrorCode, type RequestError, requestError } from '../errors.ts'

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
export function refuse(code: HttpErrorCode, path: string, message: string): Refused {
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
