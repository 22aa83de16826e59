import { percentDecoded } from '../base/safe-text.ts'

/** Bounds of text from the chain, in code points (contract sections 1 and 8). */
export const NAME_CHARACTERS_MAX = 256
export const LINK_CHARACTERS_MAX = 512

/** Valid UTF-16, cut at `max` code points. */
export function codePoints(text: string, max: number): string {
  const wellFormed = text.toWellFormed()
  if (wellFormed.length <= max) return wellFormed
  let end = 0
  for (let taken = 0; taken < max && end < wellFormed.length; taken++)
    end += (wellFormed.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return wellFormed.slice(0, end)
}

/** What people write without a scheme and mean as a link. */
const SCHEMELESS = /^(x\.com|twitter\.com|t\.me)\//i

/** `https://` before a link to X or Telegram that was written without a scheme; all else as it is. */
export function withScheme(text: string): string {
  const link = text.trim()
  return SCHEMELESS.test(link) ? `https://${link}` : text
}

/** A link as it is stored: only https, http and ipfs pass, everything else counts as missing. */
export function cleanLink(text: string): string {
  const link = withScheme(text)
  return /^(https?|ipfs):\/\//i.test(link.trim()) ? codePoints(link, LINK_CHARACTERS_MAX) : ''
}

const X_HOST = /^(www\.|mobile\.|m\.|pro\.)?(x|twitter)\.com\.?$/
const X_RESERVED = new Set([
  'home',
  'explore',
  'search',
  'i',
  'intent',
  'share',
  'hashtag',
  'settings',
  'notifications',
  'messages',
])

/** What people of X talk in together, each at /i/<name>/<id>. */
const X_ROOMS = new Set(['broadcasts', 'spaces'])

/**
 * What an X link points at, alike for all ways to write it: `@handle`, `status:<id>`, `community:<id>`,
 * `broadcasts:<id>`, `spaces:<id>`; "" when it counts for nothing (contract section 2, xReuses).
 */
export function xLinkOf(link: string): string {
  const parts = pathOfX(withScheme(link).trim())
  if (parts.length === 0) return ''
  const first = parts[0].toLowerCase()
  if (first === 'i' && /^communities$/i.test(parts[1] ?? '') && /^\d+$/.test(parts[2] ?? ''))
    return `community:${parts[2]}`
  const room = (parts[1] ?? '').toLowerCase()
  if (first === 'i' && X_ROOMS.has(room) && /^\w+$/.test(parts[2] ?? ''))
    return `${room}:${parts[2]}`
  // /i/web/status/<id> is another spelling of /i/status/<id>, and /<handle>/statuses/<id> an old one.
  const at = first === 'i' && /^web$/i.test(parts[1] ?? '') ? 2 : 1
  if (/^status(es)?$/i.test(parts[at] ?? '') && /^\d+/.test(parts[at + 1] ?? ''))
    return `status:${/^\d+/.exec(parts[at + 1])?.[0] ?? ''}`
  // X leads /@handle to /handle.
  const handle = first.replace(/^@/, '')
  if (X_RESERVED.has(handle) || !/^[a-z0-9_]{1,15}$/.test(handle)) return ''
  return `@${handle}`
}

/** The path of a link to X as a browser asks for it, part by part; none when it leads elsewhere. */
function pathOfX(link: string): readonly string[] {
  // Not by `canParse`: after some thousand calls that of Node 22 knows no host of other letters than ASCII.
  const url = /^https?:\/\//i.test(link) ? URL.parse(link) : null
  if (url === null || !X_HOST.test(url.hostname)) return []
  return percentDecoded(url.pathname)
    .split('/')
    .filter((part) => part !== '')
}
