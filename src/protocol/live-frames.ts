/**
 * Every frame that the live feed sends, but those of tables and candles (query/live): specification "Events",
 * contract section 4, docs/live.md. In come rows whose values are JSON text already, out goes the text of a frame.
 * A message of an event channel has one of three forms; a frame with `type` is no event.
 */

import type { LiveErrorCode } from './errors.ts'
import { jsonString } from './json-text.ts'

/** Channels whose messages have a seq of their own (docs/live.md). */
export const STREAM_CHANNELS = [
  'update_mint_info',
  'mint_migration',
  'new_launched_pool',
  'wallet_trades',
  'all_trades',
] as const
export type StreamChannel = (typeof STREAM_CHANNELS)[number]

/** Channels with one message for each token, in a row of their own. */
export type AnnouncedChannel = Extract<StreamChannel, 'mint_migration' | 'new_launched_pool'>

/** Channels with a message for each event; the mints of `update_pools_info` have the numbers of theirs. */
export type EventChannel = StreamChannel | 'update_pools_info'

/** What the messages of a subscription carry: what the specification says, their number too, additive keys as well. */
export const MESSAGE_FORMS = ['plain', 'numbered', 'extra'] as const
export type MessageForm = (typeof MESSAGE_FORMS)[number]

/** Why a stream cannot go on where a client stopped. */
export const RESYNC_REASONS = {
  epoch_changed: 'The epoch is another one: the stream has broken off and all seqs began anew.',
  seq_ahead: 'from_seq lies in the future of the stream: it belongs to another epoch or stream.',
  too_old: 'More was missed than is kept for a replay.',
  order_lost: 'A swap came so late among the missed ones that their order is not known any more.',
  backlog: 'The client reads more slowly than the stream grows.',
  history_unreadable: 'What was missed lies in history that cannot be read now.',
} as const
export type ResyncReason = keyof typeof RESYNC_REASONS

/** One message of an event channel; its texts are made when they are read. */
export interface EventMessage {
  /** JSON text; null: messages of its channel name no pool. */
  readonly pool: string | null
  /** Event ordinal of a swap; null for other messages. */
  readonly ordinal: number | null
  /** JSON text; `extra`: a swap has its additive keys too. */
  data(extra: boolean): string
}

/**
 * The frame of an event, with its number or without; `extra`: with additive keys too; `key` is the wallet
 * of `wallet_trades`.
 */
export function eventFrame(
  channel: EventChannel,
  message: EventMessage,
  number: { readonly seq: number; readonly epoch: string; readonly extra: boolean } | null = null,
  key = '',
): string {
  const wallet = channel === 'wallet_trades' ? `,"wallet":${jsonString(key)}` : ''
  const pool = message.pool === null ? '' : `,"pool":${message.pool}`
  const head = `{"channel":"${channel}"${wallet}${pool}`
  if (number === null) return `${head},"data":${message.data(false)}}`
  const { seq, epoch, extra } = number
  const { ordinal } = message
  const place = ordinal === null ? '' : `,"ordinal":${ordinal}`
  return `${head},"seq":${seq},"epoch":${jsonString(epoch)}${place},"data":${message.data(extra)}}`
}

/** What is followed, in the words of its acknowledgement. */
export type FollowedWords = Readonly<Record<string, string>>

/** How a channel calls its key; null for those without. */
export const KEY_NAMES: { readonly [C in EventChannel]: 'mint' | 'wallet' | null } = {
  update_mint_info: 'mint',
  update_pools_info: null,
  mint_migration: null,
  new_launched_pool: null,
  wallet_trades: 'wallet',
  all_trades: null,
}

/** One stream in the words of its acknowledgement. */
export function streamWords(channel: StreamChannel, key: string): FollowedWords {
  const name = KEY_NAMES[channel]
  return { event: channel, ...(name !== null && { [name]: key }) }
}

/** A live table in the words of its acknowledgement. */
export function tableWords(table: string): FollowedWords {
  return { event: 'meme_tables', table }
}

/** Live candles in the words of their acknowledgement. */
export function candlesWords(mint: string, resolution: string): FollowedWords {
  return { event: 'candles', mint, resolution }
}

interface Resync {
  readonly channel: StreamChannel
  readonly key: string
  readonly reason: ResyncReason
  readonly fromSeq: number | null
  readonly seq: number
  readonly epoch: string
}

/** The frame that says that a stream cannot be resumed. */
export function resyncFrame({ channel, key, reason, fromSeq, seq, epoch }: Resync): string {
  return JSON.stringify({
    type: 'resync',
    ...streamWords(channel, key),
    reason,
    message: RESYNC_REASONS[reason],
    ...(fromSeq !== null && { from_seq: fromSeq }),
    seq,
    epoch,
  })
}

/** A snapshot of an event channel; `data` is JSON text. */
export function snapshotFrame(
  { channel, key, seq, epoch }: Omit<Resync, 'reason' | 'fromSeq'>,
  position: number,
  data: string,
): string {
  const name = KEY_NAMES[channel]
  const named = name === null ? '' : `,"${name}":${jsonString(key)}`
  return (
    `{"channel":"${channel}","type":"snapshot"${named},"seq":${seq}` +
    `,"epoch":${jsonString(epoch)},"position":${position},"data":${data}}`
  )
}

/** What one message of a client named, which its acknowledgement names again. */
interface NamedStreams {
  readonly channel: EventChannel
  readonly keys: readonly string[]
  /** Did the client send a list? */
  readonly many: boolean
}

/** The acknowledgement of one message that asked for no numbers, or ended streams. */
export function acknowledgement(
  type: 'subscribed' | 'unsubscribed',
  { channel, keys, many }: NamedStreams,
): string {
  const name = KEY_NAMES[channel]
  const named = name === null ? {} : many ? { [`${name}s`]: keys } : { [name]: keys[0] }
  return JSON.stringify({ type, event: channel, ...named })
}

/** The acknowledgement of numbered streams: the seq before the next message of each key, where the channel has one. */
export function numberedAcknowledgement(
  { channel, many }: Omit<NamedStreams, 'keys'>,
  seqs: ReadonlyMap<string, number>,
  epoch: string,
): string {
  const about = { type: 'subscribed', event: channel }
  const name = KEY_NAMES[channel]
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

export const PING_FRAME = '{"type":"ping"}'
export const PONG_FRAME = '{"type":"pong"}'

/** An error frame; the connection stays. `ended` is what it followed until now: it answers no message. */
export function liveErrorFrame(
  code: LiveErrorCode,
  message: string,
  ended: FollowedWords = {},
): string {
  return JSON.stringify({ type: 'error', code, message, ...ended })
}
