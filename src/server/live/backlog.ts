import type { Broadcast } from '../../wire/live-messages.ts'
import { BUFFER_CHECK_BYTES, BUFFER_CHECK_MS } from '../limits.ts'
import type { LiveConnection } from './connection.ts'
import type { Subscriptions } from './subscriptions.ts'

/**
 * Finds readers that lag. `publish` of uWebSockets.js tells nothing of single readers, and with a
 * limit of its own it drops messages and even the close frame without a word. So it has no limit
 * here; instead the buffers of everyone published to are looked at after every 64 KiB and at most
 * 10 ms later, which bounds the overshoot and costs 12 ns a reader.
 */
export class Backlog {
  readonly #subscriptions: Subscriptions
  readonly #check: (connection: LiveConnection) => void
  readonly #touchedMints = new Set<string>()
  readonly #touchedBroadcasts = new Set<Broadcast>()
  readonly #touchedTopics = new Set<ReadonlySet<LiveConnection>>()
  #unseenBytes = 0
  #timer: NodeJS.Timeout | null = null

  /** `check` closes a connection that buffers too much. */
  constructor(subscriptions: Subscriptions, check: (connection: LiveConnection) => void) {
    this.#subscriptions = subscriptions
    this.#check = check
  }

  /** After a publish to a mint's topic. */
  publishedTrade(mint: string, bytes: number): void {
    this.#touchedMints.add(mint)
    this.#count(bytes)
  }

  /** After a publish to everyone who listens to a channel. */
  publishedBroadcast(event: Broadcast, bytes: number): void {
    this.#touchedBroadcasts.add(event)
    this.#count(bytes)
  }

  /** After a publish to those who follow a topic of docs/live.md. */
  publishedTopic(followers: ReadonlySet<LiveConnection>, bytes: number): void {
    this.#touchedTopics.add(followers)
    this.#count(bytes)
  }

  #count(bytes: number): void {
    this.#unseenBytes += bytes
    if (this.#unseenBytes >= BUFFER_CHECK_BYTES) this.#look()
    else this.#timer ??= setTimeout(() => this.#look(), BUFFER_CHECK_MS)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #look(): void {
    this.stop()
    this.#unseenBytes = 0
    for (const mint of this.#touchedMints) {
      for (const reader of this.#subscriptions.followersOf(mint)) this.#check(reader)
    }
    this.#touchedMints.clear()
    for (const event of this.#touchedBroadcasts) {
      for (const reader of this.#subscriptions.listenersOf(event)) this.#check(reader)
    }
    this.#touchedBroadcasts.clear()
    for (const followers of this.#touchedTopics) {
      for (const reader of followers) this.#check(reader)
    }
    this.#touchedTopics.clear()
  }
}
