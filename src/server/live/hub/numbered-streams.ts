import { TapeDamage } from '../../../base/errors.ts'
import {
  MAX_CONNECTION_MINTS,
  MAX_CONNECTION_WALLETS,
  type StreamRequest,
} from '../../../protocol/live/live-messages.ts'
import {
  liveErrorFrame,
  tooManyMints,
  tooManyWallets,
} from '../../../protocol/live/live-notices.ts'
import {
  type AnnouncedChannel,
  KEY_NAMES,
  numbered,
  type ResyncReason,
  renamed,
  resyncFrame,
  type StreamChannel,
  walletKey,
  withExtras,
} from '../../../protocol/live-frames.ts'
import type { LiveStreams, TradeInfo } from '../../../protocol/streams.ts'
import { CATCH_UP_SLICE_MS, MAX_REPLAYED, MAX_REPLAYED_TOGETHER } from '../../load/limits.ts'
import type { LiveConnection, Send } from '../connection/connection.ts'
import type { CatchUps } from './catch-ups.ts'
import type { Topics } from './topics.ts'

/** What topics begin with, up to the slash; `extra`: those of messages with additive keys. */
function topicChannel(channel: StreamChannel, extra: boolean): string {
  return extra ? `${channel}+extra` : channel
}
const OF_WALLETS = [topicChannel('wallet_trades', false), topicChannel('wallet_trades', true)]

/** Topic of a numbered stream. */
function streamTopic(channel: StreamChannel, key: string, extra = false): string {
  return `${topicChannel(channel, extra)}/${key}`
}

const NO_MINTS: ReadonlySet<string> = new Set()

interface NumberedParts {
  readonly streams: LiveStreams
  readonly topics: Topics
  readonly catchUps: CatchUps
  readonly send: Send
  /** A subscription is about to begin. */
  readonly accepted: (connection: LiveConnection, request: StreamRequest) => void
}

/** The channels whose messages carry a seq: who follows them, from where, and what they are told. */
export class NumberedStreams {
  readonly #streams: LiveStreams
  readonly #topics: Topics
  readonly #catchUps: CatchUps
  readonly #send: NumberedParts['send']
  readonly #accepted: NumberedParts['accepted']

  constructor({ streams, topics, catchUps, send, accepted }: NumberedParts) {
    this.#streams = streams
    this.#topics = topics
    this.#catchUps = catchUps
    this.#send = send
    this.#accepted = accepted
  }

  /** Applies a request; sends its answers. */
  serve(connection: LiveConnection, request: StreamRequest): void {
    const { action, channel, keys } = request
    if (action === 'unsubscribe') {
      for (const key of keys) this.leave(connection, channel, key)
      this.#send(connection, unsubscribedFrame(request))
      return
    }
    const refusal = this.#refusal(connection, request)
    if (refusal !== null) {
      this.#send(connection, refusal)
      return
    }
    this.#accepted(connection, request)
    const isTooMuch =
      channel === 'update_mint_info' && this.#missed(request) > MAX_REPLAYED_TOGETHER
    const seqs = new Map<string, number>()
    const endMs = performance.now() + CATCH_UP_SLICE_MS
    for (const key of keys) {
      const reason =
        this.#farResync(request, key, isTooMuch) ??
        // Of hundreds of keys each may have its trades on the disk: the others are judged as they are sent.
        (performance.now() < endMs ? this.#lostResync(request, key) : null)
      const seq = this.#begin(connection, request, key, reason)
      if (seq !== null) seqs.set(key, seq)
    }
    if (seqs.size > 0) this.#send(connection, this.#acknowledgement(request, seqs))
    this.#catchUps.run()
  }

  /** Ends one stream of a connection. Idempotent. */
  leave(connection: LiveConnection, channel: StreamChannel, key: string): void {
    for (const extra of [false, true]) {
      const topic = streamTopic(channel, key, extra)
      this.#catchUps.cancel(connection, topic)
      this.#topics.leave(connection, topic)
    }
  }

  /** Is a trade worth encoding for any stream? */
  wantsTrade(mint: string, trade: TradeInfo): boolean {
    if (this.#topics.size === 0) return false
    return (
      this.#isFollowed('all_trades', '') ||
      this.#isFollowed('update_mint_info', mint) ||
      (this.#hasWallets && this.#isFollowed('wallet_trades', trade.wallet))
    )
  }

  /** Tells a trade to the streams it belongs to; `message` is that of `update_mint_info`. */
  publishTrade(mint: string, message: string, trade: TradeInfo): void {
    if (this.#topics.size === 0) return
    const { ordinal } = trade
    const publish = (channel: StreamChannel, key: string, seq: number, text: () => string) => {
      if (!this.#isFollowed(channel, key)) return
      const frame = numbered(text(), { seq, epoch: this.#streams.epoch(), ordinal })
      this.#topics.publish(streamTopic(channel, key), frame)
      const withKeys = streamTopic(channel, key, true)
      if (this.#topics.has(withKeys))
        this.#topics.publish(withKeys, withExtras(frame, trade.extras))
    }
    publish('update_mint_info', mint, trade.seq, () => message)
    publish('all_trades', '', trade.tradeSeq, () => renamed(message, 'all_trades'))
    // The text of a wallet is worth making only when somebody follows one.
    if (!this.#hasWallets) return
    const { wallet } = trade
    publish('wallet_trades', wallet, trade.walletSeq, () =>
      renamed(message, 'wallet_trades', walletKey(wallet)),
    )
  }

  /** Does anybody follow it, with additive keys or without? */
  #isFollowed(channel: StreamChannel, key: string): boolean {
    return (
      this.#topics.has(streamTopic(channel, key)) ||
      this.#topics.has(streamTopic(channel, key, true))
    )
  }

  get #hasWallets(): boolean {
    return OF_WALLETS.some((channel) => this.#topics.hasAny(channel))
  }

  /** A trade of a table as `update_pools_info` with its number. */
  poolTrade(message: string, { seq, ordinal }: TradeInfo): string {
    return numbered(message, { seq, epoch: this.#streams.epoch(), ordinal })
  }

  /** Is anybody to be told of a launch or migration? */
  wants(channel: AnnouncedChannel): boolean {
    return this.#topics.has(streamTopic(channel, ''))
  }

  publish(channel: AnnouncedChannel, message: string): void {
    const topic = streamTopic(channel, '')
    if (!this.#topics.has(topic)) return
    const seq = this.#streams.sources[channel].head('')
    const epoch = this.#streams.epoch()
    this.#topics.publish(topic, numbered(message, { seq, epoch, ordinal: null }))
  }

  /** The frame that refuses a whole request, or null. */
  #refusal(connection: LiveConnection, { channel, keys }: StreamRequest): string | null {
    if (channel === 'all_trades' && !connection.isLocal)
      return liveErrorFrame('not_local', 'all_trades is for connections from this machine alone.')
    if (!this.#catchUps.hasRoomFor(keys.length))
      return liveErrorFrame('busy', 'Too many streams are being replayed: try again in a second.')
    const name = KEY_NAMES[channel]
    if (name === null) return null
    const asked = followedWith(connection, channel, keys)
    if (name === 'mint' && asked > MAX_CONNECTION_MINTS) return tooManyMints(asked)
    if (name === 'wallet' && asked > MAX_CONNECTION_WALLETS) return tooManyWallets(asked)
    return null
  }

  /**
   * Begins one stream; the seq before its next message, or null when it was told to resynchronise
   * and follows nothing.
   */
  #begin(
    connection: LiveConnection,
    request: StreamRequest,
    key: string,
    reason: ResyncReason | null,
  ): number | null {
    const { channel, extra, wantsSnapshot: orSnapshot } = request
    const topic = streamTopic(channel, key, extra)
    this.leave(connection, channel, key)
    const seq = this.#streams.sources[channel].head(key)
    const from = request.from.get(key) ?? null
    if (reason !== null) {
      const epoch = this.#streams.epoch()
      this.#send(connection, resyncFrame({ channel, key, reason, fromSeq: from, seq, epoch }))
      if (!orSnapshot) return null
    }
    const after = reason === null ? from : null
    if (after === null && !orSnapshot) this.#topics.join(connection, topic)
    else {
      connection.topics.add(topic)
      this.#catchUps.add({ connection, channel, key, topic, extra, after, orSnapshot })
    }
    return after ?? seq
  }

  /** Why a stream cannot go on from where the client stopped, as its numbers alone say; or null. */
  #farResync(request: StreamRequest, key: string, isTooMuch: boolean): ResyncReason | null {
    const from = request.from.get(key)
    if (from === undefined) return null
    if (request.epoch !== null && request.epoch !== this.#streams.epoch()) return 'epoch_changed'
    const head = this.#streams.sources[request.channel].head(key)
    if (from > head) return 'seq_ahead'
    return isTooMuch || head - from > MAX_REPLAYED[request.channel] ? 'too_old' : null
  }

  /** Why what was missed cannot be had; or null. */
  #lostResync({ channel, from }: StreamRequest, key: string): ResyncReason | null {
    const after = from.get(key)
    if (after === undefined) return null
    try {
      const frames = this.#streams.sources[channel].since(key, after, 0)
      return typeof frames === 'string' ? frames : null
    } catch (error) {
      // The other keys of the message have theirs in memory, maybe.
      if (error instanceof TapeDamage) return 'history_unreadable'
      throw error
    }
  }

  /** Messages that a request of several mints would replay: none of a mint that missed too many by itself. */
  #missed({ channel, from }: StreamRequest): number {
    let missed = 0
    for (const [key, seq] of from) {
      const ofKey = this.#streams.sources[channel].head(key) - seq
      if (ofKey > 0 && ofKey <= MAX_REPLAYED[channel]) missed += ofKey
    }
    return missed
  }

  #acknowledgement({ channel, many }: StreamRequest, seqs: ReadonlyMap<string, number>): string {
    const about = { type: 'subscribed', event: channel }
    const name = KEY_NAMES[channel]
    const epoch = this.#streams.epoch()
    const keys = [...seqs.keys()]
    if (name !== null && many)
      return JSON.stringify({
        ...about,
        [`${name}s`]: keys,
        seqs: Object.fromEntries(seqs),
        epoch,
      })
    const [seq] = seqs.values()
    return JSON.stringify({ ...about, ...(name !== null && { [name]: keys[0] }), seq, epoch })
  }
}

/** How many mints or wallets a connection follows in any way, with these added. */
export function followedWith(
  connection: LiveConnection,
  channel: StreamChannel,
  keys: readonly string[],
): number {
  const plain = channel === 'update_mint_info' ? connection.mints : NO_MINTS
  const { topics } = connection
  let count = plain.size + topics.countOf(channel) + topics.countOf(topicChannel(channel, true))
  for (const key of keys) {
    const isNumbered =
      topics.has(streamTopic(channel, key)) || topics.has(streamTopic(channel, key, true))
    if (!isNumbered && !plain.has(key)) count += 1
  }
  return count
}

function unsubscribedFrame({ channel, keys, many }: StreamRequest): string {
  const name = KEY_NAMES[channel]
  const named = name === null ? {} : many ? { [`${name}s`]: keys } : { [name]: keys[0] }
  return JSON.stringify({ type: 'unsubscribed', event: channel, ...named })
}
