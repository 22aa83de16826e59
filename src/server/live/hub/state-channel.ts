import type { LiveErrorCode } from '../../../protocol/errors.ts'
import type { LiveStreams, Queries } from '../../../protocol/queries.ts'
import { type FollowedWords, liveErrorFrame } from '../../../protocol/wire.ts'
import type { OnStep } from '../../http/exchange.ts'
import { isLoopback } from '../../sockets/client-address.ts'
import {
  CATCH_UP_BUFFER_BYTES,
  type LiveConnection,
  lags,
  type Send,
} from '../connection/connection.ts'
import type { LiveFailures } from '../connection/live-failures.ts'
import type { Topics } from './topics.ts'

/**
 * Whoever lags behind the changes of a state gets the whole of it once no more than this lies unread; a change that
 * is longer than CATCH_UP_BUFFER_BYTES comes to nobody else either.
 */
const LITTLE_UNREAD_BYTES = 64 * 1024

/** Tables and candles hold the loop for this long at a time. */
const STATE_SLICE_MS = 4

/** The parts that state channels share. */
export interface StateParts {
  readonly answers: Queries
  readonly streams: LiveStreams
  readonly topics: Topics
  readonly send: Send
  readonly sendSnapshot: Send
  readonly failures: LiveFailures
  /** Called after each state that was computed anew, with the channel. */
  readonly onStep: OnStep
  /** Removes closed connections from all topics at once. */
  readonly finishDepartures: () => void
}

/** A table, or the candles of a mint, as its followers have it. */
interface FollowedState {
  /** The keys that name it in its acknowledgement. */
  readonly words: FollowedWords
  readonly step: number
  readonly position: number
}

export interface StateChannelOptions<State> {
  readonly name: string
  /** The error frame past a limit. */
  readonly refusal: { readonly code: LiveErrorCode; readonly what: string }
  readonly maxOfConnection: number
  readonly maxOfAddress: number
  readonly max: number
  readonly everyMs: number
  /** Topics that a round advances. */
  readonly due: (states: ReadonlyMap<string, State>) => Iterable<string>
  /** Brings a state up to now; its changes as a frame, or null. */
  readonly advance: (state: State) => string | null
  /** The snapshot for a follower that reads slower than the state changes; absent: such a follower gets each change. */
  readonly whole?: (state: State) => string
  /** The state has no followers any more. */
  readonly dropped?: (state: State) => void
}

/** A state channel: each state with followers is computed once a round for all of them. */
export class StateChannel<State extends FollowedState> {
  readonly #parts: StateParts
  readonly #options: StateChannelOptions<State>
  /** By topic. */
  readonly #states = new Map<string, State>()
  readonly #quota = new AddressQuota()
  readonly #rounds: SlicedRounds

  constructor(parts: StateParts, options: StateChannelOptions<State>) {
    this.#parts = parts
    this.#options = options
    this.#rounds = new SlicedRounds(
      options.everyMs,
      () => options.due(this.#states),
      (topic) => this.#advanceOrEnd(topic),
    )
  }

  /** States with followers. */
  get size(): number {
    return this.#states.size
  }

  has(topic: string): boolean {
    return this.#states.has(topic)
  }

  stop(): void {
    this.#rounds.stop()
  }

  /**
   * Joins a connection to a topic. The state is brought up to now first, and its changes go to earlier followers; the
   * new follower begins with its snapshot.
   */
  follow(
    connection: LiveConnection,
    topic: string,
    newState: () => State,
    snapshotOf: (state: State) => string,
  ): void {
    const { send, sendSnapshot, streams, topics } = this.#parts
    const full = this.#fullFrame(connection, topic)
    if (full !== null) {
      send(connection, full)
      return
    }
    if (!this.#states.has(topic)) this.#quota.take(topic, connection.client)
    try {
      const state = this.#states.get(topic) ?? this.#begin(topic, newState())
      this.#advance(topic, state)
      const { words, step, position: seq } = state
      const epoch = streams.epoch()
      const snapshot = snapshotOf(state)
      send(connection, JSON.stringify({ type: 'subscribed', ...words, step, seq, epoch }))
      sendSnapshot(connection, snapshot)
      topics.join(connection, topic)
    } finally {
      // The state has no followers if the snapshot threw, or if its reader was too slow and is closed by now.
      this.dropUnfollowed([topic])
    }
  }

  leave(connection: LiveConnection, topic: string, words: FollowedWords): void {
    const { send, topics } = this.#parts
    topics.leave(connection, topic)
    this.dropUnfollowed([topic])
    send(connection, JSON.stringify({ type: 'unsubscribed', ...words }))
  }

  /** After connections left these topics: states without followers are not computed any more. */
  dropUnfollowed(topics: Iterable<string>): void {
    for (const topic of topics) {
      if (this.#parts.topics.has(topic)) continue
      this.#quota.release(topic)
      const state = this.#states.get(topic)
      if (state === undefined) continue
      this.#states.delete(topic)
      this.#options.dropped?.(state)
    }
    if (this.#states.size === 0) this.#rounds.stop()
  }

  #begin(topic: string, state: State): State {
    this.#states.set(topic, state)
    this.#rounds.start()
    return state
  }

  /** One state of a round. If it cannot be brought up to now, the subscriptions of its followers end with an error. */
  #advanceOrEnd(topic: string): void {
    const state = this.#states.get(topic)
    if (state === undefined) return
    const startMs = performance.now()
    try {
      this.#advance(topic, state)
      this.#releaseRead(topic, state)
      this.#parts.onStep(this.#options.name, startMs)
    } catch (error) {
      const { failures, topics } = this.#parts
      const followers = topics.followersOf(topic)
      for (const connection of followers) topics.leave(connection, topic)
      failures.failed(error, followers, state.words)
      this.dropUnfollowed([topic])
    }
  }

  /**
   * Holds followers that read slower than the state changes: they get a snapshot later. A change longer than a
   * connection may leave unread goes to followers that have read all before it. It does not count against them, as a
   * snapshot does not.
   */
  #holdLagging(topic: string, bytes: number): void {
    const { topics } = this.#parts
    const isLong = bytes > CATCH_UP_BUFFER_BYTES
    for (const connection of topics.followersOf(topic)) {
      const isBehind = isLong ? !hasLittleUnread(connection) : lags(connection)
      if (isLong && !isBehind) connection.snapshotBytes = bytes
      else if (isBehind && this.#options.whole !== undefined) topics.hold(connection, topic)
    }
  }

  /** Held followers that have read on get a snapshot of now, and the changes from here on. */
  #releaseRead(topic: string, state: State): void {
    const { whole } = this.#options
    const { sendSnapshot, topics } = this.#parts
    if (whole === undefined) return
    // Of several held states of a connection the one that waits longest comes first: it may fill the buffer.
    const isDue = (connection: LiveConnection) => {
      const [longest] = connection.held
      return hasLittleUnread(connection) && longest === topic
    }
    const due = topics.heldOf(topic).filter(isDue)
    if (due.length === 0) return
    const snapshot = whole(state)
    for (const connection of due) {
      sendSnapshot(connection, snapshot)
      topics.release(connection, topic)
    }
  }

  #advance(topic: string, state: State): void {
    const delta = this.#options.advance(state)
    if (delta === null) return
    const bytes = Buffer.byteLength(delta)
    this.#holdLagging(topic, bytes)
    this.#parts.topics.publish(topic, delta, bytes)
  }

  /** The refusal of one topic more, or null. */
  #fullFrame({ topics, client }: LiveConnection, topic: string): string | null {
    if (topics.has(topic)) return null
    const { name, refusal, maxOfConnection, maxOfAddress, max } = this.#options
    const { code, what } = refusal
    const refused = (most: string) => liveErrorFrame(code, `At most ${most} can be followed.`)
    if (topics.countOf(name) >= maxOfConnection)
      return refused(`${maxOfConnection} ${what} a connection`)
    if (this.#states.has(topic)) return null
    const isFull = () => this.#states.size >= max
    const hasItsShare = () => !isLoopback(client) && this.#quota.countOf(client) >= maxOfAddress
    if (isFull() || hasItsShare()) this.#parts.finishDepartures()
    if (hasItsShare()) return refused(`${maxOfAddress} different ${what} of one address`)
    return isFull() ? refused(`${max} different ${what} in all`) : null
  }
}

/** Are so few bytes unread that a whole state may be sent? */
function hasLittleUnread({ isClosed, socket }: LiveConnection): boolean {
  return !isClosed && socket.getBufferedAmount() <= LITTLE_UNREAD_BYTES
}

/** Topics of a channel by client: one counts for the client that was the first to follow it, not for those after it. */
class AddressQuota {
  readonly #takers = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  countOf(client: string): number {
    return this.#counts.get(client) ?? 0
  }

  take(topic: string, client: string): void {
    this.release(topic)
    this.#takers.set(topic, client)
    this.#counts.set(client, this.countOf(client) + 1)
  }

  /** Idempotent. */
  release(topic: string): void {
    const client = this.#takers.get(topic)
    if (client === undefined) return
    this.#takers.delete(topic)
    const left = this.countOf(client) - 1
    if (left > 0) this.#counts.set(client, left)
    else this.#counts.delete(client)
  }
}

/**
 * Works through a list at an interval, in slices between which the loop serves others. A round that takes longer
 * than the interval delays the next one; rounds do not pile up.
 */
class SlicedRounds {
  readonly #everyMs: number
  readonly #due: () => Iterable<string>
  readonly #work: (name: string) => void
  #timer: NodeJS.Timeout | null = null
  #immediate: NodeJS.Immediate | null = null
  #left: string[] = []

  constructor(everyMs: number, due: () => Iterable<string>, work: (name: string) => void) {
    this.#everyMs = everyMs
    this.#due = due
    this.#work = work
  }

  /** Idempotent. */
  start(): void {
    this.#timer ??= setInterval(() => this.#round(), this.#everyMs)
  }

  /** Idempotent; `start` resumes. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#immediate !== null) clearImmediate(this.#immediate)
    this.#timer = null
    this.#immediate = null
    this.#left = []
  }

  #round(): void {
    if (this.#left.length > 0) return
    this.#left = [...this.#due()].reverse()
    this.#slice()
  }

  #slice(): void {
    this.#immediate = null
    const endMs = performance.now() + STATE_SLICE_MS
    while (performance.now() < endMs) {
      const name = this.#left.pop()
      if (name === undefined) return
      this.#work(name)
    }
    if (this.#left.length > 0) this.#immediate = setImmediate(() => this.#slice())
  }
}
