import type { LiveApp } from '../apps.ts'
import type { LiveConnection, Send } from './connection.ts'
import { TopicNames } from './topic-names.ts'
import { TopicSet } from './topic-set.ts'

/** Those who follow one topic. */
interface Followers {
  /** What uWebSockets.js knows the topic by. */
  readonly name: string
  readonly all: Set<LiveConnection>
  /** Those among them that uWebSockets.js does not publish to. */
  readonly single: Set<LiveConnection>
}

/**
 * Who follows the streams of docs/live.md. One publish reaches all of a topic's sockets; streams of
 * server-sent events are sent to one by one. A client's text is only ever part of a key of a Map.
 */
export class Topics {
  readonly #app: LiveApp
  readonly #topics = new Map<string, Followers>()
  readonly #channels = new TopicSet()
  readonly #names = new TopicNames('n/')
  readonly #published: (followers: ReadonlySet<LiveConnection>, bytes: number) => void
  readonly #sendTo: Send

  constructor(
    app: LiveApp,
    published: (followers: ReadonlySet<LiveConnection>, bytes: number) => void,
    sendTo: Send,
  ) {
    this.#app = app
    this.#published = published
    this.#sendTo = sendTo
  }

  /** Topics that somebody follows. */
  get size(): number {
    return this.#topics.size
  }

  has(topic: string): boolean {
    return this.#topics.has(topic)
  }

  /** Who follows a topic now. */
  followersOf(topic: string): readonly LiveConnection[] {
    return [...(this.#topics.get(topic)?.all ?? [])]
  }

  /** Does anybody follow any topic of a channel? */
  hasAny(channel: string): boolean {
    return this.#channels.countOf(channel) > 0
  }

  /** Idempotent. Nothing that was published before comes any more. A closed one joins nothing. */
  join(connection: LiveConnection, topic: string): void {
    if (connection.isClosed) return
    let followers = this.#topics.get(topic)
    if (followers === undefined) {
      followers = { name: this.#names.next(), all: new Set(), single: new Set() }
      this.#topics.set(topic, followers)
      this.#channels.add(topic)
    }
    if (followers.all.has(connection)) return
    followers.all.add(connection)
    connection.topics.add(topic)
    if (connection.isSocket) connection.socket.subscribe(followers.name)
    else followers.single.add(connection)
  }

  /** Idempotent. */
  leave(connection: LiveConnection, topic: string): void {
    // Its socket must not be touched any more; `drop` takes all of its topics.
    if (connection.isClosed) return
    connection.topics.delete(topic)
    const followers = this.#topics.get(topic)
    if (followers === undefined || !followers.all.delete(connection)) return
    if (!followers.single.delete(connection)) connection.socket.unsubscribe(followers.name)
    if (followers.all.size === 0) this.#forget(topic)
  }

  /** After the connection closed: uWebSockets.js has dropped its topics itself. */
  drop(connection: LiveConnection): void {
    for (const topic of connection.topics) {
      const followers = this.#topics.get(topic)
      followers?.all.delete(connection)
      followers?.single.delete(connection)
      if (followers?.all.size === 0) this.#forget(topic)
    }
    connection.topics.clear()
  }

  publish(topic: string, frame: string): void {
    const followers = this.#topics.get(topic)
    if (followers === undefined) return
    if (followers.all.size > followers.single.size) this.#app.publish(followers.name, frame)
    for (const connection of [...followers.single]) this.#sendTo(connection, frame)
    this.#published(followers.all, frame.length)
  }

  #forget(topic: string): void {
    this.#topics.delete(topic)
    this.#channels.delete(topic)
  }
}
