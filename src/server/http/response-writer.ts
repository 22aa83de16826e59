import type { HttpResponse } from 'uWebSockets.js'
import { STATUS_TEXTS } from '../../protocol/errors.ts'
import { EncodedBody, type Header, NO_HEADERS, negotiateCoding, type Reply } from './reply.ts'
import type { ServerRequest } from './request.ts'

/** An answer that its client has not read after this time is given up, and the socket closed. */
const SEND_DEADLINE_MS = 120_000
/** Share of answers that are sent so that a client that does not read them is found. */
const PROBED_SHARE = 1 / 8
/** Answers from this size on are always sent that way: a few of them unread would be much. */
const PROBED_BYTES = 256 * 1024
/**
 * Share of answers without a body (HEAD, OPTIONS, 304) that are held back for a moment: uWebSockets.js
 * does not say whether such an answer is read, and a client that reads none would fill the memory.
 */
const HELD_SHARE = 1 / 1024
/** How long such an answer is held back; a client that sends its next request before it came is cut off. */
const HELD_MS = 20
/**
 * Seconds that an idle connection stays open for a next request, announced to clients (`Keep-Alive`), so
 * that they do not send one into a connection that is being closed. uWebSockets.js closes after ten,
 * which it counts in steps of four: after eight to twelve. Two less are announced: a client that takes it
 * exactly is late by as much as its loop is held.
 */
const KEPT_OPEN_S = 6

/** Answer headers that browsers may read (contract section 3). */
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'X-Mintfeed-Seq',
  'X-Mintfeed-Epoch',
].join(', ')

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g
const VARY: Header = ['Vary', 'Accept-Encoding']
const KEEP_ALIVE: Header = ['Keep-Alive', `timeout=${KEPT_OPEN_S}`]

/** CORS and security headers of every answer: no guessing of types, no framing, no referrer. */
export function commonHeaders(corsOrigin: string): readonly Header[] {
  return [
    ['Access-Control-Allow-Origin', corsOrigin],
    ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'SAMEORIGIN'],
    ['Referrer-Policy', 'no-referrer'],
  ]
}

/** Why connections are closed after their answer; null: they stay open. */
type Closing = 'service stops' | 'sockets are scarce' | null

/** Writes replies; the only place that knows what every answer carries. */
export class ResponseWriter {
  readonly #closing: () => Closing
  readonly #sender = new Sender()
  /** Behind the status of every answer. */
  readonly #commonLines: string
  /** First lines of answers at `#position`, by status and content type: closed sets, so the maps are bounded. */
  readonly #heads = new Map<number, Map<string, string>>()
  #position = NO_HEADERS

  constructor(corsOrigin: string, closing: () => Closing) {
    this.#closing = closing
    this.#commonLines = linesOf([VARY, ...commonHeaders(corsOrigin), KEEP_ALIVE])
  }

  /** Answers that their clients have not read to the end. */
  get unfinished(): number {
    return this.#sender.unfinished
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return this.#sender.figures()
  }

  /** Counts a request whose connection was closed before its answer. */
  gaveUp(): void {
    this.#sender.gaveUp()
  }

  /**
   * `position`: headers of the stream position, the same array as long as it stays there. `extra`: headers the front
   * adds, such as those of the rate limit.
   */
  write(
    res: HttpResponse,
    request: ServerRequest,
    reply: Reply,
    position: readonly Header[],
    extra: readonly Header[],
  ): void {
    const body = typeof reply.body === 'string' ? new EncodedBody(reply.body) : reply.body
    const etag = hasEntityTag(request, reply) ? body.etag() : null
    res.cork(() => {
      const isKnown = etag !== null && matchesEntityTag(request.ifNoneMatch, etag)
      const statusCode = isKnown ? 304 : reply.statusCode
      const head = this.#headOf(statusCode, isKnown ? '' : reply.contentType, position)
      res.writeStatus(etag === null ? head : body.withTag(head))
      for (const [name, value] of extra) res.writeHeader(name, value)
      for (const [name, value] of reply.headers) res.writeHeader(name, value)
      if (isKnown) this.#sender.sendHead(res)
      else this.#endWithBody(res, request, reply, body)
    })
  }

  /**
   * The status, and what all answers with it, of the type and at the position have in common, as the lines behind
   * it: one crossing into native code, of a text that is put together once, instead of one a header. Names and values
   * are the program's own; a client's text must never get here.
   */
  #headOf(
    statusCode: Reply['statusCode'],
    contentType: string,
    position: readonly Header[],
  ): string {
    if (position !== this.#position) {
      this.#heads.clear()
      this.#position = position
    }
    let heads = this.#heads.get(statusCode)
    if (heads === undefined) {
      heads = new Map()
      this.#heads.set(statusCode, heads)
    }
    let head = heads.get(contentType)
    if (head === undefined) {
      const type: readonly Header[] = contentType === '' ? [] : [['Content-Type', contentType]]
      head = `${statusCode} ${STATUS_TEXTS[statusCode]}${this.#commonLines}${linesOf([...type, ...position])}`
      heads.set(contentType, head)
    }
    return head
  }

  #endWithBody(res: HttpResponse, request: ServerRequest, reply: Reply, body: EncodedBody): void {
    const closing = this.#closing()
    const coding = negotiateCoding(request.acceptEncoding)
    const compressed = coding === null ? null : body.compressed(coding)
    if (coding !== null && compressed !== null) res.writeHeader('Content-Encoding', coding)
    const bytes = compressed ?? body.bytes
    // A timed-out body is still on its way: what follows on the socket is no request.
    const mustClose = closing !== null || reply.statusCode === 408
    if (reply.statusCode === 204) this.#sender.sendHead(res)
    else if (request.method === 'HEAD') {
      // endWithoutBody(length) leaves uWebSockets.js waiting for a body and kills the connection.
      if (bytes.length > 0) res.writeHeader('Content-Length', String(bytes.length))
      this.#sender.sendHead(res)
    } else if (closing === 'service stops') {
      // The stop waits until it is read and cuts the socket itself.
      res.writeHeader('Connection', 'close')
      this.#sender.sendAwaited(res, bytes)
    } else if (mustClose) res.end(bytes, true)
    else this.#sender.send(res, bytes)
  }
}

/** Only successful GET answers: HTTP has no 304 on POST, and an error or a stream is not worth a tag. */
function hasEntityTag(request: ServerRequest, { statusCode, body }: Reply): boolean {
  return statusCode === 200 && request.method !== 'POST' && body.length > 0
}

/** Lines behind another one. */
function linesOf(headers: readonly Header[]): string {
  let lines = ''
  for (const [name, value] of headers) lines += `\r\n${name}: ${value}`
  return lines
}

/**
 * Whether If-None-Match names the tag: `*`, or a list of strong and weak tags, compared weakly
 * (RFC 9110 section 13.1.2).
 */
export function matchesEntityTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = withoutWeakness(etag)
  for (const [tag] of ifNoneMatch.matchAll(ENTITY_TAG)) {
    if (withoutWeakness(tag) === opaque) return true
  }
  return false
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/**
 * Sends bodies. `end` of uWebSockets.js copies what the kernel does not take, so that a client that
 * sends requests and reads nothing fills the memory. With `tryEnd` such an answer stays pending,
 * and uWebSockets.js closes a socket whose next request comes while an answer is pending. It costs
 * a twentieth of an answer, so one in eight is sent that way, at random: a client that does not
 * read is found after eight answers on average.
 */
class Sender {
  #unfinished = 0
  #givenUp = 0

  get unfinished(): number {
    return this.#unfinished
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { http_unfinished_answers: this.#unfinished, http_unread_answers_total: this.#givenUp }
  }

  /** A request was given up before its answer: its client had sent another one behind it, or left. */
  gaveUp(): void {
    this.#givenUp++
  }

  /** Status and headers have been written; the rest of the answer is `bytes`, which must not change. */
  send(res: HttpResponse, bytes: Buffer): void {
    if (bytes.length < PROBED_BYTES && Math.random() > PROBED_SHARE) {
      res.end(bytes)
      return
    }
    this.sendAwaited(res, bytes)
  }

  /** The same, so that it counts as unfinished until the client has read it: after `end` that is not known. */
  sendAwaited(res: HttpResponse, bytes: Buffer): void {
    const [, isDone] = res.tryEnd(bytes, bytes.length)
    if (!isDone) this.#sendRest(res, bytes)
  }

  /** Status and headers have been written and are all of the answer. */
  sendHead(res: HttpResponse): void {
    if (Math.random() > HELD_SHARE) {
      res.endWithoutBody()
      return
    }
    this.#unfinished++
    const timer = setTimeout(() => {
      this.#unfinished--
      res.cork(() => res.endWithoutBody())
    }, HELD_MS)
    res.onAborted(() => {
      this.#unfinished--
      this.#givenUp++
      clearTimeout(timer)
    })
  }

  #sendRest(res: HttpResponse, bytes: Buffer): void {
    this.#unfinished++
    const timer = setTimeout(() => res.close(), SEND_DEADLINE_MS)
    const ended = () => {
      this.#unfinished--
      clearTimeout(timer)
    }
    res.onAborted(() => {
      this.#givenUp++
      ended()
    })
    res.onWritable((offset) => {
      const [isOk, isDone] = res.tryEnd(bytes.subarray(offset), bytes.length)
      if (isDone) ended()
      return isOk
    })
  }
}
