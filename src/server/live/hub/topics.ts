import type { LiveApp } from '../../sockets/apps.ts'
import { type LiveConnection, type Send, TopicSet } from '../connection/connection.ts'

/** Those who follow one topic. */
interface Followers {
  /** What uWebSockets.js knows the topic by. */
  readonly name: string
  readonly all: Set<LiveConnection>
  /** Those among them that uWebSockets.js does not publish to. */
  readonly single: Set<LiveConnection>
  /** Those among them that nothing is published to. */
  readonly held: Set<LiveConnection>
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
  #heldCount = 0

  constructor(
    app: LiveApp,
    published: (followers: ReadonlySet<LiveConnection>, bytes: number) => void,
    sendTo: Send,
  ) {
    this.#app = app
    this.#published = published
    this.#sendTo = sendTo
  }

  /** Followers that are held, of all topics. */
  get heldCount(): number {
    return this.#heldCount
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
      followers = { name: this.#names.next(), all: new Set(), single: new Set(), held: new Set() }
      this.#topics.set(topic, followers)
      this.#channels.add(topic)
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
    const followers = this.#topics.get(topic)
    if (followers === undefined || !followers.all.delete(connection)) return
    if (!this.#unhold(connection, topic)) unlisten(connection, followers)
    if (followers.all.size === 0) this.#forget(topic)
  }

  /** Who follows a topic and is held. */
  heldOf(topic: string): readonly LiveConnection[] {
    return [...(this.#topics.get(topic)?.held ?? [])]
  }

  /** Publishes nothing of a topic to a follower until `release`. Idempotent. */
  hold(connection: LiveConnection, topic: string): void {
    const followers = this.#topics.get(topic)
    if (followers === undefined || !followers.all.has(connection) || connection.isClosed) return
    if (connection.held.has(topic)) return
    unlisten(connection, followers)
    followers.held.add(connection)
    connection.held.add(topic)
    this.#heldCount++
  }

  /** Publishes a topic again to one that was held. Idempotent. */
  release(connection: LiveConnection, topic: string): void {
    const followers = this.#topics.get(topic)
    if (followers === undefined || connection.isClosed) return
    if (this.#unhold(connection, topic)) listen(connection, followers)
  }

  /** After the connection closed: uWebSockets.js has dropped its topics itself. */
  drop(connection: LiveConnection): void {
    for (const topic of connection.topics) {
      const followers = this.#topics.get(topic)
      if (followers === undefined) continue
      followers.all.delete(connection)
      followers.single.delete(connection)
      this.#unhold(connection, topic)
      if (followers.all.size === 0) this.#forget(topic)
    }
    connection.topics.clear()
  }

  /** `bytes` are those of the frame, where they are known. */
  publish(topic: string, frame: string, bytes?: number): void {
    const followers = this.#topics.get(topic)
    if (followers === undefined) return
    const { name, all, single, held } = followers
    if (all.size === held.size) return
    if (all.size > single.size + held.size) this.#app.publish(name, frame)
    for (const connection of [...single]) this.#sendTo(connection, frame)
    this.#published(all, bytes ?? Buffer.byteLength(frame))
  }

  /** Whether it was held. */
  #unhold(connection: LiveConnection, topic: string): boolean {
    if (!connection.held.delete(topic)) return false
    this.#topics.get(topic)?.held.delete(connection)
    this.#heldCount--
    return true
  }

  #forget(topic: string): void {
    this.#topics.delete(topic)
    this.#channels.delete(topic)
  }
}

function listen(connection: LiveConnection, { name, single }: Followers): void {
  if (connection.isSocket) connection.socket.subscribe(name)
  else single.add(connection)
}

function unlisten(connection: LiveConnection, { name, single }: Followers): void {
  if (connection.isSocket) connection.socket.unsubscribe(name)
  else single.delete(connection)
}

/**
 * Names of topics, each of which is said once. uWebSockets.js finds a topic by a hash that anybody can
 * compute: of texts that a client chose to have the same one, each would cost a look at all the others.
 */
export class TopicNames {
  readonly #prefix: string
  #said = 0

  /** `prefix`: begins no name of others. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  next(): string {
    this.#said++
    return `${this.#prefix}${this.#said}`
  }
}
