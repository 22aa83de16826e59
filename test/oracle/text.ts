/** Text from outside (contract section 1): well-formed, cut by code points, links filtered. */
import { METADATA_KEYS, type Metadata, type MetadataKey } from '../../src/events/event.ts'

export const NAME_LENGTH = 256
export const LINK_LENGTH = 512
const DESCRIPTION_LENGTH = 4096

/** At most `length` code points; lone surrogates become U+FFFD. */
export function cleanText(text: string, length: number): string {
  let clean = ''
  let count = 0
  for (const point of text) {
    if (count === length) break
    count += 1
    const lone = point.length === 1 && point >= '\ud800' && point <= '\udfff'
    clean += lone ? '\ufffd' : point
  }
  return clean
}

const MEANT_AS_LINKS = ['x.com/', 'twitter.com/', 't.me/']

/** Links to X and Telegram without a scheme are links; of the others nobody knows. */
function whole(text: string): string {
  const bare = text.trim()
  const isMeant = MEANT_AS_LINKS.some((start) => bare.toLowerCase().startsWith(start))
  return isMeant ? `https://${bare}` : text
}

/** A link that may be shown, or "" when it is missing or dropped. */
export function cleanLink(text: string): string {
  const link = whole(text)
  return /^(https?|ipfs):\/\//i.test(link.trim()) ? cleanText(link, LINK_LENGTH) : ''
}

/** "" is missing. */
export type Texts = Record<MetadataKey, string>

export interface Known {
  readonly texts: Texts
  readonly dexPaid: boolean
}

/** All metadata of one mint, in order of arrival. */
export function knownOf(arrived: readonly Metadata[]): Known {
  const texts: Texts = {
    image: '',
    video: '',
    twitter: '',
    website: '',
    discord: '',
    telegram: '',
    description: '',
  }
  let dexPaid = false
  for (const metadata of arrived) {
    dexPaid = metadata.dexPaid ?? dexPaid
    for (const key of METADATA_KEYS) {
      const value = metadata[key]
      if (value === undefined) continue
      texts[key] =
        key === 'description' ? cleanText(value ?? '', DESCRIPTION_LENGTH) : cleanLink(value ?? '')
    }
  }
  return { texts, dexPaid }
}

const X_HOSTS = /^(www\.|mobile\.|m\.|pro\.)?(x|twitter)\.com\.?$/
const RESERVED = [
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
]

/** One name for all spellings of one X link; null for what is not one. */
export function xLink(link: string): string | null {
  const text = whole(link).trim()
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null || !X_HOSTS.test(url.hostname)) return null
  const parts = unescaped(url.pathname)
    .split('/')
    .filter((part) => part !== '')
  // Pages are the same in any case; /i/web/status/<id> is another spelling of /i/status/<id>.
  for (const [i, part] of parts.slice(0, 3).entries())
    if (/^(i|web|status(es)?|communities)$/i.test(part)) parts[i] = part.toLowerCase()
  if (parts[0] === 'i' && parts[1] === 'web') parts.splice(1, 1)
  const [first = '', page, third] = parts
  const second = page === 'statuses' ? 'status' : page
  if (first === 'i' && second === 'communities' && isId(third)) return `community:${third}`
  const room = /^(broadcasts|spaces)$/i.exec(second ?? '')?.[0].toLowerCase()
  if (first === 'i' && room !== undefined && /^\w+$/.test(third ?? '')) return `${room}:${third}`
  // People paste links twice, or with what stood behind them: the id is the digits it begins with.
  const tweet = second === 'status' ? /^\d+/.exec(third ?? '')?.[0] : undefined
  if (tweet !== undefined) return `status:${tweet}`
  if (first === 'i') return null
  const handle = (first.startsWith('@') ? first.slice(1) : first).toLowerCase()
  if (!/^[a-z0-9_]{1,15}$/.test(handle)) return null
  return RESERVED.includes(handle) ? null : `handle:${handle}`
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function isId(part: string | undefined): boolean {
  return part !== undefined && /^\d+$/.test(part)
}
