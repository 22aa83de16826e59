/** The server's own frames, which no event brings: specification "Events", contract section 4. */

import type { LiveErrorCode } from '../errors.ts'
import type { FollowedWords } from '../live-frames.ts'
import {
  type LiveRefusal,
  type LiveRequest,
  MAX_CONNECTION_MINTS,
  MAX_CONNECTION_WALLETS,
} from './live-messages.ts'

export const PING_FRAME = '{"type":"ping"}'
export const PONG_FRAME = '{"type":"pong"}'

/** The acknowledgement of one message: it names what the message named. */
export function acknowledgement(
  request: Extract<LiveRequest, { kind: 'trades' | 'broadcast' }>,
): string {
  const type = request.action === 'subscribe' ? 'subscribed' : 'unsubscribed'
  if (request.kind === 'broadcast') return JSON.stringify({ type, event: request.event })
  const event = 'update_mint_info'
  if (request.many) return JSON.stringify({ type, event, mints: request.mints })
  return JSON.stringify({ type, event, mint: request.mints[0] })
}

/** An error frame; the connection stays. `ended` is what it followed until now: it answers no message. */
export function liveErrorFrame(
  code: LiveErrorCode,
  message: string,
  ended: FollowedWords = {},
): string {
  return JSON.stringify({ type: 'error', code, message, ...ended })
}

/** The refusal of a message that would pass the connection's limit of mints. */
export function tooManyMints(asked: number): string {
  const message = `The connection would follow ${asked} mints, at most ${MAX_CONNECTION_MINTS} are allowed.`
  return liveErrorFrame('too_many_mints', message)
}

/** The refusal of a message that would pass the connection's limit of wallets. */
export function tooManyWallets(asked: number): string {
  const message = `The connection would follow ${asked} wallets, at most ${MAX_CONNECTION_WALLETS} are allowed.`
  return liveErrorFrame('too_many_wallets', message)
}

/** The answer while the state is being recovered: what is joined now would miss the rest of it. */
export const STARTING: LiveRefusal = {
  kind: 'refused',
  code: 'starting',
  message: 'The state before the last stop is being recovered: try again in a second.',
}
export const STARTING_FRAME = liveErrorFrame(STARTING.code, STARTING.message)
