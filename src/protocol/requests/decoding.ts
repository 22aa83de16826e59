import { accept, type Parsed, quoted, refuse } from './parsed.ts'

/**
 * What uWebSockets.js leaves where the raw url held bytes that are not UTF-8. A client that means
 * this very character sends it percent-encoded, as RFC 3986 asks.
 */
const REPLACEMENT_CHARACTER = '\ufffd'

/** Decodes one percent-encoded piece of a url; bytes that are not UTF-8 are refused. */
export function decodePiece(raw: string, path: string): Parsed<string> {
  if (raw.includes(REPLACEMENT_CHARACTER)) return notUtf8(raw, path)
  if (!raw.includes('%')) return accept(raw)
  try {
    return accept(decodeURIComponent(raw))
  } catch {
    return notUtf8(raw, path)
  }
}

function notUtf8(raw: string, path: string): Parsed<string> {
  return refuse(
    'invalid_encoding',
    path,
    `${path} came as ${quoted(raw)}, which is not percent-encoded UTF-8.`,
  )
}

/** A required path segment: decoded, not blank. */
export function pathParameter(raw: string, name: string): Parsed<string> {
  const decoded = decodePiece(raw, name)
  if (!decoded.ok || decoded.value.trim() !== '') return decoded
  return refuse('missing_parameter', name, `${name} is blank in the path, an address is expected.`)
}
