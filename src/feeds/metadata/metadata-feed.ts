/**
 * feeds/metadata: creations and trades of tokens in, `metadata` events out. `FetchQueue` decides which uri is fetched next,
 * and how fast a host is asked, `SafeFetch` fetches addresses that strangers wrote, `token-texts` cleans what came.
 * Invariants: only public addresses over https; bounded size, time, depth and redirects; nothing here throws.
 */

import { setMaxListeners } from 'node:events'
import { LRUCache } from 'lru-cache'
import { THRESHOLDS } from '../../base/thresholds.ts'
import type { FeedEvent } from '../../events/event.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { wait } from '../timers.ts'
import { DexPaid } from './dex-paid.ts'
import { FetchQueue, QUEUE_LIMITS, type RunningFetch, uriKey } from './fetch-queue.ts'
import {
  FETCH_LIMITS,
  REFUSALS,
  type Refusal,
  SafeFetch,
  type SafeFetchOptions,
} from './safe-fetch.ts'
import { readTokenTexts, type TokenTexts } from './token-texts.ts'

/** Texts that are cached for other mints of the same uri; 1 to 3 KB each. */
const TEXTS_MAX = 2_000
/** Uris that had nothing, and for how long they are not asked again. */
const NOTHING_MAX = 10_000
const NOTHING_MS = 3_600_000
/** Mints whose creation was seen. */
const SEEN_MAX = 50_000
/** How often waiting fetches are looked at, besides when one ends. */
const LOOK_MS = 200

/**
 * Fetches what the uris of new tokens lead to and whether their profiles are paid, as `metadata`
 * events. It observes the events of live feeds once they are folded; a replay brings its own.
 */
export class MetadataFeed implements Feed {
  readonly name = 'metadata'
  readonly #clockMs: () => number
  /** Goes on when the clock of the machine is set: waits and paces go by it. */
  readonly #steadyMs: () => number
  readonly #fetch: SafeFetch
  readonly #queue: FetchQueue
  readonly #dexPaid: DexPaid
  readonly #texts = new LRUCache<string, TokenTexts>({ max: TEXTS_MAX })
  readonly #nothing = new LRUCache<string, number>({ max: NOTHING_MAX })
  readonly #seen = new LRUCache<string, true>({ max: SEEN_MAX })
  readonly #refusals = new Map<Refusal['refused'], number>(REFUSALS.map((code) => [code, 0]))
  readonly #stopping = new AbortController()
  #sink: EventSink | null = null
  #events = 0
  #fetched = 0
  #gaveUp = 0

  constructor(
    options: SafeFetchOptions & {
      readonly gateways: readonly string[]
      /** Sold percent of a curve from which its profile is asked about; the contract's by default. */
      readonly completingPercent?: number
      /** Now in unix milliseconds. */
      readonly clockMs?: () => number
      /** What events are stamped by, in unix milliseconds, where that is another clock. */
      readonly wallMs?: () => number
      /** Time between two questions to DexScreener. */
      readonly dexEveryMs?: number
    },
  ) {
    // Each fetch listens for the end, and so do two loops with what they wait for.
    setMaxListeners(QUEUE_LIMITS.running + 8, this.#stopping.signal)
    this.#clockMs = options.wallMs ?? options.clockMs ?? Date.now
    this.#steadyMs = options.clockMs ?? (() => performance.now())
    this.#fetch = new SafeFetch(options)
    this.#queue = new FetchQueue(options.gateways)
    this.#dexPaid = new DexPaid({
      fetchText: (url, stop) => this.#fetch.text(url, stop),
      onPaid: (mint) => this.#send(mint, { dexPaid: true }),
      clockMs: this.#steadyMs,
      completingPercent: options.completingPercent ?? THRESHOLDS.completingPercent,
      ...(options.dexEveryMs !== undefined && { everyMs: options.dexEveryMs }),
    })
  }

  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    this.#sink = sink
    const asking = this.#dexPaid.run(signal)
    while (!signal.aborted) {
      this.#begin()
      await wait(LOOK_MS, signal)
    }
    await asking
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Events that are folded already; never throws. */
  observe(events: readonly FeedEvent[]): void {
    for (const event of events) {
      if (event.type === 'token_created') this.#created(event.mint, event.uri)
      else if (event.type === 'token_state') this.#created(event.mint, event.uri ?? '')
      else if (event.type === 'swap') this.#queue.touch(event.mint)
      this.#dexPaid.observe(event)
    }
  }

  figures(): Readonly<Record<string, number>> {
    const refusals = [...this.#refusals].map(
      ([code, count]) => [`metadata_refused_${code}_total`, count] as const,
    )
    return {
      metadata_waiting: this.#queue.length,
      metadata_running: this.#queue.running,
      metadata_events_total: this.#events,
      metadata_fetched_total: this.#fetched,
      metadata_gave_up_total: this.#gaveUp,
      metadata_dropped_total: this.#queue.dropped,
      metadata_gateways_aside: this.#queue.gatewaysAside(this.#steadyMs()),
      metadata_gateway_sunsets_total: this.#queue.sunsets,
      ...Object.fromEntries(refusals),
      ...this.#dexPaid.figures(),
    }
  }

  #created(mint: string, uri: string): void {
    if (uri.trim() === '' || this.#seen.has(mint)) return
    this.#seen.set(mint, true)
    // Creators choose the length, and thousands of uris wait or are remembered.
    if (uri.length > FETCH_LIMITS.urlCharacters) {
      this.#count('url', true)
      return
    }
    const key = uriKey(uri)
    const texts = this.#texts.get(key)
    const nowMs = this.#steadyMs()
    // Not within the fold that the creation is still in.
    if (texts !== undefined) setImmediate(() => this.#send(mint, texts))
    else if ((this.#nothing.get(key) ?? 0) <= nowMs) this.#queue.add(mint, uri, nowMs)
  }

  #begin(): void {
    if (this.#stopping.signal.aborted) return
    const next = () => this.#queue.take(this.#steadyMs())
    for (let fetch = next(); fetch !== null; fetch = next()) void this.#run(fetch)
  }

  /** One fetch; never rejects. */
  async #run(fetch: RunningFetch): Promise<void> {
    const mayLeadTo = (host: string) => this.#queue.leadTo(fetch, host, this.#steadyMs())
    const answer = await this.#fetch.text(fetch.url, this.#stopping.signal, mayLeadTo)
    if (this.#stopping.signal.aborted) return
    const texts = typeof answer === 'string' ? readTokenTexts(answer) : answer
    const refused = isRefusal(texts) ? texts : null
    const { mints, key } = fetch.job
    const isOver = this.#queue.settle(fetch, refused, this.#steadyMs())
    if (isRefusal(texts)) {
      this.#count(texts.refused, isOver)
      if (isOver) this.#nothing.set(key, this.#steadyMs() + NOTHING_MS)
    } else {
      this.#fetched += 1
      const live = this.#withLivePictures(texts)
      this.#texts.set(key, live)
      for (const mint of mints) this.#send(mint, live)
    }
    this.#begin()
  }

  /** Pictures lie on the same gateways as texts, and most name one that was switched off. */
  #withLivePictures(texts: TokenTexts): TokenTexts {
    const nowMs = this.#steadyMs()
    const { image, video } = texts
    return {
      ...texts,
      ...(image !== undefined && { image: this.#queue.liveLink(image, nowMs) }),
      ...(video !== undefined && { video: this.#queue.liveLink(video, nowMs) }),
    }
  }

  #count(refused: Refusal['refused'], isOver: boolean): void {
    this.#refusals.set(refused, (this.#refusals.get(refused) ?? 0) + 1)
    if (isOver) this.#gaveUp += 1
  }

  #send(mint: string, texts: TokenTexts & { readonly dexPaid?: boolean }): void {
    if (Object.keys(texts).length === 0 || this.#stopping.signal.aborted) return
    this.#events += 1
    const timestamp = Math.floor(this.#clockMs() / 1000)
    this.#sink?.events([{ type: 'metadata', timestamp, mint, ...texts }])
  }
}

function isRefusal(value: TokenTexts | Refusal): value is Refusal {
  return 'refused' in value
}
