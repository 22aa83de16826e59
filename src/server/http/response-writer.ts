import type { HttpResponse } from 'uWebSockets.js'
import { STATUS_TEXTS } from '../../protocol/errors.ts'
import { type Coding, negotiateCoding } from './content-coding.ts'
import { type EncodedBody, encodeBody } from './encoded-body.ts'
import { matchesEntityTag } from './entity-tag.ts'
import { headerLines } from './header-lines.ts'
import type { Header, Reply } from './reply.ts'
import type { ServerRequest } from './request.ts'
import { Sender } from './sender.ts'

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
export type Closing = 'service stops' | 'sockets are scarce' | null

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
