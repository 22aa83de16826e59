import { errorBody, type RequestError, type StatusCode } from '../../protocol/errors.ts'
import { FULL_RETRY_S, LATE_RETRY_S, STARTING_RETRY_S } from '../load/limits.ts'
import { type EncodedBody, encodeBody } from './encoded-body.ts'

/** What a route answers; the front adds everything that every answer has. */
export interface Reply {
  readonly statusCode: StatusCode
  readonly contentType: string
  /** Text, or bytes that were prepared at the start. */
  readonly body: string | EncodedBody
  /** Headers of this answer alone. */
  readonly headers: readonly Header[]
  /** Of a refusal: what its body tells, for paths that tell it in another shape. */
  readonly error?: RequestError
  /** Of a table: the mints in it, the same set each time. */
  readonly mints?: () => ReadonlySet<string>
}

export type Header = readonly [name: string, value: string]

export const JSON_TYPE = 'application/json; charset=utf-8'

const NO_HEADERS: readonly Header[] = []

/** The body as text. */
export function textOf({ body }: Reply): string {
  return typeof body === 'string' ? body : body.bytes.toString()
}

/** 200 with JSON. */
export function jsonReply(json: string | Buffer): Reply {
  const body = typeof json === 'string' ? json : encodeBody(json)
  return { statusCode: 200, contentType: JSON_TYPE, body, headers: NO_HEADERS }
}

/**
 * `Retry-After` in seconds of refusals that are over by themselves (contract section 3). `rate_limited`
 * is not among them: its seconds are those of its window.
 */
const RETRY_AFTER_S: Partial<Record<RequestError['code'], number>> = {
  starting: STARTING_RETRY_S,
  stopping: STARTING_RETRY_S,
  overloaded: FULL_RETRY_S,
  too_many_connections: FULL_RETRY_S,
  deadline_exceeded: LATE_RETRY_S,
}

/** A refusal in the one shape of contract section 3, with `Retry-After` where waiting helps. */
export function errorReply(error: RequestError, own: readonly Header[] = NO_HEADERS): Reply {
  const body = errorBody(error)
  const retryS = RETRY_AFTER_S[error.code]
  const headers = retryS === undefined ? own : [...own, retryAfter(retryS)]
  return { statusCode: error.statusCode, contentType: JSON_TYPE, body, headers, error }
}

/** The header that tells a client when to come back. */
export function retryAfter(seconds: number): Header {
  return ['Retry-After', String(seconds)]
}
