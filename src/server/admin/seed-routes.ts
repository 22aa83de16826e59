import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf } from '../../base/errors.ts'
import { type AdminRoute, headOf, sendJson, sendText } from './admin-answers.ts'

const FILES = '/seed/'
/** A reader that takes nothing for so long is cut off: it holds a descriptor, and perhaps a removed file. */
const UNREAD_MS = 60_000
/** Other forms, as of several ranges, are answered by the whole file. */
const RANGE = /^bytes=(\d{1,15})-(\d{1,15})?$/

/** What a new instance may take of this one. */
export interface SeedPort {
  /** JSON of what there is. */
  list(): object
  /** Opens one of these files by its name; null: there is none by it, or not any more. */
  open(name: string): Promise<{
    readonly bytes: number
    /** Another one where any byte is another one. */
    readonly tag: string
    /** Both places included; reads to the end close the file. */
    read(from: number, to: number): Readable
    close(): Promise<void>
  } | null>
}

export function seedRoutes({
  seed,
}: {
  readonly seed: (() => SeedPort | null) | null
}): readonly AdminRoute[] {
  const withPort = async (
    response: ServerResponse,
    use: (port: SeedPort) => void | Promise<void>,
  ): Promise<void> => {
    if (seed === null) return sendJson(response, 409, { message: 'DATA_DIR is none.' })
    const port = seed()
    if (port === null)
      return sendJson(response, 503, { message: 'Not yet: the service is starting.' })
    await use(port)
  }
  return [
    {
      method: 'GET',
      path: '/seed',
      meaning: 'the snapshots and chunks that SEED_URL of a new instance takes',
      answer: (response) => withPort(response, (port) => sendJson(response, 200, port.list())),
    },
    {
      method: 'GET',
      path: FILES,
      meaning: 'with the name of one of these: its bytes, also from one on (Range, If-Range)',
      answer: (response, _, request) =>
        withPort(response, (port) => sendFile(port, request, response)),
    },
  ]
}

async function sendFile(
  port: SeedPort,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://admin')
  const file = await port.open(pathname.slice(FILES.length))
  if (file === null) return sendText(response, 404, 'GET /seed lists the files that there are.')
  const etag = `"${file.tag}"`
  const range = rangeOf(request, etag, file.bytes)
  const { from, to } = range ?? { from: 0, to: file.bytes - 1 }
  const isThere = from <= to
  const shown = isThere ? `${from}-${to}` : '*'
  response.writeHead(!isThere ? 416 : range === null ? 200 : 206, {
    ...headOf('application/octet-stream'),
    ...{ ETag: etag, 'Accept-Ranges': 'bytes', 'Cache-Control': 'no-store, no-transform' },
    ...(range !== null && { 'Content-Range': `bytes ${shown}/${file.bytes}` }),
    'Content-Length': isThere ? to - from + 1 : 0,
  })
  if (!isThere || request.method === 'HEAD') {
    await file.close()
    response.end()
    return
  }
  response.setTimeout(UNREAD_MS, () => response.destroy())
  await pipeline(file.read(from, to), response).catch((error: unknown) => {
    // Who has left asks for the rest when it is back.
    if (codeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

/**
 * The bytes that a request asks for, none of them where they begin behind the end; null: all (RFC 9110, 13.1.5 and 14.2).
 */
function rangeOf(
  { method, headers }: IncomingMessage,
  etag: string,
  bytes: number,
): { readonly from: number; readonly to: number } | null {
  const [, first, last = ''] = RANGE.exec(headers.range ?? '') ?? []
  const isOther = headers['if-range'] !== undefined && headers['if-range'] !== etag
  if (first === undefined || isOther || method === 'HEAD') return null
  const from = Number(first)
  const wanted = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  return from > wanted ? null : { from, to: Math.min(wanted, bytes - 1) }
}
