import type { LiveSource, LiveStreams, Trade } from '../../../protocol/queries.ts'
import {
  type AnnouncedChannel,
  type EventChannel,
  type EventMessage,
  eventFrame,
  type MessageForm,
  type StreamChannel,
} from '../../../protocol/wire.ts'
import type { Apps } from '../../sockets/apps.ts'
import type { LiveConnection, Send } from '../connection/connection.ts'
import type { LastTables } from './last-tables.ts'

const MESSAGE_FORMS = ['plain', 'numbered', 'extra'] as const

/** Connections that get the same bytes: they follow one topic in one form. */
interface Followers {
  /** The topic's name in uWebSockets.js. */
  readonly name: string
  readonly all: Set<LiveConnection>
  /** Connections that uWebSockets.js does not publish to. */
  readonly single: Set<LiveConnection>
  /** How many of them are held. */
  held: number
}

/** The followers of a topic by their form; null: there are none. */
type Topic = { [Form in MessageForm]: Followers | null }

/** The topics of one channel by their key. */
class Channel {
  readonly topics = new Map<string, Topic>()
  /** Topics with followers, by form. */
  readonly counts: { [Form in MessageForm]: number } = { plain: 0, numbered: 0, extra: 0 }
}

/**
 * The followers of each topic. A topic is a channel, a slash and a key: a stream of events, a live table, live candles.
 * One publish reaches all sockets of a form; server-sent events are sent to one client after the other.
 * uWebSockets.js finds a topic by a hash that a client can compute, and texts with equal hashes would make each lookup
 * compare all of them. So a client's text is only the key of a Map, and the names of topics are numbers.
 */
export class Topics {
  readonly #app: Pick<Apps, 'publish'>
  readonly #channels = new Map<string, Channel>()
  readonly #afterPublish: (followers: ReadonlySet<LiveConnection>, bytes: number) => void
  readonly #send: Send
  #names = 0
  #held = 0
  #published = 0

  /** `afterPublish` is called with the followers that got a frame, and its bytes. */
  constructor(
    app: Pick<Apps, 'publish'>,
    afterPublish: (followers: ReadonlySet<LiveConnection>, bytes: number) => void,
    send: Send,
  ) {
    this.#app = app
    this.#afterPublish = afterPublish
    this.#send = send
  }

  /** Followers that are held, of all topics. */
  get heldCount(): number {
    return this.#held
  }

  /** Frames that were published. */
  get publishedCount(): number {
    return this.#published
  }

  /** Topics of a channel with followers in this form. */
  countOf(channel: string, form: MessageForm): number {
    return this.#channels.get(channel)?.counts[form] ?? 0
  }

  /** Topics with followers of numbered messages. */
  get numberedCount(): number {
    let count = 0
    for (const { counts } of this.#channels.values()) count += counts.numbered + counts.extra
    return count
  }

  /** Up to `most` keys of a channel that have followers. */
  keysOf(channel: string, most: number): readonly string[] {
    const keys: string[] = []
    for (const key of this.#channels.get(channel)?.topics.keys() ?? []) {
      if (keys.length === most) break
      keys.push(key)
    }
    return keys
  }

  /** Has any topic of a channel a follower? */
  hasAny(channel: string): boolean {
    const topics = this.#channels.get(channel)?.topics
    return topics !== undefined && topics.size > 0
  }

  /** Undefined: it has no followers. */
  find(channel: string, key: string): Topic | undefined {
    return this.#channels.get(channel)?.topics.get(key)
  }

  has(topic: string): boolean {
    return this.#find(topic) !== undefined
  }

  /** The followers of a state. */
  followersOf(topic: string): readonly LiveConnection[] {
    return [...(this.#find(topic)?.numbered?.all ?? [])]
  }

  /** Idempotent. The connection gets only what is published from here on; a closed one joins nothing. */
  join(connection: LiveConnection, topic: string, form: MessageForm = 'numbered'): void {
    if (connection.isClosed) return
    const [name, key] = partsOf(topic)
    const channel = this.#channels.get(name) ?? new Channel()
    this.#channels.set(name, channel)
    const found = channel.topics.get(key) ?? { plain: null, numbered: null, extra: null }
    channel.topics.set(key, found)
    let followers = found[form]
    if (followers === null) {
      followers = { name: `t/${++this.#names}`, all: new Set(), single: new Set(), held: 0 }
      found[form] = followers
      channel.counts[form] += 1
    }
    if (followers.all.has(connection)) return
    followers.all.add(connection)
    connection.topics.add(topic)
    listen(connection, followers)
  }

  /** Idempotent. */
  leave(connection: LiveConnection, topic: string): void {
    // Its socket must not be used any more; `drop` removes it from all topics.
    if (connection.isClosed) return
    connection.topics.delete(topic)
    this.#remove(connection, topic)
  }

  /** After the connection closed: uWebSockets.js has dropped its topics itself. */
  drop(connection: LiveConnection): void {
    for (const topic of connection.topics) this.#remove(connection, topic)
    connection.topics.clear()
  }

  /** The followers of a state that are held. */
  heldOf(topic: string): readonly LiveConnection[] {
    const followers = this.#find(topic)?.numbered ?? null
    if (followers === null || followers.held === 0) return []
    return [...followers.all].filter(({ held }) => held.has(topic))
  }

  /** Publishes nothing of a state to a follower until `release`. Idempotent. */
  hold(connection: LiveConnection, topic: string): void {
    const followers = this.#find(topic)?.numbered
    if (!followers?.all.has(connection) || connection.isClosed) return
    if (connection.held.has(topic)) return
    unlisten(connection, followers)
    connection.held.add(topic)
    followers.held += 1
    this.#held += 1
  }

  /** Publishes a state again to a follower that was held. Idempotent. */
  release(connection: LiveConnection, topic: string): void {
    const followers = this.#find(topic)?.numbered ?? null
    if (followers === null || connection.isClosed) return
    if (this.#unhold(connection, topic, followers)) listen(connection, followers)
  }

  /** Publishes a frame of a state; `bytes` are those of the frame, where they are known. */
  publish(topic: string, frame: string, bytes?: number): void {
    this.publishTo(this.#find(topic)?.numbered ?? null, frame, bytes)
  }

  publishTo(followers: Followers | null, frame: string, bytes?: number): void {
    if (followers === null) return
    const { name, all, single, held } = followers
    if (all.size === held) return
    if (all.size > single.size + held) this.#app.publish(name, frame)
    if (single.size > 0) for (const connection of [...single]) this.#send(connection, frame)
    this.#published += 1
    this.#afterPublish(all, bytes ?? Buffer.byteLength(frame))
  }

  #find(topic: string): Topic | undefined {
    const [channel, key] = partsOf(topic)
    return this.find(channel, key)
  }

  #remove(connection: LiveConnection, topic: string): void {
    const [name, key] = partsOf(topic)
    const channel = this.#channels.get(name)
    const found = channel?.topics.get(key)
    if (channel === undefined || found === undefined) return
    for (const form of MESSAGE_FORMS) {
      const followers = found[form]
      if (!followers?.all.delete(connection)) continue
      if (!this.#unhold(connection, topic, followers)) unlisten(connection, followers)
      if (followers.all.size > 0) continue
      found[form] = null
      channel.counts[form] -= 1
    }
    if (MESSAGE_FORMS.every((form) => found[form] === null)) channel.topics.delete(key)
  }

  /** Whether it was held. */
  #unhold(connection: LiveConnection, topic: string, followers: Followers): boolean {
    if (!connection.held.delete(topic)) return false
    followers.held -= 1
    this.#held -= 1
    return true
  }
}

/** Publishes the engine's events to their followers: in each form a frame is made once. Candles are only told of trades. */
export class EventPublisher {
  readonly #topics: Topics
  readonly #candles: ReadonlyMap<string, ReadonlySet<{ traded(timestamp: number): void }>>
  readonly #streams: LiveStreams
  readonly #lastTables: LastTables
  readonly #send: Send
  #isStopped = false
  #poolTrades = 0

  /** `candles`: by mint, those that are followed. */
  constructor(
    source: LiveSource,
    topics: Topics,
    candles: ReadonlyMap<string, ReadonlySet<{ traded(timestamp: number): void }>>,
    streams: LiveStreams,
    lastTables: LastTables,
    send: Send,
  ) {
    this.#topics = topics
    this.#candles = candles
    this.#streams = streams
    this.#lastTables = lastTables
    this.#send = send
    source.onTrade((trade) => this.#publishTrade(trade))
    source.onAnnounced((channel, message) => this.#publishAnnounced(channel, message))
    source.onAlert((message, seq) => {
      if (!this.#isStopped) this.#publish('alerts', '', message, seq)
    })
  }

  /** Trades that were sent to followers of `update_pools_info`. */
  get poolTrades(): number {
    return this.#poolTrades
  }

  /** Nothing is published from here on. */
  stop(): void {
    this.#isStopped = true
  }

  #publishTrade(trade: Trade): void {
    if (this.#isStopped) return
    const { mint } = trade
    this.#sendPools(mint, trade)
    this.#publish('update_mint_info', mint, trade, trade.seq)
    this.#publish('all_trades', '', trade, trade.tradeSeq)
    // The text of a wallet is made only when a wallet has a follower.
    if (this.#topics.hasAny('wallet_trades'))
      this.#publish('wallet_trades', trade.wallet, trade, trade.walletSeq)
    const candles = this.#candles.get(mint)
    if (candles !== undefined) for (const one of candles) one.traded(trade.timestamp)
  }

  #publishAnnounced(channel: AnnouncedChannel, message: EventMessage): void {
    if (this.#isStopped) return
    this.#publish(channel, '', message, this.#streams.sources[channel].head(''))
  }

  /** Publishes an event to its followers: in each form its frame is made once. */
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

/** The channel and the key of a topic. */
function partsOf(topic: string): readonly [channel: string, key: string] {
  const slash = topic.indexOf('/')
  return [topic.slice(0, slash), topic.slice(slash + 1)]
}

function listen(connection: LiveConnection, { name, single }: Followers): void {
  if (connection.isSocket) connection.socket.subscribe(name)
  else single.add(connection)
}

function unlisten(connection: LiveConnection, { name, single }: Followers): void {
  if (!connection.isSocket) single.delete(connection)
  else if (!connection.isClosed) connection.socket.unsubscribe(name)
}
