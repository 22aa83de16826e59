import { corsHeaders } from './cors.ts'
import { KEPT_OPEN_S } from './limits.ts'
import type { Header } from './reply.ts'

/**
 * All headers of an answer as the value of its `Vary` header, which goes on over several lines:
 * one crossing into native code instead of one a header, worth a tenth of a small answer. Names
 * and values are the program's own; a client's text must never get here.
 */
export interface HeaderLines {
  of(contentType: string, etag: string | null, extra: readonly Header[]): string
}

/** What browsers are told beside CORS: no guessing of types, no framing, no referrer. */
const SECURITY_HEADERS: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['Referrer-Policy', 'no-referrer'],
]

const KEEP_ALIVE: Header = ['Keep-Alive', `timeout=${KEPT_OPEN_S}`]

export function headerLines(corsOrigin: string): HeaderLines {
  // Content types are a closed set, so the map is bounded.
  const known = new Map<string, string>()
  const common = (contentType: string): string => {
    let text = known.get(contentType)
    if (text === undefined) {
      const type: readonly Header[] = contentType === '' ? [] : [['Content-Type', contentType]]
      text = `Accept-Encoding${joined([...corsHeaders(corsOrigin), ...SECURITY_HEADERS, KEEP_ALIVE, ...type])}`
      known.set(contentType, text)
    }
    return text
  }
  return {
    of(contentType, etag, extra) {
      const tag = etag === null ? '' : `\r\nETag: ${etag}`
      return common(contentType) + tag + joined(extra)
    },
  }
}

function joined(headers: readonly Header[]): string {
  let lines = ''
  for (const [name, value] of headers) lines += `\r\n${name}: ${value}`
  return lines
}
