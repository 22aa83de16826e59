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

/** Links that people write without a scheme. */
const SCHEMELESS = /^(x\.com|twitter\.com|t\.me)\//i

/** `https://` before a link to X or Telegram without a scheme; any other text as it is. */
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

/** Rooms where people of X talk, each at /i/<name>/<id>. */
const X_ROOMS = new Set(['broadcasts', 'spaces'])

/**
 * What an X link points at, alike for all ways to write it: `@handle`, `status:<id>`, `community:<id>`,
 * `broadcasts:<id>`, `spaces:<id>`; "" when it counts for nothing (contract section 2, xReuses).
 */
export function xLinkOf(link: string): string {
  const [start = '', second = '', third = '', fourth = ''] = pathOfX(withScheme(link).trim())
  const first = start.toLowerCase()
  const isShared = first === 'i'
  if (isShared && /^communities$/i.test(second) && /^\d+$/.test(third)) return `community:${third}`
  const room = second.toLowerCase()
  if (isShared && X_ROOMS.has(room) && /^\w+$/.test(third)) return `${room}:${third}`
  // /i/web/status/<id> is another spelling of /i/status/<id>, and /<handle>/statuses/<id> an old one.
  const isWeb = isShared && /^web$/i.test(second)
  const status = /^\d+/.exec(isWeb ? fourth : third)
  if (/^status(es)?$/i.test(isWeb ? third : second) && status !== null) return `status:${status[0]}`
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
