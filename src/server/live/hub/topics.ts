import { MESSAGE_FORMS, type MessageForm } from '../../../protocol/live-frames.ts'
import type { LiveApp } from '../../sockets/apps.ts'
import type { LiveConnection, Send } from '../connection/connection.ts'

/** Those who get the same bytes: they follow one topic in one form. */
interface Followers {
  /** What uWebSockets.js knows them by. */
  readonly name: string
  readonly all: Set<LiveConnection>
  /** Those among them that uWebSockets.js does not publish to. */
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
 * Who follows what. A topic is a channel, a slash and a key: a stream of events, a live table, live candles. One
 * publish reaches all sockets of a form; streams of server-sent events are sent to one by one.
 * uWebSockets.js finds a topic by a hash that anybody can compute, and of texts chosen to have the same one each
 * would cost a look at all the others: so a client's text is only ever the key of a Map, and names are numbers.
 */
export class Topics {
  readonly #app: LiveApp
  readonly #channels = new Map<string, Channel>()
  readonly #afterPublish: (followers: ReadonlySet<LiveConnection>, bytes: number) => void
  readonly #send: Send
  #names = 0
  #held = 0
  #published = 0

  /** `afterPublish` is told who got how many bytes each. */
  constructor(
    app: LiveApp,
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

  /** Topics of a channel that somebody follows in a form. */
  countOf(channel: string, form: MessageForm): number {
    return this.#channels.get(channel)?.counts[form] ?? 0
  }

  /** Topics that somebody follows with numbers. */
  get numberedCount(): number {
    let count = 0
    for (const { counts } of this.#channels.values()) count += counts.numbered + counts.extra
    return count
  }

  /** Does anybody follow any topic of a channel? */
  hasAny(channel: string): boolean {
    const topics = this.#channels.get(channel)?.topics
    return topics !== undefined && topics.size > 0
  }

  /** Undefined: nobody follows it. */
  find(channel: string, key: string): Topic | undefined {
    return this.#channels.get(channel)?.topics.get(key)
  }

  has(topic: string): boolean {
    return this.#find(topic) !== undefined
  }

  /** Who follows a state now. */
  followersOf(topic: string): readonly LiveConnection[] {
    return [...(this.#find(topic)?.numbered?.all ?? [])]
  }

  /** Idempotent. Nothing that was published before comes any more. A closed one joins nothing. */
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
    // Its socket must not be touched any more; `drop` takes all of its topics.
    if (connection.isClosed) return
    connection.topics.delete(topic)
    this.#remove(connection, topic)
  }

  /** After the connection closed: uWebSockets.js has dropped its topics itself. */
  drop(connection: LiveConnection): void {
    for (const topic of connection.topics) this.#remove(connection, topic)
    connection.topics.clear()
  }

  /** Who follows a state and is held. */
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

  /** Publishes a state again to one that was held. Idempotent. */
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
