/** The port of the live feed: events as they happen, and their replays and snapshots. */

import type { Budget } from '../base/budget.ts'
import type { AnnouncedChannel, EventMessage, ResyncReason, StreamChannel } from './wire.ts'

/** The newest trades whose places on the tape are remembered: 36 bytes each. */
export const RECENT_ARRIVALS_MAX = 1 << 16

/**
 * One trade with its numbers in the streams that it belongs to; valid until the listener returns.
 * The numbers are those of the present moment: they belong to the trade only while it is the newest.
 */
export interface Trade extends EventMessage {
  readonly mint: string
  /** Number among the trades of its mint. */
  readonly seq: number
  readonly ordinal: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly wallet: string
  /** Number among the trades of its wallet. */
  readonly walletSeq: number
  /** Number among all trades. */
  readonly tradeSeq: number
}

/** Events as the engine emits them: each listener is called once for each event. */
export interface LiveSource {
  onTrade(listener: (trade: Trade) => void): void
  /** Launches and migrations; the message is valid until the listener returns. */
  onAnnounced(listener: (channel: AnnouncedChannel, message: EventMessage) => void): void
  /** A creation that came late changed the prices of all trades of a mint. */
  onRepriced(listener: (mint: string) => void): void
}

/** One channel of numbered messages; `key` is a mint, a wallet or "". */
export interface StreamSource {
  /** Seq of the newest message; 0 before the first. */
  head(key: string): number
  /**
   * Frames behind seq `after` (at most the head), oldest first, at most `max`; or the reason why not all of those up to
   * the head are available. `extra`: trades with additive keys.
   */
  since(key: string, after: number, max: number, extra?: boolean): readonly string[] | ResyncReason
  /**
   * The frame with the state at the head; with `extra` its additive keys too.
   * @throws OutOfTime while the state is read from the disk
   */
  snapshot(key: string, extra: boolean, budget: Budget): string
}

/** Numbers, replays and snapshots of the streams, by which a client proves that it has every message. */
export interface LiveStreams {
  readonly sources: { readonly [C in StreamChannel]: StreamSource }
  /** False until the recovery is done: nothing is published yet, and no number is known. */
  isReady(): boolean
  /** With another epoch nothing can be resumed. */
  epoch(): string
  /** Events taken so far, as in `X-Mintfeed-Seq`. */
  position(): number
  /** Unix seconds of the engine's now. */
  now(): number
  /**
   * Unix seconds: no event that could still be taken is older, on a chain whose block times do not
   * step back. 0 while nothing is settled.
   */
  settledTime(): number
  /** Late swaps folded so far: when it grows, anything may have changed a little. */
  lateFolded(): number
  /** Snapshot frame of `update_pools_info` for the mints of a table. */
  poolsSnapshot(mints: readonly string[], extra?: boolean): string
}
