import type {
  AddedRequest,
  LiveRequest,
  StreamRequest,
} from '../../../protocol/live/live-messages.ts'
import { STARTING_FRAME } from '../../../protocol/live/live-notices.ts'
import type { AnnouncedChannel } from '../../../protocol/live-frames.ts'
import type { LiveStreams, TradeInfo } from '../../../protocol/streams.ts'
import type { LiveApp } from '../../sockets/apps.ts'
import type { LiveConnection } from '../connection/connection.ts'
import { CatchUps } from './catch-ups.ts'
import { FollowedCandles } from './followed-candles.ts'
import { FollowedTables } from './followed-tables.ts'
import { followedWith, NumberedStreams } from './numbered-streams.ts'
import type { StateParts } from './state-channel.ts'
import { Topics } from './topics.ts'

interface AddedChannelsParts extends Omit<StateParts, 'topics'> {
  readonly app: LiveApp
  /** A numbered subscription is about to begin. */
  readonly accepted: (connection: LiveConnection, request: StreamRequest) => void
  /** After a publish: their buffers are to be looked at. */
  readonly published: (followers: ReadonlySet<LiveConnection>, bytes: number) => void
}

/** The channels of docs/live.md beside the plain ones: numbered streams, tables and candles. */
export class ChannelHub {
  readonly #streams: LiveStreams
  readonly #send: AddedChannelsParts['send']
  readonly #topics: Topics
  readonly #catchUps: CatchUps
  readonly #numbered: NumberedStreams
  readonly #tables: FollowedTables
  readonly #candles: FollowedCandles

  constructor(parts: AddedChannelsParts) {
    const { app, streams, answers, send, sendSnapshot, failures } = parts
    const topics = new Topics(app, parts.published, send)
    this.#streams = streams
    this.#send = send
    this.#topics = topics
    this.#catchUps = new CatchUps(streams, {
      send,
      sendSnapshot,
      join: (connection, topic) => topics.join(connection, topic),
      giveUp: (connection, topic) => topics.leave(connection, topic),
      failed: (connection, error, ended) => failures.failed(error, [connection], ended),
    })
    this.#numbered = new NumberedStreams({
      streams,
      topics,
      catchUps: this.#catchUps,
      send,
      accepted: parts.accepted,
    })
    const { finishDepartures, onStep } = parts
    const served = { answers, streams, topics, send, sendSnapshot }
    const shared = { ...served, failures, onStep, finishDepartures }
    this.#tables = new FollowedTables(shared)
    this.#candles = new FollowedCandles(shared)
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      live_numbered_topics: this.#topics.size,
      live_catch_ups: this.#catchUps.size,
      ...this.#tables.figures(),
      ...this.#candles.figures(),
    }
  }

  stop(): void {
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
    this.#tables.channel.forgetUnread(topics)
    this.#candles.channel.forgetUnread(topics)
  }

  /** Applies a request and sends its answers; false: it is to be served again in a later turn. */
  serve(connection: LiveConnection, request: AddedRequest): boolean {
    if (!this.#streams.isReady()) this.#send(connection, STARTING_FRAME)
    else if (request.kind === 'candles') return this.#candles.serve(connection, request)
    else if (request.kind === 'table') return this.#tables.serve(connection, request)
    else this.#numbered.serve(connection, request)
    return true
  }

  /** How many mints a connection follows in any way, with these added. */
  mintsWith(connection: LiveConnection, mints: readonly string[]): number {
    return followedWith(connection, 'update_mint_info', mints)
  }

  /** A plain subscription takes the place of numbered ones, and its end ends them. */
  leave(connection: LiveConnection, request: LiveRequest): void {
    if (request.kind === 'trades')
      for (const mint of request.mints) this.#numbered.leave(connection, 'update_mint_info', mint)
    else if (request.kind === 'broadcast' && request.event !== 'update_pools_info')
      this.#numbered.leave(connection, request.event, '')
  }

  /** Is a trade worth encoding for any of them? Notes it for the candles of its mint. */
  wantsTrade(mint: string, trade: TradeInfo): boolean {
    this.#candles.traded(mint, trade.timestamp)
    return this.#numbered.wantsTrade(mint, trade)
  }

  /** The prices of all trades of a mint changed. */
  repriced(mint: string): void {
    this.#candles.repriced(mint)
  }

  publishTrade(mint: string, message: string, trade: TradeInfo): void {
    this.#numbered.publishTrade(mint, message, trade)
  }

  /** A trade of a table with its number. */
  poolTrade(message: string, trade: TradeInfo): string {
    return this.#numbered.poolTrade(message, trade)
  }

  wants(channel: AnnouncedChannel): boolean {
    return this.#numbered.wants(channel)
  }

  publish(channel: AnnouncedChannel, message: string): void {
    this.#numbered.publish(channel, message)
  }
}
