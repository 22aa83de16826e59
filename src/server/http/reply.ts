import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { TapeDamage } from '../../base/errors.ts'
import {
  errorBody,
  type RequestError,
  requestError,
  type StatusCode,
} from '../../protocol/errors.ts'

/** What a route answers; `ResponseWriter` adds everything that every answer has. */
export interface Reply {
  readonly statusCode: StatusCode
  readonly contentType: string
  /** Text, or bytes that were prepared at the start. */
  readonly body: string | EncodedBody
  /** Headers of this answer alone. */
  readonly headers: readonly Header[]
  /** The error of a refusal, for paths whose error bodies have another shape. */
  readonly error?: RequestError
  /** Of a table: the mints in it, the same set each time. */
  readonly mints?: () => ReadonlySet<string>
}

/** A file or a text that never changes while the server runs, such as `/openapi.json`. */
export interface StaticDocument extends Pick<Reply, 'contentType' | 'body'> {
  readonly path: string
}

export type Header = readonly [name: string, value: string]

export const JSON_TYPE = 'application/json; charset=utf-8'

export const NO_HEADERS: readonly Header[] = []

/** A starting service asks clients to come back after this many seconds. */
const STARTING_RETRY_S = 2
/** A client that a full service or a full address sends away comes back after this many seconds: others leave within some. */
const FULL_RETRY_S = 5
/** After an answer that was not ready in time: what held it up is one burst, over in a second. */
const LATE_RETRY_S = 1

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
  position_not_reached: LATE_RETRY_S,
}

/** The body as text. */
export function textOf({ body }: Reply): string {
  return typeof body === 'string' ? body : body.bytes.toString()
}

/** Bytes of a cached reply: its key, its body as bytes or text, and both compressed forms. */
export function cachedBytes({ body }: Reply, key: string): number {
  return key.length + 3 * body.length
}

/** 200 with JSON. */
export function jsonReply(json: string | Buffer): Reply {
  const body = typeof json === 'string' ? json : new EncodedBody(json)
  return { statusCode: 200, contentType: JSON_TYPE, body, headers: NO_HEADERS }
}

/** A refusal in the one shape of contract section 3, with `Retry-After` where waiting helps. */
export function errorReply(error: RequestError, own: readonly Header[] = NO_HEADERS): Reply {
  const body = errorBody(error)
  const retryS = RETRY_AFTER_S[error.code]
  const headers = retryS === undefined ? own : [...own, retryAfter(retryS)]
  return { statusCode: error.statusCode, contentType: JSON_TYPE, body, headers, error }
}

/** A refusal with one detail, which repeats the message. */
export function refusal(
  code: RequestError['code'],
  path: string,
  message: string,
  headers?: readonly Header[],
): Reply {
  return errorReply(requestError(code, message, [{ path, message }]), headers)
}

/** The header that tells a client when to come back. */
export function retryAfter(seconds: number): Header {
  return ['Retry-After', String(seconds)]
}

/** 503 of a route that took too long, with `Retry-After`. */
export function deadlineExceeded(deadlineMs: number): Reply {
  return refusal('deadline_exceeded', 'service', `No answer was ready within ${deadlineMs} ms.`)
}

/** 500 of a defect, 503 of history that the disk does not give; the log has what clients must not see. */
export function internalError(error?: unknown): Reply {
  if (error instanceof TapeDamage)
    return refusal('history_unreadable', 'service', 'The history asked for cannot be read now.')
  return errorReply(requestError('internal_error', 'The service failed on this request.'))
}

/** Bodies below this size cost more to compress than they save on the wire. */
const MIN_COMPRESSED_BYTES = 1024
/** Brotli's quality: 4 compresses as well as gzip's default at about its speed. */
const BROTLI_QUALITY = 4
/** Gzip's level: 4 is a third of the time of 6 for a few percent more bytes. */
const GZIP_LEVEL = 4

/** The codings this server writes, in the order it prefers them. */
const CODINGS = ['br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

const Q_VALUE = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** A body as bytes, with its ETag and its compressed forms, which are made when they are first asked for. */
export class EncodedBody {
  readonly bytes: Buffer
  readonly #forms: Partial<Record<Coding, Buffer | null>>
  #etag = ''
  #head = ''
  #taggedHead = ''

  /** `body`: a text, or bytes that never change. `forms`: prepared ones, null where there is none. */
  constructor(body: string | Buffer, forms: Partial<Record<Coding, Buffer | null>> = {}) {
    this.bytes = typeof body === 'string' ? Buffer.from(body) : body
    this.#forms = forms
  }

  get length(): number {
    return this.bytes.length
  }

  /** Weak: the same for every coding of the body. */
  etag(): string {
    if (this.#etag === '') this.#etag = `W/"${hash('sha1', this.bytes, 'base64url')}"`
    return this.#etag
  }

  /** Lines with that of the ETag behind them; kept, as long as the next ones are the same text. */
  withTag(head: string): string {
    if (head !== this.#head) {
      this.#head = head
      this.#taggedHead = `${head}\r\nETag: ${this.etag()}`
    }
    return this.#taggedHead
  }

  /** The body in a coding, null when it is too small to be worth it. */
  compressed(coding: Coding): Buffer | null {
    const known = this.#forms[coding]
    if (known !== undefined) return known
    if (this.bytes.length < MIN_COMPRESSED_BYTES) return null
    const form = ownBytes(compress(this.bytes, coding))
    this.#forms[coding] = form
    return form
  }
}

/**
 * The bytes in memory that is theirs alone. Node puts short ones together into pieces of 8 KB and what
 * zlib writes into pieces of 16 KB, and the least of them keeps the whole piece in memory.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

function compress(bytes: Buffer, coding: Coding): Buffer {
  if (coding === 'gzip') return gzipSync(bytes, { level: GZIP_LEVEL })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
}

/**
 * The coding to answer in, null for none: the client's highest q-value wins, `br` wins a tie, q=0
 * refuses (RFC 9110 section 12.5.3). Coding "identity" is always available.
 */
export function negotiateCoding(acceptEncoding: string): Coding | null {
  if (acceptEncoding === '') return null
  const weights = parseWeights(acceptEncoding)
  const identity = weights.get('identity') ?? 0
  let best: Coding | null = null
  let bestWeight = 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > bestWeight && weight >= identity) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    // x-gzip is gzip's old name (RFC 9110 section 8.4.1.3).
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  return weights
}

/** A q that cannot be read refuses the coding: the plain body is never wrong. */
function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q'))
  if (q === undefined) return 1
  const match = Q_VALUE.exec(q)
  return match === null ? 0 : Number(match[1])
}
