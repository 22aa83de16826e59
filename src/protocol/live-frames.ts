/** Frames of the live streams, made from the messages of the specification's channels. */

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

/** Channels that tell of each token once, to all who follow. */
export type AnnouncedChannel = Extract<StreamChannel, 'mint_migration' | 'new_launched_pool'>

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

/** What the seq of a message is beside: its own number, the epoch, the place in its transaction. */
interface Numbered {
  readonly seq: number
  readonly epoch: string
  /** Event ordinal of a swap; null for other messages. */
  readonly ordinal: number | null
}

/** What is followed, in the words of its acknowledgement. */
export type FollowedWords = Readonly<Record<string, string>>

const DATA = ',"data":'
/** How messages of trades end: with the swap. */
const DATA_END = '}}'
const CHANNEL = '{"channel":"update_mint_info"'

/**
 * The message with its number before `data`. No text before it can hold the key: a quote inside a
 * JSON text is escaped.
 */
export function numbered(message: string, { seq, epoch, ordinal }: Numbered): string {
  const at = message.indexOf(DATA)
  const place = ordinal === null ? '' : `,"ordinal":${ordinal}`
  const number = `,"seq":${seq},"epoch":${jsonString(epoch)}${place}`
  return message.slice(0, at) + number + message.slice(at)
}

/** A message of a trade whose swap has additive keys too (`TradeInfo.extras`). */
export function withExtras(message: string, extras: string): string {
  return `${message.slice(0, -DATA_END.length)}${extras}${DATA_END}`
}

/** A message of `update_mint_info` as one of another channel; `key` stands before its pool. */
export function renamed(message: string, channel: string, key: string = ''): string {
  return `{"channel":"${channel}"${key}${message.slice(CHANNEL.length)}`
}

/** The key of a wallet's trade. */
export function walletKey(wallet: string): string {
  return `,"wallet":${jsonString(wallet)}`
}

/** How a channel calls its key; null for those without. */
export const KEY_NAMES: { readonly [C in StreamChannel]: 'mint' | 'wallet' | null } = {
  update_mint_info: 'mint',
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

/** A refusal of one message. */
export interface FrameError {
  readonly code: LiveErrorCode
  readonly message: string
}
