import { TapeDamage } from '../../engine/tape.ts'
import {
  type FollowedWords,
  type ResyncReason,
  resyncFrame,
  type StreamChannel,
  streamWords,
} from '../../wire/live-frames.ts'
import type { LiveStreams } from '../../wire/streams.ts'
import {
  CATCH_UP_FRAMES,
  CATCH_UP_RETRY_MS,
  CATCH_UP_SLICE_MS,
  MAX_CATCH_UPS,
  MAX_REPLAYED,
} from '../limits.ts'
import { slice } from '../route.ts'
import { hasMuchUnread, type LiveConnection, type Send } from './connection.ts'

/** A connection on its way to where a stream is now. */
export interface CatchUp {
  readonly connection: LiveConnection
  readonly channel: StreamChannel
  readonly key: string
  readonly topic: string
  /** Seq of the last message it has; null: it begins with a snapshot. */
  after: number | null
  /** A snapshot follows when the missed messages cannot be had. */
  readonly orSnapshot: boolean
}

export interface CatchUpActions {
  readonly send: Send
  readonly sendSnapshot: Send
  /** It has everything: the next message is a live one. */
  join(connection: LiveConnection, topic: string): void
  /** It is told nothing more. */
  giveUp(connection: LiveConnection, topic: string): void
  /** It could not be served, for this exception: it is told so, and what of its has ended. */
  failed(connection: LiveConnection, error: unknown, ended: FollowedWords): void
}

/**
 * Sends snapshots and missed messages in slices, so that no reader waits for another's replay, and
 * only as fast as the client reads. A stream is joined in the same turn in which its last missed
 * message was sent: nothing can come between.
 */
export class CatchUps {
  readonly #streams: LiveStreams
  readonly #actions: CatchUpActions
  #waiting: CatchUp[] = []
  readonly #current = new Map<LiveConnection, Map<string, CatchUp>>()
  #immediate: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(streams: LiveStreams, actions: CatchUpActions) {
    this.#streams = streams
    this.#actions = actions
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Is there room for so many more? */
  hasRoomFor(count: number): boolean {
    return this.#waiting.length + count <= MAX_CATCH_UPS
  }

  /** Replaces one of the same topic. `run` begins it. */
  add(catchUp: CatchUp): void {
    const { connection, topic } = catchUp
    const ofConnection = this.#current.get(connection) ?? new Map<string, CatchUp>()
    this.#current.set(connection, ofConnection)
    ofConnection.set(topic, catchUp)
    this.#waiting.push(catchUp)
  }

  cancel(connection: LiveConnection, topic: string): void {
    this.#current.get(connection)?.delete(topic)
  }

  drop(connection: LiveConnection): void {
    this.#current.delete(connection)
  }

  stop(): void {
    if (this.#immediate !== null) clearImmediate(this.#immediate)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#waiting = []
    this.#current.clear()
  }

  /** Works for one slice and comes back as long as there is something to do. */
  run(): void {
    const endMs = performance.now() + CATCH_UP_SLICE_MS
    const held: CatchUp[] = []
    let next = 0
    for (; next < this.#waiting.length && performance.now() < endMs; next++) {
      const catchUp = this.#waiting[next]
      if (!this.#isCurrent(catchUp)) continue
      if (hasMuchUnread(catchUp.connection)) held.push(catchUp)
      else if (this.#stepOrFail(catchUp)) this.cancel(catchUp.connection, catchUp.topic)
      else this.#waiting.push(catchUp)
    }
    const ready = this.#waiting.slice(next)
    this.#waiting = [...ready, ...held]
    if (ready.length > 0) this.#immediate ??= setImmediate(() => this.#resume())
    else if (held.length > 0) this.#timer ??= setTimeout(() => this.#resume(), CATCH_UP_RETRY_MS)
  }

  #resume(): void {
    this.#immediate = null
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.run()
  }

  #isCurrent(catchUp: CatchUp): boolean {
    const { connection, topic } = catchUp
    return !connection.isClosed && this.#current.get(connection)?.get(topic) === catchUp
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
    const { connection, channel, key, topic, after } = catchUp
    const source = this.#streams.sources[channel]
    if (after === null) {
      if (!source.hasFoundSnapshot(key, slice())) return false
      this.#actions.sendSnapshot(connection, source.snapshot(key))
      this.#actions.join(connection, topic)
      return true
    }
    if (source.head(key) - after > MAX_REPLAYED[channel]) return this.#fail(catchUp, 'backlog')
    const frames = source.since(key, after, CATCH_UP_FRAMES)
    if (typeof frames === 'string') return this.#fail(catchUp, frames)
    for (const frame of frames) this.#actions.send(connection, frame)
    catchUp.after = after + frames.length
    if (catchUp.after < source.head(key)) return false
    this.#actions.join(connection, topic)
    return true
  }

  #fail(catchUp: CatchUp, reason: ResyncReason): boolean {
    const { connection, channel, key, topic, after } = catchUp
    const seq = this.#streams.sources[channel].head(key)
    const epoch = this.#streams.epoch()
    const frame = resyncFrame({ channel, key, reason, fromSeq: after, seq, epoch })
    this.#actions.send(connection, frame)
    if (!catchUp.orSnapshot) {
      this.#actions.giveUp(connection, topic)
      return true
    }
    catchUp.after = null
    return false
  }
}
