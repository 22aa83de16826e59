import type { WebSocket } from 'uWebSockets.js'
import type { Broadcast } from '../../wire/live-messages.ts'
import type { MessageRate } from './message-rate.ts'

/** What uWebSockets.js keeps for a socket between upgrade and close. */
export interface SocketData {
  readonly id: string
  /** Whom the connection is counted for. */
  readonly client: string
  /** Set when the socket opens. */
  connection: LiveConnection | null
}

/** One live connection. */
export interface LiveConnection {
  /** The client's own label; several connections may share one. */
  readonly id: string
  readonly socket: WebSocket<SocketData>
  readonly mints: Set<string>
  readonly broadcasts: Set<Broadcast>
  readonly rate: MessageRate
  /** Monotonic milliseconds of the last frame that came. */
  lastHeardMs: number
  /** Monotonic milliseconds of the next ping. */
  nextPingMs: number
  /** True from the moment a close was asked for: the socket must not be touched any more. */
  isClosed: boolean
}
