import { LRUCache } from 'lru-cache'
import { LINK_CHARACTERS_MAX } from '../../events/text.ts'
import { FETCH_LIMITS, type Refusal } from './safe-fetch.ts'

/** Limits of waiting and running fetches (docs/feeds.md). */
export const QUEUE_LIMITS = {
  /** Uris that wait or run; when more come, the least wanted of the oldest goes. */
  uris: 4_096,
  /** Requests at the same time. */
  running: 16,
  /** … of these to hosts that strangers chose: slow ones cannot hold up those of IPFS. */
  foreignRunning: 12,
  /** Requests to one host at the same time. */
  hostRunning: 4,
  /** Requests a second to a host that names no limit of its own, and how many of them at once. */
  hostPace: { perSecond: 10, burst: 20 },
  /** Failures in a row after which a host is left alone for a while. */
  hostFailures: 5,
  /** How long a gateway is put aside that announces its end: it may come back, or the next start name others. */
  sunsetMs: 3_600_000,
} as const
/** Waits before the second try and the ones after it. */
const RETRY_MS: readonly number[] = [1_000, 5_000, 30_000, 300_000]
/** Mints of one uri that are emitted together; copies of a copy beyond them stay without texts. */
const MINTS_MAX = 64
/** Trades from which a token is asked for before quieter ones. */
const BUSY_TRADES: readonly number[] = [2, 10, 50]

/** A uri to fetch, for every mint that names it. */
interface FetchJob {
  readonly key: string
  readonly uri: string
  readonly mints: string[]
  trades: number
  attempt: number
  dueMs: number
  isRunning: boolean
  /** Where this try may be made, first to last; stored, as thousands of jobs are looked at again and again. */
  places: readonly { readonly url: string; readonly host: string }[]
}

/** A fetch that has begun. */
export interface RunningFetch {
  readonly job: FetchJob
  readonly url: string
  readonly host: string
  /** The host that is asked now; behind a redirect another one. */
  at: string
  /** A host that is no gateway is asked, or was on the way. */
  isForeign: boolean
}

/** Waiting fetches: busy tokens first, second tries later, then the oldest; bounded a host and in all. */
export class FetchQueue {
  readonly #gateways: readonly string[]
  readonly #gatewayHosts: ReadonlySet<string>
  readonly #jobs = new Map<string, FetchJob>()
  readonly #byMint = new Map<string, FetchJob>()
  readonly #pace = new HostPace()
  #foreignRunning = 0
  running = 0
  /** Mints that were given up because the queue was full. */
  dropped = 0
  /** Answers of gateways that announce their end. */
  sunsets = 0

  constructor(gateways: readonly string[]) {
    this.#gateways = gateways
    this.#gatewayHosts = new Set(gateways.map(hostOf))
  }

  get length(): number {
    return this.#jobs.size
  }

  /** Gateways that are left alone for a while: they asked for it, or are switched off. */
  gatewaysAside(nowMs: number): number {
    return [...this.#gatewayHosts].filter((host) => this.#pace.isPaused(host, nowMs)).length
  }

  /** The link through the first gateway that is not put aside where it leads to content of IPFS, else as it is. */
  liveLink(link: string, nowMs: number): string {
    const isLive = (gateway: string) => !this.#pace.isPaused(hostOf(gateway), nowMs)
    const gateway = this.#gateways.find(isLive) ?? this.#gateways.at(0)
    return gateway === undefined ? link : linkThrough(gateway, link)
  }

  add(mint: string, uri: string, nowMs: number): void {
    const key = uriKey(uri)
    const known = this.#jobs.get(key)
    if (known === undefined) {
      if (this.#jobs.size >= QUEUE_LIMITS.uris) this.#makeRoom()
      const job = {
        ...{ key, uri, mints: [], trades: 0, attempt: 0, dueMs: nowMs, isRunning: false },
        places: this.#placesOf(uri, 0),
      }
      this.#jobs.set(key, job)
      this.#join(job, mint)
    } else if (known.mints.length < MINTS_MAX) this.#join(known, mint)
    else this.dropped += 1
  }

  /** A trade of a mint: what is busy is fetched first. */
  touch(mint: string): void {
    const job = this.#byMint.get(mint)
    if (job !== undefined) job.trades += 1
  }

  /** The next fetch that may begin now; null when there is none. */
  take(nowMs: number): RunningFetch | null {
    if (this.running >= QUEUE_LIMITS.running) return null
    let best: RunningFetch | null = null
    const known = new Map<string, boolean>()
    const isFree = ({ host }: FetchJob['places'][number]) => {
      const free = known.get(host) ?? this.#isFree(host, nowMs)
      known.set(host, free)
      return free
    }
    for (const job of this.#jobs.values()) {
      if (job.isRunning || job.dueMs > nowMs) continue
      if (best !== null && levelOf(job) <= levelOf(best.job)) continue
      const place = job.places.find(isFree)
      if (place !== undefined)
        best = { job, ...place, at: place.host, isForeign: this.#isForeign(place.host) }
    }
    if (best === null) return null
    best.job.isRunning = true
    this.running += 1
    if (best.isForeign) this.#foreignRunning += 1
    this.#pace.begin(best.host, nowMs)
    return best
  }

  /**
   * A redirect leads on to `host`: false when its pace does not let it be asked now, or a gateway leads to a host of
   * strangers while these have all of their places. The first host's place is held until the end: one that redirects to
   * a slower one must not send more there than that answers.
   */
  leadTo(fetch: RunningFetch, host: string, nowMs: number): boolean {
    if (host === fetch.at) return true
    const isBack = host === fetch.host
    if (!isBack && !this.#pace.isFree(host, nowMs)) return false
    if (!fetch.isForeign && this.#isForeign(host)) {
      if (this.#foreignRunning >= QUEUE_LIMITS.foreignRunning) return false
      this.#foreignRunning += 1
      fetch.isForeign = true
    }
    if (fetch.at !== fetch.host) this.#pace.end(fetch.at, false, nowMs)
    if (!isBack) this.#pace.begin(host, nowMs)
    fetch.at = host
    return true
  }

  /** The fetch is over: `refused` null, it is done. Returns whether the job is over too. */
  settle(fetch: RunningFetch, refused: Refusal | null, nowMs: number): boolean {
    const { job, host, at } = fetch
    this.running -= 1
    if (fetch.isForeign) this.#foreignRunning -= 1
    // The time is that of all hosts on the way: who redirects late must not have another one paused.
    const isOfOthers = refused?.isOfPath === true || (refused?.refused === 'time' && at !== host)
    const isAtFault = refused !== null && !refused.isFinal && !isOfOthers
    if (at !== host) this.#pace.end(host, false, nowMs)
    // A gateway fails for content that is nowhere, too: anybody could have all of them paused.
    this.#pace.end(at, isAtFault && this.#isForeign(at), nowMs, this.#asideMs(at, refused))
    job.isRunning = false
    const waitMs = RETRY_MS[job.attempt]
    // What a gateway never gives, as content that others have pinned, the next one may have.
    const isLastPlace = this.#isForeign(host) || job.attempt + 1 >= this.#gateways.length
    if (refused === null || (refused.isFinal && isLastPlace) || waitMs === undefined) {
      this.#remove(job)
      return true
    }
    job.attempt += 1
    job.dueMs = nowMs + waitMs
    job.places = this.#placesOf(job.uri, job.attempt)
    return false
  }

  /** For how long a host is left alone because of its answer. */
  #asideMs(host: string, refused: Refusal | null): number {
    const waitMs = refused?.retryAfterMs ?? 0
    // Strangers could have any of their hosts left alone, which is theirs; it is no gateway.
    if (refused?.isSunset !== true || this.#isForeign(host)) return waitMs
    this.sunsets += 1
    return Math.max(waitMs, QUEUE_LIMITS.sunsetMs)
  }

  #placesOf(uri: string, attempt: number): FetchJob['places'] {
    return addressesOf(uri, attempt, this.#gateways).map((url) => ({ url, host: hostOf(url) }))
  }

  #isForeign(host: string): boolean {
    return !this.#gatewayHosts.has(host)
  }

  #isFree(host: string, nowMs: number): boolean {
    if (this.#isForeign(host) && this.#foreignRunning >= QUEUE_LIMITS.foreignRunning) return false
    return this.#pace.isFree(host, nowMs)
  }

  #join(job: FetchJob, mint: string): void {
    job.mints.push(mint)
    this.#byMint.set(mint, job)
  }

  #makeRoom(): void {
    let least: FetchJob | null = null
    for (const job of this.#jobs.values())
      if (!job.isRunning && (least === null || levelOf(job) < levelOf(least))) least = job
    if (least === null) return
    this.dropped += least.mints.length
    this.#remove(least)
  }

  #remove(job: FetchJob): void {
    this.#jobs.delete(job.key)
    for (const mint of job.mints) this.#byMint.delete(mint)
  }
}

/** The same text for all uris of the same content. */
export function uriKey(uri: string): string {
  return ipfsContentOf(uri) ?? uri.trim()
}

function levelOf({ trades, attempt }: FetchJob): number {
  return BUSY_TRADES.filter((least) => trades >= least).length - attempt
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

/** How fast one host is asked. */
interface Pace {
  /** Requests a second. */
  readonly perSecond: number
  /** Requests that may come at once. */
  readonly burst: number
}

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
  return PACES.get(host) ?? QUEUE_LIMITS.hostPace
}

/** Whether a host is, or lies below, a gateway that was switched off. */
export function isRetired(host: string): boolean {
  return RETIRED.some((name) => host === name || host.endsWith(`.${name}`))
}

/**
 * A link to content of IPFS, by whatever gateway or scheme it is named, as one to `gateway`; any other link as it is.
 * One that would be too long to be stored stays as it is too.
 */
function linkThrough(gateway: string, link: string): string {
  const content = ipfsContentOf(link)
  if (content === null) return link
  const through = `${gateway}/ipfs/${content}`
  return through.length > LINK_CHARACTERS_MAX ? link : through
}

/**
 * `cid` or `cid/path` when the uri names content of IPFS, through whichever gateway; null when it
 * does not. The same for all ways to write it.
 */
export function ipfsContentOf(uri: string): string | null {
  const text = uri.trim().toWellFormed()
  const content = contentIn(text).replaceAll(UNWRITTEN, encodeURIComponent)
  if (content.length > FETCH_LIMITS.urlCharacters) return null
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
  const first = attempt % gateways.length
  const inTurn = [...gateways.slice(first), ...gateways.slice(0, first)]
  return inTurn.map((gateway) => `${gateway}/ipfs/${content}`)
}

/** Hosts whose pace is remembered; one that comes back after that begins anew. */
const HOSTS_MAX = 4_096
const PAUSE_MS = 60_000

interface Host {
  running: number
  tokens: number
  filledMs: number
  failures: number
  pausedUntilMs: number
}

/** How fast each host is asked: a few at once, a rate of its own, and a pause when it fails or asks for one. */
class HostPace {
  readonly #hosts = new LRUCache<string, Host>({ max: HOSTS_MAX })

  isFree(name: string, nowMs: number): boolean {
    const host = this.#hosts.get(name)
    if (host === undefined) return true
    fill(name, host, nowMs)
    return (
      host.running < QUEUE_LIMITS.hostRunning && host.tokens >= 1 && nowMs >= host.pausedUntilMs
    )
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
    const pauseMs = Math.max(
      retryAfterMs,
      host.failures >= QUEUE_LIMITS.hostFailures ? PAUSE_MS : 0,
    )
    host.pausedUntilMs = Math.max(host.pausedUntilMs, pauseMs === 0 ? 0 : nowMs + pauseMs)
  }
}

function fill(name: string, host: Host, nowMs: number): void {
  const { perSecond, burst } = paceOf(name)
  host.tokens = Math.min(burst, host.tokens + ((nowMs - host.filledMs) * perSecond) / 1_000)
  host.filledMs = nowMs
}
