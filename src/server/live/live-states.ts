import type { Answers, TablesQuery } from '../../wire/answers.ts'
import { LiveCandles, newestBars } from '../../wire/live-candles.ts'
import { candlesWords, type FollowedWords, tableWords } from '../../wire/live-frames.ts'
import { liveErrorFrame } from '../../wire/live-messages.ts'
import { LiveTable } from '../../wire/live-table.ts'
import type { CandlesRequest, TableRequest } from '../../wire/requests/live-state-requests.ts'
import type { LiveStreams } from '../../wire/streams.ts'
import { isLoopback } from '../ip-address.ts'
import {
  CANDLES_EVERY_MS,
  MAX_CANDLES,
  MAX_CANDLES_PER_ADDRESS,
  MAX_CONNECTION_CANDLES,
  MAX_CONNECTION_TABLES,
  MAX_TABLES,
  MAX_TABLES_PER_ADDRESS,
  TABLES_EVERY_MS,
} from '../limits.ts'
import { slice } from '../route.ts'
import { ChartWritings } from './chart-writings.ts'
import { hasMuchUnread, type LiveConnection, type Send } from './connection.ts'
import type { LiveFailures } from './live-failures.ts'
import { Places } from './places.ts'
import { SlicedRounds } from './sliced-rounds.ts'
import type { Topics } from './topics.ts'

const TABLES = 'meme_tables'
const CANDLES = 'candles'

/** How many can be followed. */
const BOUNDS = {
  [TABLES]: {
    code: 'too_many_tables',
    what: 'tables',
    maxOfConnection: MAX_CONNECTION_TABLES,
    maxOfAddress: MAX_TABLES_PER_ADDRESS,
    max: MAX_TABLES,
  },
  [CANDLES]: {
    code: 'too_many_candles',
    what: 'candles',
    maxOfConnection: MAX_CONNECTION_CANDLES,
    maxOfAddress: MAX_CANDLES_PER_ADDRESS,
    max: MAX_CANDLES,
  },
} as const

/** What a newcomer is sent first. */
interface Beginning {
  readonly acknowledgement: string
  readonly snapshot: string
}

export interface LiveStateParts {
  readonly answers: Answers
  readonly streams: LiveStreams
  readonly topics: Topics
  readonly send: Send
  readonly sendSnapshot: Send
  readonly failures: LiveFailures
  /** Takes what closed connections followed away at once. */
  readonly finishDepartures: () => void
}

/** The state channels: what somebody follows is computed once a round, whoever follows it. */
export class LiveStates {
  readonly #parts: LiveStateParts
  readonly #tables = new Map<string, LiveTable>()
  readonly #candles = new Map<string, LiveCandles>()
  readonly #charts: ChartWritings
  readonly #candlesOfMint = new Map<string, Set<string>>()
  readonly #places = { [TABLES]: new Places(), [CANDLES]: new Places() }
  /** Candles that have to be looked at in the next round. */
  readonly #changed = new Set<string>()
  #lateFolded = 0
  #computations = 0
  readonly #tableRounds: SlicedRounds
  readonly #candleRounds: SlicedRounds

  constructor(parts: LiveStateParts) {
    this.#parts = parts
    this.#charts = new ChartWritings(parts.answers)
    this.#tableRounds = new SlicedRounds(
      TABLES_EVERY_MS,
      () => this.#tables.keys(),
      (topic) => this.#advance(topic, () => this.#advanceTable(topic)),
    )
    this.#candleRounds = new SlicedRounds(
      CANDLES_EVERY_MS,
      () => this.#candlesToLookAt(),
      (topic) => this.#advance(topic, () => this.#advanceCandles(topic)),
    )
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_tables: this.#tables.size,
      live_candles: this.#candles.size,
      live_table_computations_total: this.#computations,
    }
  }

  stop(): void {
    this.#tableRounds.stop()
    this.#candleRounds.stop()
  }

  /** Is a mint's trade to be noted for candles? */
  hasCandlesOf(mint: string): boolean {
    return this.#candlesOfMint.has(mint)
  }

  /** A swap of the mint came, with this time (unix seconds). */
  traded(mint: string, timestamp: number): void {
    for (const topic of this.#candlesOfMint.get(mint) ?? []) {
      this.#candles.get(topic)?.traded(timestamp)
      this.#changed.add(topic)
    }
  }

  /** The prices of all trades of the mint changed: so did its bars, from the first on. */
  repriced(mint: string): void {
    this.traded(mint, 0)
  }

  /**
   * False: much of what it was sent lies unread, or the columns are read for all tokens, or the holders
   * of those in it, and it is to be served again in a later turn.
   */
  serveTable(connection: LiveConnection, request: TableRequest): boolean {
    const { table: name, query } = request
    const topic = `${TABLES}/${name}`
    if (request.action === 'unsubscribe' || query === null) {
      this.#leave(connection, topic, tableWords(name))
      return true
    }
    if (hasMuchUnread(connection)) return false
    const { answers } = this.#parts
    const mayGoOn = slice()
    if (!answers.hasFoundTables(query, mayGoOn)) return false
    if (!this.#tables.has(topic) && answers.tableBytesWithin(query, mayGoOn) === null) return false
    this.#follow(connection, TABLES, topic, () => {
      const table = this.#tables.get(topic) ?? this.#newTable(topic, name, query)
      this.#advanceTable(topic)
      return { acknowledgement: table.acknowledgement(), snapshot: table.snapshot() }
    })
    return true
  }

  /** False: the same, or the trades of the mint lie on the disk, or its chart is being written. */
  serveCandles(connection: LiveConnection, request: CandlesRequest): boolean {
    const { mint, resolution, countback } = request
    const topic = `${CANDLES}/${resolution}/${mint}`
    if (request.action === 'unsubscribe') {
      this.#leave(connection, topic, candlesWords(mint, resolution))
      return true
    }
    if (hasMuchUnread(connection)) return false
    const { answers, streams } = this.#parts
    const query = newestBars(mint, resolution, countback, streams)
    const mayGoOn = slice()
    if (!answers.hasFoundBars(query, mayGoOn)) return false
    const chart = this.#charts.write(connection, topic, query, mayGoOn)
    if (chart === null) return false
    this.#follow(connection, CANDLES, topic, () => {
      const candles = this.#candles.get(topic) ?? this.#newCandles(topic, request)
      this.#advanceCandles(topic)
      return {
        acknowledgement: candles.acknowledgement(),
        snapshot: candles.snapshot(countback, chart),
      }
    })
    return true
  }

  /**
   * Joins a connection to a topic. `begin` brings the state up to now, of which those who follow it
   * are told first, and gives the frames that the newcomer begins with.
   */
  #follow(
    connection: LiveConnection,
    channel: keyof typeof BOUNDS,
    topic: string,
    begin: () => Beginning,
  ): void {
    const { send, sendSnapshot, topics } = this.#parts
    const full = this.#fullFrame(connection, channel, topic)
    if (full !== null) {
      send(connection, full)
      return
    }
    const isFirst = !this.#followed(channel).has(topic)
    if (isFirst) this.#places[channel].take(topic, connection.client)
    try {
      const { acknowledgement, snapshot } = begin()
      send(connection, acknowledgement)
      sendSnapshot(connection, snapshot)
      topics.join(connection, topic)
    } finally {
      // A reader too slow for its snapshot is closed by now and followed nothing; or it could not be made.
      this.forgetUnread([topic])
    }
  }

  #leave(connection: LiveConnection, topic: string, words: FollowedWords): void {
    const { send, topics } = this.#parts
    topics.leave(connection, topic)
    this.forgetUnread([topic])
    send(connection, JSON.stringify({ type: 'unsubscribed', ...words }))
  }

  #newTable(topic: string, name: string, query: TablesQuery): LiveTable {
    const { answers, streams } = this.#parts
    const table = new LiveTable(name, query, answers, streams)
    this.#tables.set(topic, table)
    this.#tableRounds.start()
    return table
  }

  #newCandles(topic: string, { mint, resolution }: CandlesRequest): LiveCandles {
    const { answers, streams } = this.#parts
    const candles = new LiveCandles(mint, resolution, answers, streams)
    this.#candles.set(topic, candles)
    const ofMint = this.#candlesOfMint.get(mint) ?? new Set<string>()
    this.#candlesOfMint.set(mint, ofMint.add(topic))
    this.#candleRounds.start()
    return candles
  }

  /** Connections left these topics: what nobody follows is not computed any more. */
  forgetUnread(topics: Iterable<string>): void {
    for (const topic of topics) {
      if (this.#parts.topics.has(topic)) continue
      this.#tables.delete(topic)
      for (const places of Object.values(this.#places)) places.giveBack(topic)
      const candles = this.#candles.get(topic)
      if (candles === undefined) continue
      this.#candles.delete(topic)
      this.#changed.delete(topic)
      const ofMint = this.#candlesOfMint.get(candles.mint)
      ofMint?.delete(topic)
      if (ofMint?.size === 0) this.#candlesOfMint.delete(candles.mint)
    }
    if (this.#tables.size === 0) this.#tableRounds.stop()
    if (this.#candles.size === 0) this.#candleRounds.stop()
  }

  /** Of what cannot be brought up to now its followers are told, and nobody follows it any more. */
  #advance(topic: string, advance: () => void): void {
    const followed = this.#tables.get(topic) ?? this.#candles.get(topic)
    try {
      advance()
    } catch (error) {
      const { failures, topics } = this.#parts
      const followers = topics.followersOf(topic)
      for (const connection of followers) topics.leave(connection, topic)
      failures.failed(error, followers, followed?.words)
      this.forgetUnread([topic])
    }
  }

  #advanceTable(topic: string): void {
    const table = this.#tables.get(topic)
    if (table === undefined || !table.isStale) return
    this.#computations += 1
    const delta = table.advance()
    if (delta !== null) this.#parts.topics.publish(topic, delta)
  }

  #advanceCandles(topic: string): void {
    this.#changed.delete(topic)
    const delta = this.#candles.get(topic)?.advance() ?? null
    if (delta !== null) this.#parts.topics.publish(topic, delta)
  }

  /** All of them after a late swap: it may have changed prices of others. */
  #candlesToLookAt(): Iterable<string> {
    const lateFolded = this.#parts.streams.lateFolded()
    const isAll = lateFolded !== this.#lateFolded
    this.#lateFolded = lateFolded
    if (isAll) return this.#candles.keys()
    for (const [topic, candles] of this.#candles) if (candles.hasToFinish) this.#changed.add(topic)
    return this.#changed
  }

  /** The refusal of one topic more, or null. */
  #fullFrame(
    connection: LiveConnection,
    channel: keyof typeof BOUNDS,
    topic: string,
  ): string | null {
    if (connection.topics.has(topic)) return null
    const { client } = connection
    const followed = this.#followed(channel)
    const { code, what, maxOfConnection, maxOfAddress, max } = BOUNDS[channel]
    const refused = (most: string) => liveErrorFrame(code, `At most ${most} can be followed.`)
    if (connection.topics.countOf(channel) >= maxOfConnection)
      return refused(`${maxOfConnection} ${what} a connection`)
    if (followed.has(topic)) return null
    const isFull = () => followed.size >= max
    const hasItsShare = () =>
      !isLoopback(client) && this.#places[channel].countOf(client) >= maxOfAddress
    if (isFull() || hasItsShare()) this.#parts.finishDepartures()
    if (hasItsShare()) return refused(`${maxOfAddress} different ${what} of one address`)
    return isFull() ? refused(`${max} different ${what} in all`) : null
  }

  #followed(channel: keyof typeof BOUNDS): ReadonlyMap<string, unknown> {
    return channel === TABLES ? this.#tables : this.#candles
  }
}
