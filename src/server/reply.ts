import { errorBody, type RequestError, type StatusCode } from '../wire/errors.ts'
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

/** A refusal in the one shape of contract section 3. */
export function errorReply(error: RequestError, headers: readonly Header[] = NO_HEADERS): Reply {
  const body = errorBody(error)
  return { statusCode: error.statusCode, contentType: JSON_TYPE, body, headers, error }
}
