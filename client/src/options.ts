import type { BackoffOptions } from './backoff.ts'

/** The part of `fetch` that is used; the global one fits. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly signal: AbortSignal
  },
) => Promise<FetchAnswer>

export interface FetchAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** What the event of a socket that closes may tell. */
export interface Closing {
  readonly code?: number
  readonly reason?: string
}

/** The part of a WebSocket that is used; that of browsers and Node 22 fits, and that of `ws`. */
export interface Socket {
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'close', listener: (event?: Closing) => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  send(text: string): void
  close(): void
}

export type OpenSocket = (url: string) => Socket

export interface ClientOptions {
  /** Id of the live connections, 1 to 128 characters; by default one by chance. */
  readonly id?: string
  /** Address of the live feed, one for each url in their order; by default that of the url with `ws:` and `/ws`. */
  readonly liveUrl?: string | readonly string[]
  /** Opens a socket; by default the global `WebSocket`. */
  readonly openSocket?: OpenSocket
  readonly fetch?: Fetch
  /** Waits between attempts; by default 250 ms, doubled up to 15 s, half of it by chance. May be given in part. */
  readonly backoff?: Partial<BackoffOptions>
  /** A number in [0, 1); by default `Math.random`. */
  readonly random?: () => number
  /** An HTTP request is given up after this time, waits apart; by default 10 s. */
  readonly requestTimeoutMs?: number
  /** Longest wait for a rate limit before the 429 is the answer; by default 65 s: the service's window of a minute, and a little. */
  readonly rateWaitMs?: number
  /** A connection on which nothing is heard for so long is given up; by default 45 s. */
  readonly silenceMs?: number
  /** With several urls: how often all are asked by `/readyz` whether another one is better; by default 5 s. */
  readonly lookEveryMs?: number
  /**
   * With several urls: no read gives an older state than was given before. By default true; false lets a read be
   * as old as the replica that answers it, and sends no `X-Mintfeed-Min-Seq`.
   */
  readonly monotonicReads?: boolean
  /** Updates that a subscription keeps for a reader that is not there; by default 10,000, at least 2. */
  readonly bufferMax?: number
}

/** A snapshot goes in together with the loss before it: what holds one alone never has room for them. */
const BUFFER_MIN = 2

/** A look asks every url: more often is a load. */
const LOOK_MIN_MS = 100

/** A refused request learns some time after it began that it may come back in up to 60 whole seconds. */
const RATE_WAIT_MS = 65_000

/** Longest wait of a timer: what is longer would not wait at all. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** Urls that are used at most; further ones are left out. */
export const URLS_MAX = 16

/** Where a replica is reached. */
export interface Address {
  readonly url: string
  readonly liveUrl: string
}

export interface Settings
  extends Required<Omit<ClientOptions, 'openSocket' | 'fetch' | 'backoff' | 'liveUrl'>> {
  /** In the order of preference; one at least. */
  readonly addresses: readonly Address[]
  readonly backoff: BackoffOptions
  readonly openSocket: OpenSocket | null
  readonly fetch: Fetch | null
}

/** Of a platform that has sockets, or was given them. */
export interface LiveSettings extends Settings {
  readonly openSocket: OpenSocket
}

/** @param url one of the service, or one for each of its replicas */
export function settingsOf(url: string | readonly string[], options: ClientOptions): Settings {
  const random = options.random ?? Math.random
  return {
    addresses: addressesOf(listOf(url), listOf(options.liveUrl ?? [])),
    id: options.id ?? `client-${Math.floor(random() * 2 ** 52).toString(36)}`,
    openSocket: options.openSocket ?? globalSocket(),
    fetch: options.fetch ?? globalFetch(),
    backoff: {
      firstMs: timeOr(options.backoff?.firstMs, 250),
      longestMs: timeOr(options.backoff?.longestMs, 15_000),
    },
    random,
    requestTimeoutMs: timeOr(options.requestTimeoutMs, 10_000),
    rateWaitMs: timeOr(options.rateWaitMs, RATE_WAIT_MS),
    silenceMs: timeOr(options.silenceMs, 45_000),
    lookEveryMs: Math.max(LOOK_MIN_MS, timeOr(options.lookEveryMs, 5_000)),
    monotonicReads: options.monotonicReads ?? true,
    bufferMax: Math.max(BUFFER_MIN, numberOr(options.bufferMax, 10_000)),
  }
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given
}

/** Of no url at all the one that cannot be reached, so that who asks is told so. */
function addressesOf(urls: readonly string[], liveUrls: readonly string[]): readonly Address[] {
  const addresses = new Map<string, Address>()
  for (const [at, given] of urls.entries()) {
    const url = given.replace(/\/+$/, '')
    const liveUrl = liveUrls[at] ?? liveUrlOf(url)
    // A list in a variable ends with a comma at times.
    const isOne = url !== '' && !addresses.has(url)
    if (isOne && addresses.size < URLS_MAX) addresses.set(url, { url, liveUrl })
  }
  if (addresses.size > 0) return [...addresses.values()]
  return [{ url: '', liveUrl: liveUrls[0] ?? liveUrlOf('') }]
}

function liveUrlOf(url: string): string {
  return `${url.replace(/^http/, 'ws')}/ws`
}

/** A timer of NaN ms goes off at once, again and again: an attempt each time. */
function timeOr(timeMs: number | undefined, otherwiseMs: number): number {
  return Math.min(numberOr(timeMs, otherwiseMs), TIMER_MAX_MS)
}

/** NaN, as `Number()` makes of a variable that is not set, is as if it was left out. */
function numberOr(value: number | undefined, otherwise: number): number {
  return value === undefined || Number.isNaN(value) ? otherwise : value
}

function globalSocket(): OpenSocket | null {
  return typeof WebSocket === 'function' ? (url) => new WebSocket(url) : null
}

function globalFetch(): Fetch | null {
  return typeof fetch === 'function' ? (url, init) => fetch(url, init) : null
}
