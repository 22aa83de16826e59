import { LRUCache } from 'lru-cache'
import { LINK_CHARACTERS_MAX } from '../../events/text.ts'
import { URL_CHARACTERS_MAX } from './safe-fetch.ts'

/** How fast one host is asked. */
interface Pace {
  /** Requests a second. */
  readonly perSecond: number
  /** Requests that may come at once. */
  readonly burst: number
}

/** Of a host that said nothing of its own limit. */
export const DEFAULT_PACE: Pace = { perSecond: 10, burst: 20 }

/**
 * What the public gateways let an address ask. ipfs.filebase.io allows 200 requests a minute; the others name no
 * figure, so they get less than hosts in general: a gateway that is asked too fast refuses everybody's content.
 */
const PACES: ReadonlyMap<string, Pace> = new Map([
  ['ipfs.filebase.io', { perSecond: 3, burst: 3 }],
  ['pump.mypinata.cloud', { perSecond: 5, burst: 10 }],
  ['gateway.pinata.cloud', { perSecond: 2, burst: 4 }],
  ['4everland.io', { perSecond: 2, burst: 4 }],
])

/** Gateways that were switched off: in 2024 the two of Cloudflare, on 2026-09-21 the others. */
const RETIRED: readonly string[] = [
  'ipfs.io',
  'dweb.link',
  'w3s.link',
  'cf-ipfs.com',
  'cloudflare-ipfs.com',
]

/** Content id (base58 or base32 and the like) and the path below it, as far as a URL may hold. */
const CONTENT = /^([A-Za-z0-9]{46,100})((?:\/[\w.~%!$&'()*+,;=:@-]*)*)$/
/** A step up or on the spot, which would lead out of the content to anything else of a gateway. */
const STEPS = /\/(?:\.|%2e){1,2}(?:\/|$)/i
/** What a path may not have as it is: launchers write blanks and letters of any script. */
const UNWRITTEN = /[^\w.~%!$&'()*+,;=:@/-]|%(?![\dA-Fa-f]{2})/gu

/** The ways to name content, its id and the path below it. */
const FORMS: readonly RegExp[] = [
  /^ipfs:\/\/(?:ipfs\/)?([^/?#]+)([^?#]*)/i,
  /^https?:\/\/[^/?#]+\/ipfs\/([^/?#]+)([^?#]*)/i,
]

/** The id as a host of its own, which has small letters only and always a path. */
const HOST_FORM = /^https?:\/\/([a-z0-9]+)\.ipfs\.[^/?#]+(?:\/?(?=[?#]|$)|(\/[^?#]*))/i

/** The pace of a host. */
export function paceOf(host: string): Pace {
  return PACES.get(host) ?? DEFAULT_PACE
}

/** Whether a host is, or lies below, a gateway that was switched off. */
export function isRetired(host: string): boolean {
  return RETIRED.some((name) => host === name || host.endsWith(`.${name}`))
}

/**
 * A link to content of IPFS, by whatever gateway or scheme it is named, as one to `gateway`; any other link as it is.
 * One that would be too long to be stored stays as it is too.
 */
export function linkThrough(gateway: string, link: string): string {
  const content = ipfsContentOf(link)
  if (content === null) return link
  const through = `${gateway}/ipfs/${content}`
  return through.length > LINK_CHARACTERS_MAX ? link : through
}

/**
 * `cid` or `cid/path` when the uri names content of IPFS, through whichever gateway; null when it
 * does not. Alike for all ways to write the same content.
 */
export function ipfsContentOf(uri: string): string | null {
  const text = uri.trim().toWellFormed()
  const content = contentIn(text).replaceAll(UNWRITTEN, encodeURIComponent)
  if (content.length > URL_CHARACTERS_MAX) return null
  return CONTENT.test(content) && !STEPS.test(content) ? content : null
}

function contentIn(text: string): string {
  for (const form of FORMS) {
    const match = form.exec(text)
    if (match !== null) return `${match[1]}${match[2]}`
  }
  const [, id = '', path = ''] = HOST_FORM.exec(text) ?? []
  return `${id.toLowerCase()}${path}`
}

/** Addresses to try for a uri; the nth try begins with the nth gateway. */
export function addressesOf(uri: string, attempt: number, gateways: readonly string[]): string[] {
  const content = ipfsContentOf(uri)
  if (content === null) return [uri.trim()]
  return gateways.map(
    (_, index) => `${gateways[(index + attempt) % gateways.length]}/ipfs/${content}`,
  )
}

/** Hosts whose pace is remembered; one that comes back after that begins anew. */
const HOSTS_MAX = 4_096
/** Requests to one host at the same time. */
export const RUNNING_MAX = 4
/** Failures in a row after which a host is left alone for a while. */
export const FAILURES_MAX = 5
const PAUSE_MS = 60_000

interface Host {
  running: number
  tokens: number
  filledMs: number
  failures: number
  pausedUntilMs: number
}

/** How fast each host is asked: a few at once, a rate of its own, and a pause when it fails or asks for one. */
export class HostPace {
  readonly #hosts = new LRUCache<string, Host>({ max: HOSTS_MAX })

  isFree(name: string, nowMs: number): boolean {
    const host = this.#hosts.get(name)
    if (host === undefined) return true
    fill(name, host, nowMs)
    return host.running < RUNNING_MAX && host.tokens >= 1 && nowMs >= host.pausedUntilMs
  }

  /** Whether it is left alone for a while. */
  isPaused(name: string, nowMs: number): boolean {
    return (this.#hosts.peek(name)?.pausedUntilMs ?? 0) > nowMs
  }

  begin(name: string, nowMs: number): void {
    const known = this.#hosts.get(name)
    const host = known ?? {
      running: 0,
      tokens: paceOf(name).burst,
      filledMs: nowMs,
      failures: 0,
      pausedUntilMs: 0,
    }
    fill(name, host, nowMs)
    host.running += 1
    host.tokens -= 1
    if (known === undefined) this.#hosts.set(name, host)
  }

  /** @param retryAfterMs the wait the host asked for */
  end(name: string, hasFailed: boolean, nowMs: number, retryAfterMs = 0): void {
    const host = this.#hosts.get(name)
    if (host === undefined) return
    host.running -= 1
    host.failures = hasFailed ? host.failures + 1 : 0
    const pauseMs = Math.max(retryAfterMs, host.failures >= FAILURES_MAX ? PAUSE_MS : 0)
    host.pausedUntilMs = Math.max(host.pausedUntilMs, pauseMs === 0 ? 0 : nowMs + pauseMs)
  }
}

function fill(name: string, host: Host, nowMs: number): void {
  const { perSecond, burst } = paceOf(name)
  host.tokens = Math.min(burst, host.tokens + ((nowMs - host.filledMs) * perSecond) / 1_000)
  host.filledMs = nowMs
}
