import {
  type FollowRequest,
  type LiveRequest,
  STARTING_FRAME,
} from '../../../protocol/live/live-messages.ts'
import {
  type AnnouncedChannel,
  type EventChannel,
  type EventMessage,
  eventFrame,
  liveErrorFrame,
  MESSAGE_FORMS,
  type MessageForm,
  PONG_FRAME,
  type StreamChannel,
} from '../../../protocol/live-frames.ts'
import type { LiveSource, LiveStreams, Trade } from '../../../protocol/streams.ts'
import type { LiveApp } from '../../sockets/apps.ts'
import type { LiveConnection, Send } from '../connection/connection.ts'
import { CatchUps } from './catch-ups.ts'
import { FollowedCandles } from './followed-candles.ts'
import { FollowedTables } from './followed-tables.ts'
import type { LastTables } from './last-tables.ts'
import type { StateParts } from './state-channel.ts'
import { Subscriptions } from './subscriptions.ts'
import { Topics } from './topics.ts'

interface HubParts extends Omit<StateParts, 'topics'> {
  readonly app: LiveApp
  readonly source: LiveSource
  readonly lastTables: LastTables
  /** After a publish: the buffers of these are to be looked at. */
  readonly afterPublish: (followers: ReadonlySet<LiveConnection>, bytes: number) => void
}

/**
 * The hub of the live feed. In come requests of connections and the engine's events, out go frames: of events at
 * once, each made once for all who follow it in the same form; of tables and candles once a round.
 *
 * A topic is what one can follow, in one of three forms: plain, numbered, with additive keys (`Topics`).
 * A connection on its way to the head of a stream joins the topic in the turn of its last missed message
 * (`CatchUps`), so that none comes twice or never. A state (`StateChannel`) is a table or a series of candles.
 */
export class Hub {
  readonly #streams: LiveStreams
  readonly #lastTables: LastTables
  readonly #send: Send
  readonly #topics: Topics
  readonly #catchUps: CatchUps
  readonly #subscriptions: Subscriptions
  readonly #tables: FollowedTables
  readonly #candles: FollowedCandles
  #isStopped = false
  #poolTrades = 0

  constructor(parts: HubParts) {
    const { app, source, streams, lastTables, send, sendSnapshot, failures } = parts
    const topics = new Topics(app, parts.afterPublish, send)
    this.#streams = streams
    this.#lastTables = lastTables
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
    this.#tables = new FollowedTables({ ...parts, topics })
    this.#candles = new FollowedCandles({ ...parts, topics })
    source.onTrade((trade) => this.#publishTrade(trade))
    source.onAnnounced((channel, message) => this.#publishAnnounced(channel, message))
    source.onRepriced((mint) => this.#candles.repriced(mint))
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_followed_mints: this.#topics.countOf('update_mint_info', 'plain'),
      live_published_total: this.#topics.publishedCount + this.#poolTrades,
      live_numbered_topics: this.#topics.numberedCount,
      live_catch_ups: this.#catchUps.size,
      ...this.#tables.figures(),
      ...this.#candles.figures(),
    }
  }

  /** Nothing is published from here on. */
  stop(): void {
    this.#isStopped = true
    this.#catchUps.stop()
    this.#tables.channel.stop()
    this.#candles.channel.stop()
  }

  /** The client has read something of what lay unread. */
  drained(connection: LiveConnection): void {
    this.#catchUps.drained(connection)
  }

  /** After a connection closed. */
  drop(connection: LiveConnection): void {
    this.#catchUps.drop(connection)
    const topics = [...connection.topics]
    this.#topics.drop(connection)
    this.#tables.channel.dropUnfollowed(topics)
    this.#candles.channel.dropUnfollowed(topics)
  }

  /** Applies a request and sends its answers; false: it is to be served again in a later turn. */
  serve(connection: LiveConnection, request: LiveRequest): boolean {
    switch (request.kind) {
      case 'refused':
        this.#send(connection, liveErrorFrame(request.code, request.message))
        return true
      case 'ping':
        this.#send(connection, PONG_FRAME)
        return true
      case 'pong':
        return true
      case 'stream':
        return this.#subscriptions.serve(connection, request)
      default:
        return this.#serveState(connection, request)
    }
  }

  #serveState(
    connection: LiveConnection,
    request: Extract<FollowRequest, { kind: 'table' | 'candles' }>,
  ): boolean {
    if (this.#streams.isReady())
      return request.kind === 'table'
        ? this.#tables.serve(connection, request)
        : this.#candles.serve(connection, request)
    this.#send(connection, STARTING_FRAME)
    return true
  }

  #publishTrade(trade: Trade): void {
    if (this.#isStopped) return
    const { mint } = trade
    this.#candles.traded(mint, trade.timestamp)
    this.#sendPools(mint, trade)
    this.#publish('update_mint_info', mint, trade, trade.seq)
    this.#publish('all_trades', '', trade, trade.tradeSeq)
    // The text of a wallet is worth making only when somebody follows one.
    if (this.#topics.hasAny('wallet_trades'))
      this.#publish('wallet_trades', trade.wallet, trade, trade.walletSeq)
  }

  #publishAnnounced(channel: AnnouncedChannel, message: EventMessage): void {
    if (this.#isStopped) return
    this.#publish(channel, '', message, this.#streams.sources[channel].head(''))
  }

  /** Publishes an event to all who follow it: in each form its frame is made once. */
  #publish(channel: StreamChannel, key: string, message: EventMessage, seq: number): void {
    const topic = this.#topics.find(channel, key)
    if (topic === undefined) return
    for (const form of MESSAGE_FORMS) {
      const followers = topic[form]
      if (followers !== null)
        this.#topics.publishTo(followers, this.#frame(form, channel, message, seq, key))
    }
  }

  #frame(
    form: MessageForm,
    channel: EventChannel,
    message: EventMessage,
    seq: number,
    key?: string,
  ): string {
    if (form === 'plain') return eventFrame(channel, message)
    const number = { seq, epoch: this.#streams.epoch(), extra: form === 'extra' }
    return eventFrame(channel, message, number, key)
  }

  /** `update_pools_info`: the trades of the tokens in the last table answer of a connection's id. */
  #sendPools(mint: string, trade: Trade): void {
    const channel = 'update_pools_info'
    const topic = this.#topics.find(channel, '')
    if (topic === undefined) return
    const ids = this.#lastTables.readersOf(mint)
    if (ids.size === 0) return
    for (const form of MESSAGE_FORMS) {
      let frame: string | null = null
      for (const connection of topic[form]?.all ?? []) {
        if (!ids.has(connection.id)) continue
        frame ??= this.#frame(form, channel, trade, trade.seq)
        this.#poolTrades += 1
        this.#send(connection, frame)
      }
    }
  }
}
