import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import type { ClientAddresses } from '../sockets/client-address.ts'

/**
 * What the front needs of a request, read at once: uWebSockets.js frees it when the handler
 * returns.
 */
export interface ServerRequest {
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
  /** Whom the rate limit counts the request for. */
  readonly client: string
  /**
   * The peer has reset the connection while requests before this one were answered: the kernel has
   * no address for it any more, and nobody reads the answer.
   */
  readonly isGone: boolean
}

/** Copies a request out of uWebSockets.js. */
export function readRequest(
  res: HttpResponse,
  req: HttpRequest,
  addresses: ClientAddresses,
): ServerRequest {
  const method = req.getCaseSensitiveMethod()
  const hasBody = method === 'POST'
  const forwardedFor = addresses.trustsProxies ? forwardedForOf(req) : ''
  const remote = res.getRemoteAddress()
  return {
    method,
    path: req.getUrl(),
    query: queryOf(req),
    acceptEncoding: req.getHeader('accept-encoding'),
    ifNoneMatch: hasBody ? '' : req.getHeader('if-none-match'),
    contentType: hasBody ? req.getHeader('content-type') : '',
    contentEncoding: hasBody ? req.getHeader('content-encoding') : '',
    contentLength: hasBody ? announcedBytes(req) : Number.NaN,
    socketId: hasBody ? req.getHeader('x-socket-id') : '',
    client: addresses.keyOf(remote, forwardedFor),
    isGone: remote.byteLength === 0,
  }
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
 * a handler that has neither answered nor asked to be told of the abort.
 */
export function expectAbort(res: HttpResponse): void {
  res.onAborted(nothing)
}

/** The answer was on its way already, or comes later and asks to be told itself. */
function nothing(): void {}
