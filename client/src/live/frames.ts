import { type Problem, problem } from '../problem.ts'
import { isCount, isObject, isText, jsonOf } from '../shape.ts'

export const CHANNELS = [
  'update_mint_info',
  'mint_migration',
  'new_launched_pool',
  'wallet_trades',
  'all_trades',
  'alerts',
  'meme_tables',
  'trending',
  'candles',
] as const
export type Channel = (typeof CHANNELS)[number]

/** Channels of lists that the service names (`table`): equal requests have one list. */
export type TableChannel = 'meme_tables' | 'trending'

export function isTableChannel(channel: Channel): channel is TableChannel {
  return channel === 'meme_tables' || channel === 'trending'
}

/** Does the channel show a state, whose `seq` is a position? */
export function isStateChannel(channel: Channel): boolean {
  return isTableChannel(channel) || channel === 'candles'
}

/** Characters of a frame at most: several times the largest one, a table of 600 rows. */
const FRAME_CHARACTERS_MAX = 16 * 1024 * 1024

export interface Acknowledgement {
  readonly kind: 'acknowledged'
  readonly action: 'subscribe' | 'unsubscribe'
  readonly channel: Channel
  /** By mint or wallet when the request named several. */
  readonly seqs: Readonly<Record<string, unknown>> | null
  readonly seq: number | null
  readonly epoch: string | null
  readonly table: string | null
}

export interface Resync {
  readonly kind: 'resync'
  readonly channel: Channel
  readonly key: string
  readonly reason: string
  readonly message: string
  readonly seq: number
  /** Of the service now; null where an old one does not say so. */
  readonly epoch: string | null
}

/** What was followed has ended: the service cannot go on with it. */
export interface Ended {
  readonly kind: 'ended'
  readonly channel: Channel
  readonly key: string
  readonly problem: Problem
}

/** A frame of a channel; `data` is checked by who follows it. */
export interface ChannelFrame {
  readonly kind: 'event' | 'snapshot' | 'delta'
  readonly channel: Channel
  /** Mint, wallet, table, or mint and resolution; "" for channels without. */
  readonly key: string
  readonly seq: number
  readonly epoch: string
  /** The whole frame. */
  readonly fields: Readonly<Record<string, unknown>>
}

export type Frame =
  | { readonly kind: 'ping' | 'pong' | 'unknown' }
  /** The answer to a request. */
  | { readonly kind: 'error'; readonly problem: Problem }
  | { readonly kind: 'unreadable'; readonly problem: Problem }
  | Ended
  | Acknowledgement
  | Resync
  | ChannelFrame

/** Reads what came on a socket, whatever it is. Never throws. */
export function parseFrame(data: unknown): Frame {
  if (!isText(data)) return unreadable('invalid_frame', 'A frame came that is not text.')
  if (data.length > FRAME_CHARACTERS_MAX)
    return unreadable('frame_too_large', `A frame came with ${data.length} characters.`)
  const fields = jsonOf(data)
  if (fields === undefined) return unreadable('invalid_frame', 'A frame came that is not JSON.')
  if (!isObject(fields)) return unreadable('invalid_frame', 'A frame came that is no object.')
  return fields.channel === undefined ? systemFrame(fields) : channelFrame(fields)
}

/** The name under which candles are followed. */
export function candlesKey(mint: string, resolution: string): string {
  return `${resolution}/${mint}`
}

type Fields = Readonly<Record<string, unknown>>

function systemFrame(fields: Fields): Frame {
  switch (fields.type) {
    case 'ping':
    case 'pong':
      return { kind: fields.type }
    case 'subscribed':
    case 'unsubscribed':
      return acknowledgement(fields)
    case 'resync':
      return resync(fields)
    case 'error':
      return error(fields)
    default:
      return { kind: 'unknown' }
  }
}

/** One that names what was followed answers nothing, but says that it has ended. */
function error(fields: Fields): Frame {
  const code = isText(fields.code) ? fields.code : 'unknown'
  const message = isText(fields.message) ? fields.message : 'The service gave no sentence.'
  const what = problem(code, message)
  if (fields.event === undefined) return { kind: 'error', problem: what }
  const channel = channelOf(fields.event)
  if (channel === null) return { kind: 'unknown' }
  const key = keyOf(channel, fields, fields)
  if (key === null) return unreadable('invalid_frame', `${channel} has ended without a key.`)
  return { kind: 'ended', channel, key, problem: what }
}

function acknowledgement(fields: Fields): Frame {
  const channel = channelOf(fields.event)
  if (channel === null) return { kind: 'unknown' }
  return {
    kind: 'acknowledged',
    action: fields.type === 'subscribed' ? 'subscribe' : 'unsubscribe',
    channel,
    seqs: isObject(fields.seqs) ? fields.seqs : null,
    seq: isCount(fields.seq) ? fields.seq : null,
    epoch: isText(fields.epoch) ? fields.epoch : null,
    table: isText(fields.table) ? fields.table : null,
  }
}

function resync(fields: Fields): Frame {
  const { reason, seq } = fields
  const channel = channelOf(fields.event)
  if (channel === null) return { kind: 'unknown' }
  const key = keyOf(channel, fields, fields)
  if (key === null || !isText(reason) || !isCount(seq))
    return unreadable('invalid_frame', 'A resync came without key, reason or seq.')
  const message = isText(fields.message) ? fields.message : ''
  const epoch = isText(fields.epoch) ? fields.epoch : null
  return { kind: 'resync', channel, key, reason, message, seq, epoch }
}

function channelFrame(fields: Fields): Frame {
  const channel = channelOf(fields.channel)
  if (channel === null) return { kind: 'unknown' }
  const { type, seq, epoch, data } = fields
  const kind = type === undefined ? 'event' : type
  if (kind !== 'event' && kind !== 'snapshot' && kind !== 'delta') return { kind: 'unknown' }
  const key = keyOf(channel, fields, kind === 'event' && isObject(data) ? data : fields)
  if (key === null || !isCount(seq) || !isText(epoch))
    return unreadable('invalid_frame', `A frame of ${channel} came without key, seq or epoch.`)
  return { kind, channel, key, seq, epoch, fields }
}

/** What a frame belongs to; null when it does not say so. `told` holds the mint of a trade. */
function keyOf(channel: Channel, fields: Fields, told: Fields): string | null {
  switch (channel) {
    case 'update_mint_info':
      return isText(told.mint) ? told.mint : null
    case 'wallet_trades':
      return isText(fields.wallet) ? fields.wallet : null
    case 'meme_tables':
    case 'trending':
      return isText(fields.table) ? fields.table : null
    case 'candles':
      return isText(fields.mint) && isText(fields.resolution)
        ? candlesKey(fields.mint, fields.resolution)
        : null
    default:
      return ''
  }
}

function channelOf(name: unknown): Channel | null {
  return CHANNELS.find((channel) => channel === name) ?? null
}

function unreadable(code: string, message: string): Frame {
  return { kind: 'unreadable', problem: problem(code, message) }
}
