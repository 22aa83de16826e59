/**
 * feeds/sol-price: prices of SOL in, `sol_price` events out. From venues (this file, `PriceAggregator` believes or waits) or from a
 * setting (`PricedSink` puts a series between the events of another feed).
 */

import { WebSocket } from 'ws'
import { isRecord, type JsonRecord, jsonOf, listAt } from '../../base/json-access.ts'
import { isSolPrice } from '../../base/thresholds.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { Backoff } from '../backoff.ts'
import { peerSocket } from '../peer-socket.ts'
import { wait } from '../timers.ts'

/** When a price is believed and emitted, and when a venue is connected to anew (docs/feeds.md). */
export const PRICE_RULES = {
  /** A quote older than this does not count. */
  freshMs: 15_000,
  /** A price that is further from the last one than this is believed only when two venues agree. */
  jumpShare: 0.05,
  /** Two venues agree when their prices differ by no more than this. */
  agreeShare: 0.01,
  /** A lonely price that is far from the last one is believed when it stays for this long. */
  jumpWaitMs: 60_000,
  /** The first price of a single venue waits this long for a second one. */
  firstAloneMs: 3_000,
  /** Dollars are emitted in steps of 1/10,000: finer ones would make an event of every tick. */
  stepsPerUsd: 10_000,
  /** A venue without a message for this long is connected to anew. */
  silenceMs: 10_000,
  /** The same for one that sends heartbeats and no price any more. */
  stallMs: 60_000,
} as const

/** A price is emitted at most this often, and only when it is another one. */
const EVERY_MS = 1_000
/** Longest message of a venue; theirs have a few hundred bytes. */
const FRAME_BYTES_MAX = 64 * 1024
/** A connection that lasted this long counts as one that works: the next wait is short again. */
const STEADY_MS = 10_000

/** Asks several venues for the price of SOL and emits it as `sol_price` events. */
export class SolPriceFeed implements Feed {
  readonly name = 'sol-price'
  readonly #report: (sentence: string) => void
  readonly #everyMs: number
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

  constructor(options: {
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
  }) {
    this.#report = options.report ?? (() => {})
    this.#everyMs = options.everyMs ?? EVERY_MS
    this.#clockMs = options.wallMs ?? options.clockMs ?? Date.now
    this.#steadyMs = options.clockMs ?? (() => performance.now())
    const { silenceMs, stallMs } = { ...PRICE_RULES, ...options }
    this.#sockets = options.venues.map((venue) => {
      const onText = (text: string) => this.#take(venue, text)
      return new VenueSocket(venue, silenceMs, stallMs, onText, options.newBackoff?.())
    })
  }

  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    this.#sink = sink
    this.#startedMs = this.#steadyMs()
    const running = this.#sockets.map((socket) => socket.run(signal))
    while (!signal.aborted) {
      await wait(this.#everyMs, signal)
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

  /** For `/readyz` and `/metrics`. Stale: no venue has sent a price lately, the last one stays. */
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
    const hasBegun = this.#sentUsd !== null || nowMs - this.#startedMs > PRICE_RULES.freshMs
    const isStale = hasBegun && this.#aggregator.freshVenues(nowMs) === 0
    if (isStale === this.#isStale) return
    this.#isStale = isStale
    const stays = this.#sentUsd === null ? 'the last known one' : `$${this.#sentUsd}`
    this.#report(
      isStale
        ? `no venue has told the price of SOL for ${PRICE_RULES.freshMs / 1000} s, ${stays} stays`
        : 'the price of SOL is fresh again',
    )
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

  /** Whether a price was emitted. */
  #send(): boolean {
    const usd = this.#aggregator.settle(this.#steadyMs())
    if (usd === null || this.#stopping.signal.aborted) return false
    const rounded = Math.round(usd * PRICE_RULES.stepsPerUsd) / PRICE_RULES.stepsPerUsd
    if (rounded === this.#sentUsd) return false
    this.#sentUsd = rounded
    this.#events += 1
    const timestamp = Math.floor(this.#clockMs() / 1000)
    this.#sink?.events([{ type: 'sol_price', timestamp, usd: rounded }])
    this.#priced.resolve()
    return true
  }
}

/** A WebSocket to a venue: stays open, watched for silence, made anew when lost. */
class VenueSocket {
  readonly #venue: PriceVenue
  readonly #silenceMs: number
  readonly #stallMs: number
  readonly #onText: (text: string) => boolean
  readonly #backoff: Backoff
  isOpen = false
  /** Connections that ended, or could not be made, without having been stopped. */
  lost = 0

  /**
   * @param silenceMs without a message for this long the connection is taken for dead and made anew
   * @param stallMs the same without a message of use: a subscription may be dead behind heartbeats
   * @param onText takes a message; returns whether it is of use
   */
  constructor(
    venue: PriceVenue,
    silenceMs: number,
    stallMs: number,
    onText: (text: string) => boolean,
    backoff = new Backoff(),
  ) {
    this.#venue = venue
    this.#silenceMs = silenceMs
    this.#stallMs = stallMs
    this.#onText = onText
    this.#backoff = backoff
  }

  /** Keeps a connection until the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startMs = performance.now()
      await this.#connection(signal)
      if (signal.aborted) return
      this.lost += 1
      if (performance.now() - startMs >= STEADY_MS) this.#backoff.succeeded()
      await wait(this.#backoff.nextMs(), signal)
    }
  }

  /** One connection from its start to its end. */
  #connection(signal: AbortSignal): Promise<void> {
    const { url, greetings } = this.#venue
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = peerSocket(url, FRAME_BYTES_MAX, signal)
    const end = () => socket.terminate()
    const silence = setTimeout(end, this.#silenceMs)
    const stall = setTimeout(end, this.#stallMs)
    socket.on('open', () => {
      this.isOpen = true
      for (const greeting of greetings) socket.send(greeting)
    })
    socket.on('message', (data, isBinary) => {
      silence.refresh()
      const isEnding = socket.readyState !== WebSocket.OPEN
      if (!isBinary && !isEnding && this.#onText(String(data))) stall.refresh()
    })
    // What follows an error is always the close, which ends the connection.
    socket.on('error', end)
    socket.on('close', () => {
      clearTimeout(silence)
      clearTimeout(stall)
      this.isOpen = false
      resolve()
    })
    return promise
  }
}

/** The least price that is no garbage, in USD per SOL: venues have cents at least. */
const USD_MIN = 0.01
/** Bid and ask lie a hundredth of a percent apart; further ones are no market. */
const SPREAD_SHARE = 0.01
const DECIMAL = /^\d{1,9}(\.\d{1,12})?$/

/** A place that trades SOL against dollars and sends its price to anybody. */
interface PriceVenue {
  readonly name: string
  readonly url: string
  /** Messages that subscribe. */
  readonly greetings: readonly string[]
  /** The price in a message: a number or its text; null when the message carries none. */
  readonly priceOf: (message: JsonRecord) => unknown
}

/** Last trade of SOL-USD; heartbeats tell a quiet market from a dead connection. */
const COINBASE: PriceVenue = {
  name: 'coinbase',
  url: 'wss://ws-feed.exchange.coinbase.com',
  greetings: ['{"type":"subscribe","product_ids":["SOL-USD"],"channels":["ticker","heartbeat"]}'],
  priceOf: (message) =>
    message.type === 'ticker' && message.product_id === 'SOL-USD' ? message.price : null,
}

/** Middle of best bid and ask of SOLUSDT: dollars of a stablecoin, within a few hundredths of %. */
const BINANCE: PriceVenue = {
  name: 'binance',
  url: 'wss://stream.binance.com:9443/ws/solusdt@bookTicker',
  greetings: [],
  priceOf: (message) => {
    if (message.s !== 'SOLUSDT') return null
    const bid = decimalOf(message.b)
    const ask = decimalOf(message.a)
    return bid <= ask && ask - bid <= bid * SPREAD_SHARE ? (bid + ask) / 2 : Number.NaN
  },
}

/** Last trade of SOL/USD. */
const KRAKEN: PriceVenue = {
  name: 'kraken',
  url: 'wss://ws.kraken.com/v2',
  greetings: ['{"method":"subscribe","params":{"channel":"ticker","symbol":["SOL/USD"]}}'],
  priceOf: (message) => {
    if (message.channel !== 'ticker') return null
    const data = listAt(message, 'data')?.[0]
    return isRecord(data) && data.symbol === 'SOL/USD' ? data.last : null
  },
}

export const PRICE_VENUES: readonly PriceVenue[] = [COINBASE, BINANCE, KRAKEN]

/** USD per SOL in a message; null: none in it; `garbage`: not what the venue sends. */
export function readPrice(venue: PriceVenue, text: string): number | null | 'garbage' {
  const message = jsonOf(text)
  if (!isRecord(message)) return 'garbage'
  const price = venue.priceOf(message)
  if (price === null) return null
  const usd = typeof price === 'string' ? decimalOf(price) : price
  return typeof usd === 'number' && usd >= USD_MIN && isSolPrice(usd) ? usd : 'garbage'
}

/** NaN for what is no decimal text. */
function decimalOf(text: unknown): number {
  return typeof text === 'string' && DECIMAL.test(text) ? Number(text) : Number.NaN
}

/**
 * The price of SOL by several venues: the median of the fresh quotes near the last price.
 * A jump counts when more venues agree on it than stay behind, or when it lasts.
 */
export class PriceAggregator {
  readonly #quotes = new Map<string, { readonly usd: number; readonly atMs: number }>()
  #usd: number | null = null
  /** When the first quote came that was not believed; null: the last one was, or none came for long. */
  #waitingSinceMs: number | null = null
  /** Times that a jump was not believed at once. */
  jumpsHeld = 0

  /** One quote a venue is stored. */
  quote(venue: string, usd: number, nowMs: number): void {
    this.#quotes.set(venue, { usd, atMs: nowMs })
  }

  freshVenues(nowMs: number): number {
    return this.#quotedWithin(PRICE_RULES.freshMs, nowMs).length
  }

  /** Looks at the quotes; returns the price that holds now, null before the first one. */
  settle(nowMs: number): number | null {
    const fresh = this.#quotedWithin(PRICE_RULES.freshMs, nowMs)
    if (fresh.length === 0) {
      // A jump that no venue repeats for so long has ended; a market may be quiet for less.
      if (this.#quotedWithin(PRICE_RULES.jumpWaitMs, nowMs).length === 0)
        this.#waitingSinceMs = null
      return this.#usd
    }
    const believed = this.#usd === null ? agreeing(fresh) : closeTo(this.#usd, fresh)
    if (believed.length > 0) {
      this.#waitingSinceMs = null
      this.#usd = median(believed)
      return this.#usd
    }
    this.#wait(fresh, nowMs)
    return this.#usd
  }

  #wait(fresh: readonly number[], nowMs: number): void {
    if (this.#waitingSinceMs === null) {
      this.#waitingSinceMs = nowMs
      if (this.#usd !== null) this.jumpsHeld += 1
    }
    const patienceMs = this.#usd === null ? PRICE_RULES.firstAloneMs : PRICE_RULES.jumpWaitMs
    if (nowMs - this.#waitingSinceMs < patienceMs) return
    this.#waitingSinceMs = null
    this.#usd = median(fresh)
  }

  /** The last quotes of the venues, if they are not older. */
  #quotedWithin(ageMsMax: number, nowMs: number): number[] {
    const quotes = [...this.#quotes.values()]
    return quotes.filter(({ atMs }) => nowMs - atMs <= ageMsMax).map(({ usd }) => usd)
  }
}

/** Prices close to the last one; those of a jump instead when more venues agree on it. */
function closeTo(last: number, prices: readonly number[]): readonly number[] {
  const close = prices.filter((usd) => isWithin(usd, last, PRICE_RULES.jumpShare))
  const far = agreeing(prices.filter((usd) => !close.includes(usd)))
  return far.length > close.length ? far : close
}

/** The largest group of two or more that lie together; empty when there is none. */
function agreeing(prices: readonly number[]): readonly number[] {
  let best: readonly number[] = []
  for (const price of prices) {
    const group = prices.filter((other) => isWithin(other, price, PRICE_RULES.agreeShare))
    if (group.length >= 2 && group.length > best.length) best = group
  }
  return best
}

function isWithin(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= b * share
}

/** The middle one; of an even number the mean of the two in the middle. */
function median(prices: readonly number[]): number {
  const sorted = [...prices].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const inTheMiddle = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return inTheMiddle.reduce((sum, price) => sum + price, 0) / inTheMiddle.length
}
