import {
  type LiveRequest,
  MAX_CONNECTION_MINTS,
  type StreamRequest,
} from '../../../protocol/live/live-messages.ts'
import {
  acknowledgement,
  liveErrorFrame,
  PONG_FRAME,
  tooManyMints,
} from '../../../protocol/live/live-notices.ts'
import type { LiveConnection, Send } from '../connection/connection.ts'
import type { ChannelHub } from './channel-hub.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { TableTrades } from './table-trades.ts'

type PlainRequest = Extract<LiveRequest, { kind: 'trades' | 'broadcast' }>

interface RequestParts {
  readonly subscriptions: Subscriptions
  readonly added: ChannelHub
  readonly tableTrades: TableTrades
  readonly send: Send
}

/** Applies what clients of the live feed ask for, and answers. */
export class Requests {
  readonly #parts: RequestParts

  constructor(parts: RequestParts) {
    this.#parts = parts
  }

  /** False: it is to be served again in a later turn. */
  serve(connection: LiveConnection, request: LiveRequest): boolean {
    const { added, tableTrades, send } = this.#parts
    switch (request.kind) {
      case 'refused':
        send(connection, liveErrorFrame(request.code, request.message))
        break
      case 'ping':
        send(connection, PONG_FRAME)
        break
      case 'pong':
        break
      case 'trades':
      case 'broadcast':
        send(connection, this.#apply(connection, request))
        break
      case 'pools':
        return tableTrades.follow(connection, request)
      default:
        return added.serve(connection, request)
    }
    return true
  }

  /** Changes the subscriptions and returns the frame that answers. */
  #apply(connection: LiveConnection, request: PlainRequest): string {
    const { added, subscriptions } = this.#parts
    if (request.kind === 'broadcast') {
      added.leave(connection, request)
      if (request.event === 'update_pools_info') connection.poolFrames = 'plain'
      subscriptions.setBroadcast(connection, request.event, request.action === 'subscribe')
      return acknowledgement(request)
    }
    if (request.action === 'unsubscribe') {
      added.leave(connection, request)
      for (const mint of request.mints) subscriptions.unfollow(connection, mint)
      return acknowledgement(request)
    }
    const asked = added.mintsWith(connection, request.mints)
    if (asked > MAX_CONNECTION_MINTS) return tooManyMints(asked)
    added.leave(connection, request)
    for (const mint of request.mints) subscriptions.follow(connection, mint)
    return acknowledgement(request)
  }
}

/** A numbered subscription takes the place of a plain one. */
export function leavePlain(
  subscriptions: Subscriptions,
  connection: LiveConnection,
  { channel, keys }: StreamRequest,
): void {
  if (channel === 'update_mint_info')
    for (const mint of keys) subscriptions.unfollow(connection, mint)
  else if (channel === 'mint_migration' || channel === 'new_launched_pool')
    subscriptions.setBroadcast(connection, channel, false)
}
