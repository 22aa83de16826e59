import { BROADCASTS, type Broadcast } from '../../../protocol/live/live-messages.ts'
import type { LiveConnection } from '../connection/connection.ts'
import { TopicNames } from './topics.ts'

/** Topic of a channel without mints; those of trades have another first letter. */
export function broadcastTopic(event: Broadcast): string {
  return `b/${event}`
}

/** Those who follow one mint, and the topic of its trades. */
interface MintFollowers {
  readonly topic: string
  readonly all: Set<LiveConnection>
}

/**
 * Who follows what. Bounded by connections x mints a connection; a client's text is only ever the
 * key of a Map.
 */
export class Subscriptions {
  readonly #listeners = new Map<Broadcast, Set<LiveConnection>>(
    BROADCASTS.map((event) => [event, new Set()]),
  )
  readonly #followers = new Map<string, MintFollowers>()
  readonly #names = new TopicNames('m/')

  /** True when somebody follows the mint: its trades are worth encoding. */
  isFollowed(mint: string): boolean {
    return this.#followers.has(mint)
  }

  /** Null when nobody follows the mint. */
  followersOf(mint: string): MintFollowers | null {
    return this.#followers.get(mint) ?? null
  }

  listenersOf(event: Broadcast): ReadonlySet<LiveConnection> {
    return this.#listeners.get(event) ?? NOBODY
  }

  /** Mints that anybody follows. */
  get mintCount(): number {
    return this.#followers.size
  }

  /** Idempotent. */
  follow(connection: LiveConnection, mint: string): void {
    if (connection.mints.has(mint)) return
    connection.mints.add(mint)
    let followers = this.#followers.get(mint)
    if (followers === undefined) {
      followers = { topic: this.#names.next(), all: new Set() }
      this.#followers.set(mint, followers)
    }
    followers.all.add(connection)
    connection.socket.subscribe(followers.topic)
  }

  /** Idempotent. */
  unfollow(connection: LiveConnection, mint: string): void {
    if (!connection.mints.delete(mint)) return
    const followers = this.#followers.get(mint)
    if (followers !== undefined) connection.socket.unsubscribe(followers.topic)
    this.#forget(connection, mint)
  }

  /** Idempotent. */
  setBroadcast(connection: LiveConnection, event: Broadcast, listens: boolean): void {
    if (connection.broadcasts.has(event) === listens) return
    if (listens) {
      connection.broadcasts.add(event)
      this.#listeners.get(event)?.add(connection)
      connection.socket.subscribe(broadcastTopic(event))
    } else {
      connection.broadcasts.delete(event)
      this.#listeners.get(event)?.delete(connection)
      connection.socket.unsubscribe(broadcastTopic(event))
    }
  }

  /** After the socket closed: uWebSockets.js has dropped its topics itself. */
  drop(connection: LiveConnection): void {
    for (const mint of connection.mints) this.#forget(connection, mint)
    connection.mints.clear()
    for (const listeners of this.#listeners.values()) listeners.delete(connection)
    connection.broadcasts.clear()
  }

  #forget(connection: LiveConnection, mint: string): void {
    const followers = this.#followers.get(mint)
    followers?.all.delete(connection)
    if (followers?.all.size === 0) this.#followers.delete(mint)
  }
}

const NOBODY: ReadonlySet<LiveConnection> = new Set()
