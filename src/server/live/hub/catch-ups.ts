import { Budget, UNFINISHED, within } from '../../../base/budget.ts'
import { TapeDamage } from '../../../base/errors.ts'
import { type LiveStreams, RECENT_ARRIVALS_MAX } from '../../../protocol/queries.ts'
import {
  type FollowedWords,
  type MessageForm,
  type ResyncReason,
  resyncFrame,
  type StreamChannel,
  streamWords,
} from '../../../protocol/wire.ts'
import { ROUTE_SLICE_MS } from '../../load/loop-scheduler.ts'
import { hasMuchUnread, type LiveConnection, type Send } from '../connection/connection.ts'

/**
 * Missed messages of one stream that a resume brings at most; past it the client starts anew. Those
 * of wallets and of all mints together are no more than the newest arrivals that are remembered.
 */
export const MAX_REPLAYED: { readonly [C in StreamChannel]: number } = {
  update_mint_info: 10_000,
  mint_migration: 10_000,
  new_launched_pool: 10_000,
  wallet_trades: RECENT_ARRIVALS_MAX,
  all_trades: RECENT_ARRIVALS_MAX,
  alerts: 10_000,
}

/**
 * Streams that are being brought up to now, of all connections whose clients read; further ones are
 * `busy`. Those of one that does not read wait aside, at most as many as it may follow.
 */
const MAX_CATCH_UPS = 50_000

/** Missed messages sent in one go at most; about a quarter of a MiB of trades. */
const CATCH_UP_FRAMES = 200

/** Replays hold the loop for this long at a time. */
export const CATCH_UP_SLICE_MS = 2

/** A client that reads slowly is looked at again after this time, should nothing tell that it has read. */
const CATCH_UP_RETRY_MS = 1000

/** A connection that catches up with the head of a stream. */
interface CatchUp {
  readonly connection: LiveConnection
  readonly channel: StreamChannel
  readonly key: string
  readonly topic: string
  readonly form: MessageForm
  /** Seq of the last message that it has; null: it begins with a snapshot. */
  after: number | null
  /** If the missed messages are not available, it gets a snapshot instead. */
  readonly orSnapshot: boolean
}

interface CatchUpActions {
  readonly send: Send
  readonly sendSnapshot: Send
  /** The connection has every message: the next one is live. */
  join(connection: LiveConnection, topic: string, form: MessageForm): void
  /** The connection gets no more messages of this topic. */
  giveUp(connection: LiveConnection, topic: string): void
  /** An exception ended this stream of the connection. */
  failed(connection: LiveConnection, error: unknown, ended: FollowedWords): void
}

/**
 * Sends snapshots and missed messages in slices, so that no reader waits for another's replay, and
 * only as fast as the client reads. The connection joins the stream in the turn in which its last missed
 * message was sent, so that no message comes in between.
 */
export class CatchUps {
  readonly #streams: LiveStreams
  readonly #actions: CatchUpActions
  /** In the order of work; without those of held connections. */
  readonly #waiting = new Set<CatchUp>()
  readonly #current = new Map<LiveConnection, Map<string, CatchUp>>()
  /** Connections that wait until their clients have read on. */
  readonly #held = new Set<LiveConnection>()
  #immediate: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(streams: LiveStreams, actions: CatchUpActions) {
    this.#streams = streams
    this.#actions = actions
  }

  get size(): number {
    let held = 0
    for (const connection of this.#held) held += this.#current.get(connection)?.size ?? 0
    return this.#waiting.size + held
  }

  /** Is there room for `count` more? Held connections do not count. */
  hasRoomFor(count: number): boolean {
    return this.#waiting.size + count <= MAX_CATCH_UPS
  }

  /** Replaces one of the same topic. `run` begins it. */
  add(catchUp: CatchUp): void {
    const { connection, topic } = catchUp
    this.cancel(connection, topic)
    const ofConnection = this.#current.get(connection) ?? new Map<string, CatchUp>()
    this.#current.set(connection, ofConnection)
    ofConnection.set(topic, catchUp)
    if (!this.#held.has(connection)) this.#waiting.add(catchUp)
  }

  cancel(connection: LiveConnection, topic: string): void {
    const ofConnection = this.#current.get(connection)
    const catchUp = ofConnection?.get(topic)
    if (catchUp === undefined) return
    ofConnection?.delete(topic)
    this.#waiting.delete(catchUp)
  }

  drop(connection: LiveConnection): void {
    for (const catchUp of this.#current.get(connection)?.values() ?? [])
      this.#waiting.delete(catchUp)
    this.#current.delete(connection)
    this.#held.delete(connection)
  }

  /** The client has read some bytes; resumes when few enough are unread. */
  drained(connection: LiveConnection): void {
    if (!this.#held.has(connection) || hasMuchUnread(connection)) return
    this.#held.delete(connection)
    for (const catchUp of this.#current.get(connection)?.values() ?? []) this.#waiting.add(catchUp)
    this.#immediate ??= setImmediate(() => this.#resume())
  }

  stop(): void {
    if (this.#immediate !== null) clearImmediate(this.#immediate)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#waiting.clear()
    this.#current.clear()
    this.#held.clear()
  }

  /** Works for one slice and comes back as long as there is something to do. */
  run(): void {
    const endMs = performance.now() + CATCH_UP_SLICE_MS
    for (const catchUp of this.#waiting) {
      if (performance.now() >= endMs) break
      this.#waiting.delete(catchUp)
      const { connection, topic } = catchUp
      if (connection.isClosed) continue
      if (this.#held.has(connection) || hasMuchUnread(connection)) this.#held.add(connection)
      else if (this.#stepOrFail(catchUp)) this.cancel(connection, topic)
      else this.#waiting.add(catchUp)
    }
    if (this.#waiting.size > 0) this.#immediate ??= setImmediate(() => this.#resume())
    this.#lookLater()
  }

  #resume(): void {
    this.#immediate = null
    this.run()
  }

  /** Calls `drained` for all held connections from time to time, in case uWebSockets.js did not. */
  #lookLater(): void {
    if (this.#held.size === 0) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      for (const connection of this.#held) this.drained(connection)
      this.#lookLater()
    }, CATCH_UP_RETRY_MS)
  }

  #stepOrFail(catchUp: CatchUp): boolean {
    try {
      return this.#step(catchUp)
    } catch (error) {
      const { connection, channel, key, topic, after } = catchUp
      if (error instanceof TapeDamage && after !== null)
        return this.#fail(catchUp, 'history_unreadable')
      this.#actions.failed(connection, error, streamWords(channel, key))
      this.#actions.giveUp(connection, topic)
      return true
    }
  }

  /** Sends some of it; true when nothing is left to do. */
  #step(catchUp: CatchUp): boolean {
    const { connection, channel, key, topic, form, after } = catchUp
    const source = this.#streams.sources[channel]
    if (after === null) {
      const snapshot = within(Budget.ofMs(ROUTE_SLICE_MS), (budget) =>
        source.snapshot(key, form === 'extra', budget),
      )
      if (snapshot === UNFINISHED) return false
      this.#actions.sendSnapshot(connection, snapshot)
      this.#actions.join(connection, topic, form)
      return true
    }
    if (source.head(key) - after > MAX_REPLAYED[channel]) return this.#fail(catchUp, 'backlog')
    const frames = source.since(key, after, CATCH_UP_FRAMES, form === 'extra')
    if (typeof frames === 'string') return this.#fail(catchUp, frames)
    let sent = 0
    for (const frame of frames) {
      // A launch has as many bytes as dozens of trades: the others wait until the client has read it.
      if (hasMuchUnread(connection)) break
      this.#actions.send(connection, frame)
      sent += 1
    }
    catchUp.after = after + sent
    if (catchUp.after < source.head(key)) return false
    this.#actions.join(connection, topic, form)
    return true
  }

  #fail(catchUp: CatchUp, reason: ResyncReason): boolean {
    const { connection, channel, key, topic, after } = catchUp
    const seq = this.#streams.sources[channel].head(key)
    const epoch = this.#streams.epoch()
    this.#actions.send(connection, resyncFrame({ channel, key, seq, epoch }, reason, after))
    if (!catchUp.orSnapshot) {
      this.#actions.giveUp(connection, topic)
      return true
    }
    catchUp.after = null
    return false
  }
}
