import type { HttpResponse } from 'uWebSockets.js'
import { STATUS_TEXTS } from '../../protocol/errors.ts'
import { type Coding, type EncodedBody, encodeBody, negotiateCoding } from './encoded-body.ts'
import { headerLines } from './header-lines.ts'
import type { Header, Reply } from './reply.ts'
import type { ServerRequest } from './request.ts'

/** An answer that its client has not read after this time is given up, and the socket closed. */
const SEND_DEADLINE_MS = 120_000

/** Share of answers that are sent so that a client that does not read them is found. */
const PROBED_SHARE = 1 / 8

/**
 * Share of answers without a body (HEAD, OPTIONS, 304) that are held back for a moment: uWebSockets.js
 * does not tell whether such an answer is read, and a client that reads none would fill the memory.
 */
const HELD_SHARE = 1 / 1024

/** How long; whoever sends its next request before the answer came is cut off. */
const HELD_MS = 20

/** Answers from this size on are always sent that way: a few of them unread would be much. */
const PROBED_BYTES = 256 * 1024

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g

/** Writes replies; the only place that knows what every answer carries. */
export interface ResponseWriter {
  /** Answers that their clients have not read to the end. */
  readonly unfinished: number
  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>>
  /** Counts a request whose connection was closed before its answer. */
  gaveUp(): void
  /** `extra`: headers the front adds, such as those of the rate limit, in the order they are sent. */
  write(
    res: HttpResponse,
    request: ServerRequest,
    reply: Reply,
    extra: readonly (readonly Header[])[],
  ): void
}

/** Why connections are to be closed after their answer; null: they are kept. */
type Closing = 'service stops' | 'sockets are scarce' | null

export function responseWriter(corsOrigin: string, closing: () => Closing): ResponseWriter {
  const sender = new Sender()
  const lines = headerLines(corsOrigin)
  return {
    get unfinished() {
      return sender.unfinished
    },
    gaveUp: () => sender.gaveUp(),
    figures: () => sender.figures(),
    write(res, request, reply, extra) {
      const body = typeof reply.body === 'string' ? encodeBody(reply.body) : reply.body
      const etag = hasEntityTag(request, reply) ? body.etag() : null
      res.cork(() => {
        if (etag !== null && matchesEntityTag(request.ifNoneMatch, etag)) {
          res.writeStatus(statusLine(304))
          lines.write(res, '', etag, extra)
          writeHeaders(res, reply.headers)
          sender.sendHead(res)
          return
        }
        // uWebSockets.js writes 200 by itself.
        if (reply.statusCode !== 200) res.writeStatus(statusLine(reply.statusCode))
        lines.write(res, reply.contentType, etag, extra)
        writeHeaders(res, reply.headers)
        endWithBody({ res, request, sender, closing: closing() }, reply, body)
      })
    },
  }
}

/** Only successful GET answers: HTTP has no 304 on POST, and an error or a stream is not worth a tag. */
function hasEntityTag(request: ServerRequest, { statusCode, body }: Reply): boolean {
  return statusCode === 200 && request.method !== 'POST' && body.length > 0
}

interface Writing {
  readonly res: HttpResponse
  readonly request: ServerRequest
  readonly sender: Sender
  readonly closing: Closing
}

function endWithBody(writing: Writing, reply: Reply, body: EncodedBody): void {
  const { res, request, sender, closing } = writing
  const coding: Coding | null = negotiateCoding(request.acceptEncoding)
  const compressed = coding === null ? null : body.compressed(coding)
  if (coding !== null && compressed !== null) res.writeHeader('Content-Encoding', coding)
  const bytes = compressed ?? body.bytes
  // A timed-out body is still on its way: what follows on the socket is no request.
  const mustClose = closing !== null || reply.statusCode === 408
  if (reply.statusCode === 204) sender.sendHead(res)
  else if (request.method === 'HEAD') {
    // endWithoutBody(length) leaves uWebSockets.js waiting for a body and kills the connection.
    if (bytes.length > 0) res.writeHeader('Content-Length', String(bytes.length))
    sender.sendHead(res)
  } else if (closing === 'service stops') {
    // The stop waits until it is read and cuts the socket itself.
    res.writeHeader('Connection', 'close')
    sender.sendAwaited(res, bytes)
  } else if (mustClose) res.end(bytes, true)
  else sender.send(res, bytes)
}

function writeHeaders(res: HttpResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) res.writeHeader(name, value)
}

function statusLine(statusCode: keyof typeof STATUS_TEXTS): string {
  return STATUS_LINES.get(statusCode) ?? `${statusCode} ${STATUS_TEXTS[statusCode]}`
}

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_TEXTS).map(([code, text]) => [Number(code), `${code} ${text}`]),
)

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

  /** The same, so that it counts as unfinished until the client has read it: `end` does not tell. */
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
