/**
 * feeds/sol-price: prices of SOL in, `sol_price` events out. From venues (this file, `PriceAggregator` believes or waits) or from a
 * setting (`PricedSink` puts a series between the events of another feed).
 */

import { WebSocket } from 'ws'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { Backoff } from '../backoff.ts'
import { peerSocket } from '../peer-socket.ts'
import { wait } from '../timers.ts'
import { FRESH_MS, PriceAggregator } from './price-aggregator.ts'
import { type PriceVenue, readPrice } from './venues.ts'

/** A price is emitted at most this often, and only when it is another one. */
const EVERY_MS = 1_000
/** A venue without a message for this long is connected to anew. */
export const SILENCE_MS = 10_000
/** The same for one that sends heartbeats and no price any more. */
export const STALL_MS = 60_000
/** Longest message of a venue; theirs have a few hundred bytes. */
const FRAME_BYTES_MAX = 64 * 1024
/** Dollars are emitted in steps of 1/10,000: finer ones would make an event of every tick. */
export const STEPS_PER_USD = 10_000
/** A connection that lasted this long counts as one that works: the next wait is short again. */
const STEADY_MS = 10_000

export interface SolPriceOptions {
  readonly venues: readonly PriceVenue[]
  /** Called with one sentence when the price becomes stale, and when it is fresh again. */
  readonly report?: (sentence: string) => void
  /** Now in unix milliseconds. */
  readonly clockMs?: () => number
  /** What events are stamped by, in unix milliseconds, where that is another clock. */
  readonly wallMs?: () => number
  readonly everyMs?: number
  readonly silenceMs?: number
  readonly stallMs?: number
  /** Waits between connections; each venue asks for one of its own. */
  readonly newBackoff?: () => Backoff
}

/** What a SOL costs, from several venues at once, as `sol_price` events. */
export class SolPriceFeed implements Feed {
  readonly name = 'sol-price'
  readonly #options: SolPriceOptions
  readonly #clockMs: () => number
  /** Goes on when the clock of the machine is set: by it quotes grow old. */
  readonly #steadyMs: () => number
  readonly #aggregator = new PriceAggregator()
  readonly #sockets: readonly VenueSocket[]
  readonly #stopping = new AbortController()
  readonly #priced = Promise.withResolvers<void>()
  #sink: EventSink | null = null
  #sentUsd: number | null = null
  /** A price was emitted in this interval already: the first one, which did not wait. */
  #hasSent = false
  #startedMs = 0
  #isStale = false
  #garbage = 0
  #events = 0

  constructor(options: SolPriceOptions) {
    this.#options = options
    this.#clockMs = options.wallMs ?? options.clockMs ?? Date.now
    this.#steadyMs = options.clockMs ?? (() => performance.now())
    this.#sockets = options.venues.map((venue) => this.#socketTo(venue))
  }

  async start(sink: EventSink): Promise<void> {
    const { everyMs = EVERY_MS } = this.#options
    const { signal } = this.#stopping
    this.#sink = sink
    this.#startedMs = this.#steadyMs()
    const running = this.#sockets.map((socket) => socket.run(signal))
    while (!signal.aborted) {
      await wait(everyMs, signal)
      if (!this.#hasSent) this.#send()
      this.#hasSent = false
      this.#reportStale()
    }
    await Promise.all(running)
  }

  stop(): void {
    this.#stopping.abort()
    this.#priced.resolve()
  }

  /** Resolves when a price was emitted, and after `withinMs` in any case (contract 3.6: 10 s). */
  async whenPriced(withinMs: number): Promise<void> {
    const waiting = new AbortController()
    const late = wait(withinMs, waiting.signal)
    await Promise.race([this.#priced.promise, late])
    waiting.abort()
  }

  /** For `/readyz` and `/metrics`. Stale: no venue said anything lately, the last price stays. */
  figures(): Readonly<Record<string, number>> {
    const fresh = this.#aggregator.freshVenues(this.#steadyMs())
    return {
      sol_price_stale: fresh === 0 ? 1 : 0,
      sol_price_fresh_venues: fresh,
      sol_price_venues_connected: this.#sockets.filter((socket) => socket.isOpen).length,
      sol_price_events_total: this.#events,
      sol_price_garbage_total: this.#garbage,
      sol_price_jumps_held_total: this.#aggregator.jumpsHeld,
      sol_price_connections_lost_total: this.#sockets.reduce((sum, { lost }) => sum + lost, 0),
    }
  }

  #reportStale(): void {
    const nowMs = this.#steadyMs()
    const hasBegun = this.#sentUsd !== null || nowMs - this.#startedMs > FRESH_MS
    const isStale = hasBegun && this.#aggregator.freshVenues(nowMs) === 0
    if (isStale === this.#isStale) return
    this.#isStale = isStale
    const stays = this.#sentUsd === null ? 'the last known one' : `$${this.#sentUsd}`
    this.#options.report?.(
      isStale
        ? `no venue has told the price of SOL for ${FRESH_MS / 1000} s, ${stays} stays`
        : 'the price of SOL is fresh again',
    )
  }

  #socketTo(venue: PriceVenue): VenueSocket {
    const { silenceMs = SILENCE_MS, stallMs = STALL_MS, newBackoff } = this.#options
    return new VenueSocket({
      url: venue.url,
      silenceMs,
      stallMs,
      frameBytesMax: FRAME_BYTES_MAX,
      greetings: venue.greetings,
      onText: (text) => this.#take(venue, text),
      ...(newBackoff !== undefined && { backoff: newBackoff() }),
    })
  }

  /** Whether the message brings a price. */
  #take(venue: PriceVenue, text: string): boolean {
    const usd = readPrice(venue, text)
    if (usd === 'garbage') this.#garbage += 1
    if (usd === null || usd === 'garbage') return false
    this.#aggregator.quote(venue.name, usd, this.#steadyMs())
    // The first price is waited for.
    if (this.#sentUsd === null) this.#hasSent = this.#send()
    return true
  }

  /** Whether there was anything to tell. */
  #send(): boolean {
    const usd = this.#aggregator.settle(this.#steadyMs())
    if (usd === null || this.#stopping.signal.aborted) return false
    const rounded = Math.round(usd * STEPS_PER_USD) / STEPS_PER_USD
    if (rounded === this.#sentUsd) return false
    this.#sentUsd = rounded
    this.#events += 1
    const timestamp = Math.floor(this.#clockMs() / 1000)
    this.#sink?.events([{ type: 'sol_price', timestamp, usd: rounded }])
    this.#priced.resolve()
    return true
  }
}

interface VenueSocketOptions {
  readonly url: string
  /** Without a message for this long the connection is taken for dead and made anew. */
  readonly silenceMs: number
  /** The same without a message of use: a subscription may be dead behind heartbeats. */
  readonly stallMs: number
  /** Longest message; a longer one ends the connection. */
  readonly frameBytesMax: number
  /** Sent when a connection is open, to subscribe. */
  readonly greetings: readonly string[]
  /** Whether the message is of use. */
  readonly onText: (text: string) => boolean
  readonly backoff?: Backoff
}

/** A WebSocket to a venue: stays open, watched for silence, made anew when lost. */
class VenueSocket {
  readonly #options: VenueSocketOptions
  readonly #backoff: Backoff
  #isOpen = false
  #lost = 0

  constructor(options: VenueSocketOptions) {
    this.#options = options
    this.#backoff = options.backoff ?? new Backoff()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Connections that ended, or could not be made, without having been stopped. */
  get lost(): number {
    return this.#lost
  }

  /** Keeps a connection until the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startMs = performance.now()
      await this.#connection(signal)
      if (signal.aborted) return
      this.#lost += 1
      if (performance.now() - startMs >= STEADY_MS) this.#backoff.succeeded()
      await wait(this.#backoff.nextMs(), signal)
    }
  }

  /** One connection from its start to its end. */
  #connection(signal: AbortSignal): Promise<void> {
    const { url, silenceMs, stallMs, frameBytesMax, greetings, onText } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = peerSocket(url, frameBytesMax, signal)
    const end = () => socket.terminate()
    const silence = setTimeout(end, silenceMs)
    const stall = setTimeout(end, stallMs)
    socket.on('open', () => {
      this.#isOpen = true
      for (const greeting of greetings) socket.send(greeting)
    })
    socket.on('message', (data, isBinary) => {
      silence.refresh()
      const isEnding = socket.readyState !== WebSocket.OPEN
      if (!isBinary && !isEnding && onText(String(data))) stall.refresh()
    })
    // What follows an error is always the close, which ends the connection.
    socket.on('error', end)
    socket.on('close', () => {
      clearTimeout(silence)
      clearTimeout(stall)
      this.#isOpen = false
      resolve()
    })
    return promise
  }
}
