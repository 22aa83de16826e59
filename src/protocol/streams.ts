import type { Budget } from '../base/budget.ts'
import type { ResyncReason, StreamChannel } from './live-frames.ts'

/** Trades whose place is remembered; the oldest goes. 36 bytes each. */
export const RECENT_ARRIVALS_MAX = 1 << 16

/** The newest trade, as the numbers of its streams see it; good until the listener returns. */
export interface TradeInfo {
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
  /** Additive keys of the swap, as JSON text behind a comma; made when it is asked for. */
  readonly extras: string
}

/** One channel of numbered messages; `key` is a mint, a wallet or "". */
export interface StreamSource {
  /** Seq of the newest message; 0 before the first. */
  head(key: string): number
  /**
   * Frames behind seq `after` (at most the head), oldest first, at most `max`; all of those up to
   * the head can be had, or the answer is the reason why not. `extra`: trades with additive keys.
   */
  since(key: string, after: number, max: number, extra?: boolean): readonly string[] | ResyncReason
  /**
   * The frame that shows the state at the head; with `extra` its additive keys too.
   * @throws OutOfTime while what it shows is read from the disk
   */
  snapshot(key: string, extra: boolean, budget: Budget): string
}

/** What proves to a reader that it has all: numbers, replays and snapshots of the streams. */
export interface LiveStreams {
  readonly sources: { readonly [C in StreamChannel]: StreamSource }
  /** False until the recovery is done: nothing is told yet, and no number is known. */
  isReady(): boolean
  /** Another one: nothing can be resumed. */
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
