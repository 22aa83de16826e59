import type { HttpResponse } from 'uWebSockets.js'
import { corsHeaders } from './cors.ts'
import type { Header } from './reply.ts'

/**
 * Seconds that an idle connection stays open for a next request, told to clients (`Keep-Alive`), so
 * that they do not send one into a connection that is being closed. uWebSockets.js closes after ten,
 * which it counts in steps of four: after eight to twelve. Two less are told: a client that takes it
 * exactly is late by as much as its loop is held.
 */
const KEPT_OPEN_S = 6

/**
 * All headers of an answer as the values of two, each of which goes on over several lines: two crossings
 * into native code instead of one a header, worth a tenth of a small answer. What all answers of a kind
 * have in common crosses as bytes, for a text is put together and encoded each time. Names and values
 * are the program's own; a client's text must never get here.
 */
interface HeaderLines {
  /** `extra`: headers of the front, and then those of the stream position. */
  write(
    res: HttpResponse,
    contentType: string,
    etag: string | null,
    extra: readonly (readonly Header[])[],
  ): void
}

/** What browsers are told beside CORS: no guessing of types, no framing, no referrer. */
export const SECURITY_HEADERS: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['Referrer-Policy', 'no-referrer'],
]

const KEEP_ALIVE: Header = ['Keep-Alive', `timeout=${KEPT_OPEN_S}`]

export function headerLines(corsOrigin: string): HeaderLines {
  // Content types are a closed set, so the map is bounded.
  const known = new Map<string, Uint8Array>()
  const common = (contentType: string): Uint8Array => {
    let bytes = known.get(contentType)
    if (bytes === undefined) {
      const type: readonly Header[] = contentType === '' ? [] : [['Content-Type', contentType]]
      const headers = [...corsHeaders(corsOrigin), ...SECURITY_HEADERS, KEEP_ALIVE, ...type]
      bytes = new TextEncoder().encode(`Accept-Encoding${lines(headers)}`)
      known.set(contentType, bytes)
    }
    return bytes
  }
  return {
    write(res, contentType, etag, extra) {
      res.writeHeader('Vary', common(contentType))
      let name = 'ETag'
      let value = etag ?? ''
      for (const headers of extra) {
        for (const [nextName, nextValue] of headers) {
          if (value !== '') value += `\r\n${nextName}: ${nextValue}`
          else {
            name = nextName
            value = nextValue
          }
        }
      }
      if (value !== '') res.writeHeader(name, value)
    },
  }
}

function lines(headers: readonly Header[]): string {
  return headers.map(([name, value]) => `\r\n${name}: ${value}`).join('')
}
