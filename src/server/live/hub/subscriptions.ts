import { TapeDamage } from '../../../base/errors.ts'
import type { StreamRequest } from '../../../protocol/live/live-messages.ts'
import type { LiveStreams } from '../../../protocol/queries.ts'
import {
  type EventChannel,
  KEY_NAMES,
  liveErrorFrame,
  type ResyncReason,
  resyncFrame,
  type StreamChannel,
} from '../../../protocol/wire.ts'
import { hasMuchUnread, type LiveConnection, type Send } from '../connection/connection.ts'
import { CATCH_UP_SLICE_MS, type CatchUps, MAX_REPLAYED } from './catch-ups.ts'
import type { LastTables } from './last-tables.ts'
import type { Topics } from './topics.ts'

/** Mints and wallets of one connection at most, over all of its messages (contract section 4). */
export const MAX_CONNECTION_KEYS = { mint: 1000, wallet: 1000 } as const

/** Missed messages of all mints of one subscription at most: a message asks for bounded work. */
const MAX_REPLAYED_TOGETHER = 50_000

interface SubscriptionParts {
  readonly streams: LiveStreams
  readonly topics: Topics
  readonly catchUps: CatchUps
  readonly lastTables: LastTables
  readonly send: Send
  readonly sendSnapshot: Send
}

/** A subscription to streams that carry a seq of their own. */
type NumberedRequest = StreamRequest & { readonly channel: StreamChannel }

/**
 * Subscribes connections to streams of events and unsubscribes them. A connection follows a stream in one form: a later
 * subscription replaces the one before. Plain ones join at once; numbered ones may get a snapshot or missed messages
 * first.
 */
export class Subscriptions {
  readonly #parts: SubscriptionParts

  constructor(parts: SubscriptionParts) {
    this.#parts = parts
  }

  /** Applies a request and sends its answers; false: much is unread, and it has to be served again later. */
  serve(connection: LiveConnection, request: StreamRequest): boolean {
    const { send } = this.#parts
    const { action, channel, keys, form } = request
    if (action === 'unsubscribe') {
      for (const key of keys) this.#leave(connection, topicOf(channel, key))
      send(connection, acknowledgement('unsubscribed', request))
      return true
    }
    const refusal = this.#refusal(connection, request)
    if (refusal !== null) send(connection, refusal)
    else if (form === 'plain') {
      for (const key of keys) this.#join(connection, request, topicOf(channel, key))
      send(connection, acknowledgement('subscribed', request))
    } else if (hasSeq(request)) this.#followNumbered(connection, request)
    else return this.#followPools(connection, request)
    return true
  }

  #leave(connection: LiveConnection, topic: string): void {
    this.#parts.catchUps.cancel(connection, topic)
    this.#parts.topics.leave(connection, topic)
  }

  #join(connection: LiveConnection, { form }: StreamRequest, topic: string): void {
    this.#leave(connection, topic)
    this.#parts.topics.join(connection, topic, form)
  }

  /** The frame that refuses a whole request, or null. */
  #refusal(connection: LiveConnection, request: StreamRequest): string | null {
    const { channel, keys, form } = request
    if (channel === 'all_trades' && !connection.isLocal)
      return liveErrorFrame('not_local', 'all_trades is for connections from this machine alone.')
    const isReplayed = form !== 'plain' && hasSeq(request)
    if (isReplayed && !this.#parts.catchUps.hasRoomFor(keys.length))
      return liveErrorFrame('busy', 'Too many streams are being replayed: try again in a second.')
    const name = KEY_NAMES[channel]
    if (name === null) return null
    const { topics } = connection
    const added = keys.filter((key) => !topics.has(topicOf(channel, key)))
    const asked = topics.countOf(channel) + added.length
    const max = MAX_CONNECTION_KEYS[name]
    if (asked <= max) return null
    const message = `The connection would follow ${asked} ${name}s, at most ${max} are allowed.`
    return liveErrorFrame(`too_many_${name}s`, message)
  }

  /** The trades of the last table of a connection's id, with their numbers. */
  #followPools(connection: LiveConnection, request: StreamRequest): boolean {
    const { streams, lastTables, send, sendSnapshot } = this.#parts
    const { channel, form, wantsSnapshot } = request
    if (wantsSnapshot && hasMuchUnread(connection)) return false
    this.#join(connection, request, topicOf(channel, ''))
    send(
      connection,
      acknowledgement('subscribed', request, { seqs: new Map(), epoch: streams.epoch() }),
    )
    if (!wantsSnapshot) return true
    const mints = [...lastTables.mintsOf(connection.id)]
    sendSnapshot(connection, streams.poolsSnapshot(mints, form === 'extra'))
    return true
  }

  #followNumbered(connection: LiveConnection, request: NumberedRequest): void {
    const { streams, catchUps, send } = this.#parts
    const { channel, keys } = request
    const isTooMuch =
      channel === 'update_mint_info' && this.#missed(request) > MAX_REPLAYED_TOGETHER
    const seqs = new Map<string, number>()
    const endMs = performance.now() + CATCH_UP_SLICE_MS
    for (const key of keys) {
      const reason =
        this.#farResync(request, key, isTooMuch) ??
        // Each of hundreds of keys may have its trades on the disk: the others are checked when they are sent.
        (performance.now() < endMs ? this.#lostResync(request, key) : null)
      const seq = this.#begin(connection, request, key, reason)
      if (seq !== null) seqs.set(key, seq)
    }
    if (seqs.size > 0)
      send(connection, acknowledgement('subscribed', request, { seqs, epoch: streams.epoch() }))
    catchUps.run()
  }

  /**
   * Begins one stream; the seq before its next message, or null when the client has to resynchronise
   * and follows nothing.
   */
  #begin(
    connection: LiveConnection,
    request: NumberedRequest,
    key: string,
    reason: ResyncReason | null,
  ): number | null {
    const { streams, catchUps, send } = this.#parts
    const { channel, form, wantsSnapshot: orSnapshot } = request
    const topic = topicOf(channel, key)
    this.#leave(connection, topic)
    const seq = streams.sources[channel].head(key)
    const from = request.from.get(key) ?? null
    if (reason !== null) {
      const epoch = streams.epoch()
      send(connection, resyncFrame({ channel, key, seq, epoch }, reason, from))
      if (!orSnapshot) return null
    }
    const after = reason === null ? from : null
    if (after === null && !orSnapshot) this.#join(connection, request, topic)
    else {
      connection.topics.add(topic)
      catchUps.add({ connection, channel, key, topic, form, after, orSnapshot })
    }
    return after ?? seq
  }

  /** Why a stream cannot be resumed, as far as its numbers say; or null. */
  #farResync(request: NumberedRequest, key: string, isTooMuch: boolean): ResyncReason | null {
    const { streams } = this.#parts
    const from = request.from.get(key)
    if (from === undefined) return null
    if (request.epoch !== null && request.epoch !== streams.epoch()) return 'epoch_changed'
    const head = streams.sources[request.channel].head(key)
    if (from > head) return 'seq_ahead'
    return isTooMuch || head - from > MAX_REPLAYED[request.channel] ? 'too_old' : null
  }

  /** Why the missed messages are not available; or null. */
  #lostResync({ channel, from }: NumberedRequest, key: string): ResyncReason | null {
    const after = from.get(key)
    if (after === undefined) return null
    try {
      const frames = this.#parts.streams.sources[channel].since(key, after, 0)
      return typeof frames === 'string' ? frames : null
    } catch (error) {
      // The other keys of the message may have theirs in memory.
      if (error instanceof TapeDamage) return 'history_unreadable'
      throw error
    }
  }

  /** Messages that a request of several mints would replay; a mint that missed too many by itself replays none. */
  #missed({ channel, from }: NumberedRequest): number {
    let missed = 0
    for (const [key, seq] of from) {
      const ofKey = this.#parts.streams.sources[channel].head(key) - seq
      if (ofKey > 0 && ofKey <= MAX_REPLAYED[channel]) missed += ofKey
    }
    return missed
  }
}

function hasSeq(request: StreamRequest): request is NumberedRequest {
  return request.channel !== 'update_pools_info'
}

function topicOf(channel: EventChannel, key: string): string {
  return `${channel}/${key}`
}

/**
 * The acknowledgement of one message. Numbered streams have the seq before the next message of each key, where the
 * channel has one, and the epoch; keys without a seq are not followed.
 */
function acknowledgement(
  type: 'subscribed' | 'unsubscribed',
  { channel, keys, many }: StreamRequest,
  numbers?: { readonly seqs: ReadonlyMap<string, number>; readonly epoch: string },
): string {
  const name = KEY_NAMES[channel]
  const followed = numbers === undefined ? keys : [...numbers.seqs.keys()]
  const named = name === null ? {} : many ? { [`${name}s`]: followed } : { [name]: followed[0] }
  const about = { type, event: channel, ...named }
  if (numbers === undefined) return JSON.stringify(about)
  const { seqs, epoch } = numbers
  const [seq] = seqs.values()
  const isList = name !== null && many
  return JSON.stringify({
    ...about,
    ...(isList ? { seqs: Object.fromEntries(seqs) } : { seq }),
    epoch,
  })
}
