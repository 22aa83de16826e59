import {
  type FollowRequest,
  type LiveRequest,
  STARTING,
} from '../../../protocol/live/live-messages.ts'
import type { LiveSource, LiveStreams } from '../../../protocol/queries.ts'
import { liveErrorFrame } from '../../../protocol/wire.ts'
import type { Apps } from '../../sockets/apps.ts'
import type { LiveConnection, Send } from '../connection/connection.ts'
import { CatchUps } from './catch-ups.ts'
import { FollowedCandles } from './followed-candles.ts'
import { FollowedTables } from './followed-tables.ts'
import type { LastTables } from './last-tables.ts'
import type { StateParts } from './state-channel.ts'
import { Subscriptions } from './subscriptions.ts'
import { EventPublisher, Topics } from './topics.ts'

/**
 * The hub of the live feed. In come requests of connections and the engine's events, out go frames: of events at
 * once, each made once for all followers in the same form; of tables and candles once a round.
 *
 * A topic is something that can be followed, in one of three forms: plain, numbered, with additive keys (`Topics`).
 * A connection on its way to the head of a stream joins the topic in the turn of its last missed message
 * (`CatchUps`), so that no message comes twice or is lost. A state (`StateChannel`) is a table or a series of candles.
 */
export class Hub {
  readonly #streams: LiveStreams
  readonly #send: Send
  readonly #topics: Topics
  readonly #catchUps: CatchUps
  readonly #subscriptions: Subscriptions
  readonly #tables: FollowedTables
  readonly #trending: FollowedTables
  readonly #candles: FollowedCandles
  readonly #events: EventPublisher

  constructor(
    parts: Omit<StateParts, 'topics'> & {
      readonly app: Pick<Apps, 'publish'>
      readonly source: LiveSource
      readonly lastTables: LastTables
      /** After a publish: the buffers of these are to be checked. */
      readonly afterPublish: (followers: ReadonlySet<LiveConnection>, bytes: number) => void
    },
  ) {
    const { app, source, streams, lastTables, send, sendSnapshot, failures } = parts
    const topics = new Topics(app, parts.afterPublish, send)
    this.#streams = streams
    this.#send = send
    this.#topics = topics
    this.#catchUps = new CatchUps(streams, {
      send,
      sendSnapshot,
      join: (connection, topic, form) => topics.join(connection, topic, form),
      giveUp: (connection, topic) => topics.leave(connection, topic),
      failed: (connection, error, ended) => failures.failed(error, [connection], ended),
    })
    const catchUps = this.#catchUps
    const served = { streams, topics, catchUps, lastTables, send, sendSnapshot }
    this.#subscriptions = new Subscriptions(served)
    this.#tables = new FollowedTables({ ...parts, topics }, 'meme_tables')
    this.#trending = new FollowedTables({ ...parts, topics }, 'trending')
    this.#candles = new FollowedCandles({ ...parts, topics })
    const { ofMint } = this.#candles
    this.#events = new EventPublisher(source, topics, ofMint, streams, lastTables, send)
    source.onRepriced(this.#candles.repriced)
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_followed_mints: this.#topics.countOf('update_mint_info', 'plain'),
      live_published_total: this.#topics.publishedCount + this.#events.poolTrades,
      live_numbered_topics: this.#topics.numberedCount,
      live_catch_ups: this.#catchUps.size,
      ...this.#tables.figures(),
      ...this.#trending.figures(),
      ...this.#candles.figures(),
    }
  }

  /** Up to `most` mints whose trades are followed. */
  followedMints(most: number): readonly string[] {
    return this.#topics.keysOf('update_mint_info', most)
  }

  /** Nothing is published from here on. */
  stop(): void {
    this.#events.stop()
    this.#catchUps.stop()
    this.#tables.channel.stop()
    this.#trending.channel.stop()
    this.#candles.channel.stop()
  }

  /** The client has read some bytes. */
  drained(connection: LiveConnection): void {
    this.#catchUps.drained(connection)
  }

  /** After a connection closed. */
  drop(connection: LiveConnection): void {
    this.#catchUps.drop(connection)
    const topics = [...connection.topics]
    this.#topics.drop(connection)
    this.#tables.channel.dropUnfollowed(topics)
    this.#trending.channel.dropUnfollowed(topics)
    this.#candles.channel.dropUnfollowed(topics)
  }

  /** Applies a request and sends its answers; false: it has to be served again in a later turn. */
  serve(connection: LiveConnection, request: LiveRequest): boolean {
    switch (request.kind) {
      case 'refused':
        this.#send(connection, liveErrorFrame(request.code, request.message))
        return true
      case 'ping':
        this.#send(connection, '{"type":"pong"}')
        return true
      case 'pong':
        return true
      default:
        return this.#follow(connection, request)
    }
  }

  #follow(connection: LiveConnection, request: FollowRequest): boolean {
    const isPlain = request.kind === 'stream' && request.form === 'plain'
    if (!isPlain && !this.#streams.isReady()) return this.serve(connection, STARTING)
    switch (request.kind) {
      case 'stream':
        return this.#subscriptions.serve(connection, request)
      case 'table':
        return request.channel === 'trending'
          ? this.#trending.serve(connection, request)
          : this.#tables.serve(connection, request)
      case 'candles':
        return this.#candles.serve(connection, request)
    }
  }
}
