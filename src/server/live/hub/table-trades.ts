import type { LiveRequest } from '../../../protocol/live/live-messages.ts'
import { STARTING_FRAME } from '../../../protocol/live/live-notices.ts'
import { renamed, withExtras } from '../../../protocol/live-frames.ts'
import type { LiveStreams, TradeInfo } from '../../../protocol/streams.ts'
import { hasMuchUnread, type LiveConnection, type Send } from '../connection/connection.ts'
import type { LastTables } from './last-tables.ts'
import type { Subscriptions } from './subscriptions.ts'

type PoolsRequest = Extract<LiveRequest, { kind: 'pools' }>

interface TableTradesParts {
  readonly lastTables: LastTables
  readonly subscriptions: Subscriptions
  readonly streams: LiveStreams
  readonly send: Send
  readonly sendSnapshot: Send
  /** The message with its number. */
  readonly numbered: (message: string, trade: TradeInfo) => string
}

/** `update_pools_info`: the trades of the tokens in the last table answer of a connection's id. */
export class TableTrades {
  readonly #parts: TableTradesParts

  constructor(parts: TableTradesParts) {
    this.#parts = parts
  }

  /** Is the mint in the last table of a connection that asked for its trades? */
  wants(mint: string): boolean {
    const { subscriptions, lastTables } = this.#parts
    return subscriptions.listenersOf('update_pools_info').size > 0 && lastTables.holds(mint)
  }

  /** Sends a trade to those who read its mint in a table; returns how many they were. */
  publish(mint: string, tradeMessage: string, trade: TradeInfo): number {
    const { subscriptions, lastTables, send } = this.#parts
    const message = renamed(tradeMessage, 'update_pools_info')
    const ids = lastTables.readersOf(mint)
    let sent = 0
    for (const connection of subscriptions.listenersOf('update_pools_info')) {
      if (!ids.has(connection.id)) continue
      sent += 1
      send(connection, this.#frame(connection, message, trade))
    }
    return sent
  }

  #frame({ poolFrames }: LiveConnection, message: string, trade: TradeInfo): string {
    if (poolFrames === 'plain') return message
    const frame = this.#parts.numbered(message, trade)
    return poolFrames === 'extra' ? withExtras(frame, trade.extras) : frame
  }

  /** Follows with numbers; false: much lies unread, and it is to be served again in a later turn. */
  follow(connection: LiveConnection, { wantsSnapshot, extra }: PoolsRequest): boolean {
    const { subscriptions, streams, lastTables, send, sendSnapshot } = this.#parts
    if (!streams.isReady()) {
      send(connection, STARTING_FRAME)
      return true
    }
    if (wantsSnapshot && hasMuchUnread(connection)) return false
    subscriptions.setBroadcast(connection, 'update_pools_info', true)
    connection.poolFrames = extra ? 'extra' : 'numbered'
    const frame = { type: 'subscribed', event: 'update_pools_info', epoch: streams.epoch() }
    send(connection, JSON.stringify(frame))
    if (wantsSnapshot)
      sendSnapshot(connection, streams.poolsSnapshot([...lastTables.mintsOf(connection.id)], extra))
    return true
  }
}
