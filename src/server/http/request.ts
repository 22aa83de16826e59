import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import {
  accept,
  type Parsed,
  quoted,
  type Refused,
  refuse,
} from '../../protocol/requests/parsers.ts'
import type { ClientAddresses } from '../sockets/client-address.ts'

/** Where agents call tools (docs/agents.md). */
export const MCP_PATH = '/mcp'
/** Bytes of a request body at most (contract section 3). */
const MAX_BODY_BYTES = 16 * 1024
/** Room that a body which comes in pieces gets first; it doubles. */
const FIRST_BODY_BYTES = 256

const NO_BYTES = Buffer.alloc(0)
const NO_HEADERS: ReadonlyMap<string, string> = new Map()
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * The head of a request, copied at once: uWebSockets.js frees its own when the handler returns. The address alone is
 * read when it is first asked for: a call of the system and a buffer, which cost as much as all else that is read.
 */
export class ServerRequest {
  /** As it came: methods are case-sensitive. */
  readonly method: string
  /** Raw path, still percent-encoded. */
  readonly path: string
  /** Raw query string without `?`. */
  readonly query: string
  readonly acceptEncoding: string
  readonly ifNoneMatch: string
  readonly contentType: string
  readonly contentEncoding: string
  /** Announced bytes of the body, NaN when not announced. */
  readonly contentLength: number
  /** `x-socket-id`: the live connections that follow the tokens of a table answer; mostly "". */
  readonly socketId: string
  /** `x-mintfeed-min-seq`: the position that the answer must have reached; mostly "". */
  readonly minSeq: string
  /** All headers of a request to `/mcp`, whose transport reads them; of other requests none. */
  readonly headers: ReadonlyMap<string, string>
  readonly #res: HttpResponse
  readonly #addresses: ClientAddresses
  readonly #forwardedFor: string
  #client: string | null = null
  #isGone = false

  constructor(res: HttpResponse, req: HttpRequest, addresses: ClientAddresses) {
    const method = req.getCaseSensitiveMethod()
    const hasBody = method === 'POST'
    this.method = method
    this.path = req.getUrl()
    this.query = queryOf(req)
    this.acceptEncoding = req.getHeader('accept-encoding')
    this.ifNoneMatch = hasBody ? '' : req.getHeader('if-none-match')
    this.contentType = hasBody ? req.getHeader('content-type') : ''
    this.contentEncoding = hasBody ? req.getHeader('content-encoding') : ''
    this.contentLength = hasBody ? announcedBytes(req) : Number.NaN
    this.socketId = hasBody ? req.getHeader('x-socket-id') : ''
    this.minSeq = req.getHeader('x-mintfeed-min-seq')
    this.headers = this.path === MCP_PATH ? headersOf(req) : NO_HEADERS
    this.#res = res
    this.#addresses = addresses
    this.#forwardedFor = addresses.trustsProxies ? forwardedForOf(req) : ''
  }

  /** The client that the rate limit counts the request for. Must be asked for before the answer is sent. */
  get client(): string {
    return this.#client ?? this.#readAddress()
  }

  /**
   * The peer has reset the connection while requests before this one were answered: the kernel has
   * no address for it any more, and the answer has no reader. As of when the address was read, or now.
   */
  get isGone(): boolean {
    if (this.#client === null) this.#readAddress()
    return this.#isGone
  }

  #readAddress(): string {
    const remote = this.#res.getRemoteAddress()
    this.#isGone = remote.byteLength === 0
    this.#client = this.#addresses.keyOf(remote, this.#forwardedFor)
    return this.#client
  }
}

function headersOf(req: HttpRequest): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  req.forEach((name, value) => {
    headers.set(name, value)
  })
  return headers
}

/** The types promise a string; without a `?` in the url it is undefined. */
function queryOf(req: HttpRequest): string {
  const query: string | undefined = req.getQuery()
  return query ?? ''
}

function announcedBytes(req: HttpRequest): number {
  const text = req.getHeader('content-length')
  return text === '' ? Number.NaN : Number(text)
}

/** Repeated headers are one list (RFC 9110 section 5.3); getHeader would see the first only. */
function forwardedForOf(req: HttpRequest): string {
  const values: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') values.push(value)
  })
  return values.join(',')
}

/**
 * Must be called first in a handler that makes no `Exchange`, which does the same by itself. An answer
 * to a connection that is reset at that moment is none to uWebSockets.js, and it ends the process over
 * a handler that has neither answered nor registered its abort.
 */
export function expectAbort(res: HttpResponse): void {
  res.onAborted(nothing)
}

/** The answer was on its way already, or a later handler registers its own. */
function nothing(): void {}

/** Refuses a body by its headers alone, null when it may be read. */
export function refusedByHeaders(request: ServerRequest): Refused | null {
  const { contentType, contentEncoding } = request
  if (!JSON_MEDIA_TYPE.test(contentType.trim()))
    return unsupported('Content-Type', contentType, 'application/json')
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity')
    return unsupported('Content-Encoding', contentEncoding, 'a plain body')
  return request.contentLength > MAX_BODY_BYTES ? tooLarge() : null
}

/**
 * The body of a request, collected up to the limit from when this is made. uWebSockets.js discards what still
 * comes after an answer. Thousands of bodies may come byte by byte: a piece is copied behind the others and
 * makes nothing new.
 */
export class RequestBody {
  #bytes: Buffer<ArrayBuffer> = NO_BYTES
  #size = 0
  #hasEnded = false
  #body: Parsed<Buffer> | null = null
  #reader: ((body: Parsed<Buffer>) => void) | null = null

  constructor(res: { onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown }) {
    res.onData((chunk, isLast) => {
      if (!this.#hasEnded) this.#receive(chunk, isLast)
    })
  }

  /**
   * Calls back once, now or later: with the bytes, which are lent until `done` returns, or with the 413 as soon
   * as the limit is passed.
   */
  read(done: (body: Parsed<Buffer>) => void): void {
    if (this.#body === null) this.#reader = done
    else done(this.#body)
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    const size = this.#size + chunk.byteLength
    if (size > MAX_BODY_BYTES) {
      this.#bytes = NO_BYTES
      this.#end(tooLarge())
    } else if (isLast && this.#size === 0) this.#end(accept(Buffer.from(chunk)))
    else {
      // The chunk is only lent: uWebSockets.js takes it back when this returns.
      if (size > this.#bytes.length) this.#grow(size)
      this.#bytes.set(new Uint8Array(chunk), this.#size)
      this.#size = size
      if (isLast) this.#end(accept(this.#bytes.subarray(0, size)))
    }
  }

  #grow(needed: number): void {
    const doubled = Math.min(2 * this.#bytes.length, MAX_BODY_BYTES)
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, doubled, FIRST_BODY_BYTES))
    this.#bytes.copy(larger, 0, 0, this.#size)
    this.#bytes = larger
  }

  #end(body: Parsed<Buffer>): void {
    this.#hasEnded = true
    if (this.#reader !== null) this.#reader(body)
    else this.#body = body.ok ? accept(Buffer.from(body.value)) : body
  }
}

function tooLarge(): Refused {
  const message = `body came with more than ${MAX_BODY_BYTES} bytes, which is the most allowed.`
  return refuse('body_too_large', 'body', message)
}

function unsupported(header: string, value: string, expected: string): Refused {
  const came = value === '' ? 'is missing' : `came as ${quoted(value)}`
  return refuse('unsupported_media_type', header, `${header} ${came}, ${expected} is expected.`)
}
