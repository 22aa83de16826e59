/**
 * Every frame that the live feed sends, but those of tables and candles (query/live): specification "Events",
 * contract section 4, docs/live.md. In come rows whose values are JSON text already, out goes the text of a frame.
 * A message of an event channel has one of three forms; a frame with `type` is no event.
 */

import type { LiveErrorCode } from './errors.ts'

/** Writing JSON text by hand: the same characters as JSON.stringify, without building objects. */

/** Characters that need an escape, or may be lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/

export function jsonString(text: string): string {
  return NEEDS_CARE.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** A finite number; one that is not finite is unknown, and unknown is 0 (contract section 1). */
export function jsonNumber(value: number): string {
  return String(finiteNumber(value))
}

/** `value` as the wire has it: 0 where it is not finite. */
export function finiteNumber(value: number): number {
  return value - value === 0 ? value : 0
}

const SECONDS_CACHED = 4_096
const texts: string[] = new Array(SECONDS_CACHED).fill('')
const seconds = new Float64Array(SECONDS_CACHED).fill(-1)

/** Unix seconds as "YYYY-MM-DD HH:MM:SS" in UTC. */
export function timeText(unixSeconds: number): string {
  const at = unixSeconds % SECONDS_CACHED
  const cached = texts[at]
  if (seconds[at] === unixSeconds && cached !== undefined) return cached
  const iso = new Date(unixSeconds * 1000).toISOString()
  const text = `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
  seconds[at] = unixSeconds
  texts[at] = text
  return text
}

/** Channels whose messages have a seq of their own (docs/live.md). */
export const STREAM_CHANNELS = [
  'update_mint_info',
  'mint_migration',
  'new_launched_pool',
  'wallet_trades',
  'all_trades',
  'alerts',
] as const
export type StreamChannel = (typeof STREAM_CHANNELS)[number]

/** Channels with one message for each token, in a row of their own. */
export type AnnouncedChannel = Extract<StreamChannel, 'mint_migration' | 'new_launched_pool'>

/** Channels with a message for each event; the mints of `update_pools_info` have the numbers of theirs. */
export type EventChannel = StreamChannel | 'update_pools_info'

/** The keys of a subscription's messages: those of the specification, their number too, additive ones as well. */
export type MessageForm = 'plain' | 'numbered' | 'extra'

/** Why a stream cannot be resumed. */
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

/** The keys that name a topic in its acknowledgement. */
export type FollowedWords = Readonly<Record<string, string>>

/** The name of a channel's key; null for channels without. */
export const KEY_NAMES: { readonly [C in EventChannel]: 'mint' | 'wallet' | null } = {
  update_mint_info: 'mint',
  update_pools_info: null,
  mint_migration: null,
  new_launched_pool: null,
  wallet_trades: 'wallet',
  all_trades: null,
  alerts: null,
}

/** The keys that name a stream in its acknowledgement. */
export function streamWords(channel: StreamChannel, key: string): FollowedWords {
  const name = KEY_NAMES[channel]
  return { event: channel, ...(name !== null && { [name]: key }) }
}

/** The frame that says that a stream cannot be resumed. */
export function resyncFrame(
  {
    channel,
    key,
    seq,
    epoch,
  }: {
    readonly channel: StreamChannel
    readonly key: string
    readonly seq: number
    readonly epoch: string
  },
  reason: ResyncReason,
  fromSeq: number | null,
): string {
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

/** An error frame; the connection stays. `ended` names the topic that it ends; such a frame answers no message. */
export function liveErrorFrame(
  code: LiveErrorCode,
  message: string,
  ended: FollowedWords = {},
): string {
  return JSON.stringify({ type: 'error', code, message, ...ended })
}
