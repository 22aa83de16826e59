import { type HttpErrorCode, type RequestError, requestError } from '../errors.ts'

/** What every parser answers: the query, or the refusal that goes to the client. */
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

/** The client's own text for a message: quoted, and cut so that it cannot swell the answer. */
export function quoted(text: string): string {
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text
  return JSON.stringify(cut)
}

/** What the client gave, for a message: of a list and an object only that it is one. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
