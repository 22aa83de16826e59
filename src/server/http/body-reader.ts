import { requestError } from '../../protocol/errors.ts'
import {
  accept,
  type Parsed,
  quoted,
  type Refused,
  refuse,
} from '../../protocol/requests/parsers.ts'
import { MAX_BODY_BYTES } from '../load/limits.ts'
import type { ServerRequest } from './request.ts'

const NO_BYTES = Buffer.alloc(0)
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i

/** Refuses a body by its headers alone, null when it may be read. */
export function refusedByHeaders(request: ServerRequest): Refused | null {
  const { contentType, contentEncoding } = request
  if (!JSON_MEDIA_TYPE.test(contentType.trim()))
    return unsupported('Content-Type', contentType, 'application/json')
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity')
    return unsupported('Content-Encoding', contentEncoding, 'a plain body')
  return request.contentLength > MAX_BODY_BYTES ? tooLarge() : null
}

/** What a body comes from: a response of uWebSockets.js. */
interface BodySource {
  onData(heard: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
}

/** Room that a body which comes in pieces gets first; it doubles. */
const FIRST_BODY_BYTES = 256

/**
 * Collects a body up to the limit and calls back once: with the bytes, or with the 413 as soon as
 * the limit is passed. uWebSockets.js discards what still comes after an answer. Thousands of bodies
 * may come byte by byte: a piece is copied behind the others and makes nothing new.
 */
export function readBody(res: BodySource, done: (body: Parsed<Buffer>) => void): void {
  let bytes: Buffer<ArrayBuffer> = NO_BYTES
  let size = 0
  let isDone = false
  res.onData((chunk, isLast) => {
    if (isDone) return
    const sizeWith = size + chunk.byteLength
    if (sizeWith > MAX_BODY_BYTES) {
      isDone = true
      bytes = NO_BYTES
      done(tooLarge())
    } else if (isLast && size === 0) {
      isDone = true
      done(accept(Buffer.from(chunk)))
    } else {
      // The chunk is only lent: uWebSockets.js takes it back when this returns.
      if (sizeWith > bytes.length) bytes = grown(bytes, size, sizeWith)
      bytes.set(new Uint8Array(chunk), size)
      size = sizeWith
      isDone = isLast
      if (isLast) done(accept(bytes.subarray(0, size)))
    }
  })
}

function grown(bytes: Buffer, size: number, needed: number): Buffer<ArrayBuffer> {
  const room = Math.max(needed, Math.min(2 * bytes.length, MAX_BODY_BYTES), FIRST_BODY_BYTES)
  const larger = Buffer.allocUnsafeSlow(room)
  bytes.copy(larger, 0, 0, size)
  return larger
}

/** A body that is collected before anybody knows what it is for. */
export class EarlyBody {
  #body: Parsed<Buffer> | null = null
  #done: ((body: Parsed<Buffer>) => void) | null = null

  constructor(res: BodySource) {
    readBody(res, (body) => {
      if (this.#done !== null) this.#done(body)
      // Its memory is only lent until this returns.
      else this.#body = body.ok ? accept(Buffer.from(body.value)) : body
    })
  }

  /** Calls back once, now or when the body is there, as `readBody` does. */
  read(done: (body: Parsed<Buffer>) => void): void {
    if (this.#body === null) this.#done = done
    else done(this.#body)
  }
}

/** The refusal of a body that did not arrive in time. */
export function bodyTimeout(deadlineMs: number): Refused {
  const message = `The body did not arrive within ${deadlineMs} ms.`
  return { ok: false, error: requestError('body_timeout', message, [{ path: 'body', message }]) }
}

function tooLarge(): Refused {
  const message = `body came with more than ${MAX_BODY_BYTES} bytes, which is the most allowed.`
  return refuse('body_too_large', 'body', message)
}

function unsupported(header: string, value: string, expected: string): Refused {
  const came = value === '' ? 'is missing' : `came as ${quoted(value)}`
  return refuse('unsupported_media_type', header, `${header} ${came}, ${expected} is expected.`)
}
