import { addressesOf, HostPace, ipfsContentOf, linkThrough } from './gateways.ts'
import type { Refusal } from './safe-fetch.ts'

/** Uris that wait or run; when more come, the least wanted of the oldest goes. */
export const QUEUE_MAX = 4_096
/** Requests at the same time. */
export const RUNNING_MAX = 16
/** … of these to hosts that strangers chose: slow ones cannot hold up those of IPFS. */
export const FOREIGN_RUNNING_MAX = 12
/** Waits before the second try and the ones after it. */
const RETRY_MS: readonly number[] = [1_000, 5_000, 30_000, 300_000]
/** Mints of one uri that are emitted together; copies of a copy beyond them stay without texts. */
const MINTS_MAX = 64
/** How long a gateway is put aside that says it is switched off: it may come back, or the next start name others. */
export const SUNSET_MS = 3_600_000
/** Trades from which a token is asked for before quieter ones. */
const BUSY_TRADES: readonly number[] = [2, 10, 50]

/** One uri to fetch, for every mint that names it. */
interface FetchJob {
  readonly key: string
  readonly uri: string
  readonly mints: string[]
  trades: number
  attempt: number
  dueMs: number
  isRunning: boolean
  /** Where this try may be made, first to last: thousands are looked at again and again. */
  places: readonly FetchPlace[]
}

interface FetchPlace {
  readonly url: string
  readonly host: string
}

/** What to fetch next. */
export interface FetchTurn {
  readonly job: FetchJob
  readonly url: string
  readonly host: string
  /** The host that is asked now: another one behind a redirect. */
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
  #running = 0
  #foreignRunning = 0
  #dropped = 0
  #sunsets = 0

  constructor(gateways: readonly string[]) {
    this.#gateways = gateways
    this.#gatewayHosts = new Set(gateways.map(hostOf))
  }

  get length(): number {
    return this.#jobs.size
  }

  get running(): number {
    return this.#running
  }

  /** Mints that were given up because the queue was full. */
  get dropped(): number {
    return this.#dropped
  }

  /** Answers of gateways that say they are switched off. */
  get sunsets(): number {
    return this.#sunsets
  }

  /** Gateways that are left alone for a while: they asked for it, or are switched off. */
  gatewaysAside(nowMs: number): number {
    return [...this.#gatewayHosts].filter((host) => this.#pace.isPaused(host, nowMs)).length
  }

  /** The link through the first gateway that is not put aside where it leads to content of IPFS, else as it is. */
  liveLink(link: string, nowMs: number): string {
    const isLive = (gateway: string) => !this.#pace.isPaused(hostOf(gateway), nowMs)
    return linkThrough(this.#gateways.find(isLive) ?? this.#gateways[0], link)
  }

  add(mint: string, uri: string, nowMs: number): void {
    const key = uriKey(uri)
    const known = this.#jobs.get(key)
    if (known === undefined) {
      if (this.#jobs.size >= QUEUE_MAX) this.#makeRoom()
      const job = {
        ...{ key, uri, mints: [], trades: 0, attempt: 0, dueMs: nowMs, isRunning: false },
        places: this.#placesOf(uri, 0),
      }
      this.#jobs.set(key, job)
      this.#join(job, mint)
    } else if (known.mints.length < MINTS_MAX) this.#join(known, mint)
    else this.#dropped += 1
  }

  /** A trade of a mint: what is busy is fetched first. */
  touch(mint: string): void {
    const job = this.#byMint.get(mint)
    if (job !== undefined) job.trades += 1
  }

  /** The next fetch that may begin now; null when there is none. */
  take(nowMs: number): FetchTurn | null {
    if (this.#running >= RUNNING_MAX) return null
    let best: FetchTurn | null = null
    const known = new Map<string, boolean>()
    const isFree = ({ host }: FetchPlace) => {
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
    this.#running += 1
    if (best.isForeign) this.#foreignRunning += 1
    this.#pace.begin(best.host, nowMs)
    return best
  }

  /**
   * A redirect leads on to `host`: false when its pace does not let it be asked now, or a gateway leads to a host of
   * strangers while these have all of their places. The first host's place is held until the end: one that redirects to
   * a slower one must not send more there than that answers.
   */
  leadTo(turn: FetchTurn, host: string, nowMs: number): boolean {
    if (host === turn.at) return true
    const isBack = host === turn.host
    if (!isBack && !this.#pace.isFree(host, nowMs)) return false
    if (!turn.isForeign && this.#isForeign(host)) {
      if (this.#foreignRunning >= FOREIGN_RUNNING_MAX) return false
      this.#foreignRunning += 1
      turn.isForeign = true
    }
    if (turn.at !== turn.host) this.#pace.end(turn.at, false, nowMs)
    if (!isBack) this.#pace.begin(host, nowMs)
    turn.at = host
    return true
  }

  /** The fetch is over: `refused` null, it is done. Returns whether the job is over too. */
  settle(turn: FetchTurn, refused: Refusal | null, nowMs: number): boolean {
    const { job, host, at } = turn
    this.#running -= 1
    if (turn.isForeign) this.#foreignRunning -= 1
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

  /** For how long what was answered has a host left alone. */
  #asideMs(host: string, refused: Refusal | null): number {
    const waitMs = refused?.retryAfterMs ?? 0
    // Strangers could have any of their hosts left alone, which is theirs; it is no gateway.
    if (refused?.isSunset !== true || this.#isForeign(host)) return waitMs
    this.#sunsets += 1
    return Math.max(waitMs, SUNSET_MS)
  }

  #placesOf(uri: string, attempt: number): readonly FetchPlace[] {
    return addressesOf(uri, attempt, this.#gateways).map((url) => ({ url, host: hostOf(url) }))
  }

  #isForeign(host: string): boolean {
    return !this.#gatewayHosts.has(host)
  }

  #isFree(host: string, nowMs: number): boolean {
    if (this.#isForeign(host) && this.#foreignRunning >= FOREIGN_RUNNING_MAX) return false
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
    this.#dropped += least.mints.length
    this.#remove(least)
  }

  #remove(job: FetchJob): void {
    this.#jobs.delete(job.key)
    for (const mint of job.mints) this.#byMint.delete(mint)
  }
}

/** Alike for uris that mean the same content. */
export function uriKey(uri: string): string {
  return ipfsContentOf(uri) ?? uri.trim()
}

function levelOf({ trades, attempt }: FetchJob): number {
  return BUSY_TRADES.filter((least) => trades >= least).length - attempt
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}
