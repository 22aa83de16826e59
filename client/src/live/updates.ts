import type { Problem } from '../problem.ts'
import type { Alert } from '../resources/alert.ts'
import type { MarketFigures } from '../resources/market-figures.ts'
import type { MigrationEvent } from '../resources/migration.ts'
import type { Page } from '../resources/page.ts'
import type { Swap } from '../resources/swap.ts'
import type { Tables, Trending } from '../resources/tables.ts'
import type { TokenDetail, TokenSearchDetailed } from '../resources/token.ts'
import type { TraderRecord } from '../resources/trader.ts'

/** Where a reader is in a stream; keep that of the newest update to go on after a restart. */
export interface Cursor {
  readonly seq: number
  readonly epoch: string
}

/**
 * The state at a seq; the next event has seq + 1. `S` is the state. `key` is the mint or wallet, ""
 * for channels without.
 */
export interface SnapshotUpdate<S> extends Cursor {
  readonly kind: 'snapshot'
  readonly key: string
  /** Compares to the position of a read. */
  readonly position: number
  readonly data: S
}

/** The next message of a stream: of one key none comes twice, none is left out, none is out of order. */
export interface EventUpdate<E> extends Cursor {
  readonly kind: 'event'
  readonly key: string
  /** Of a swap, in its transaction; null for other events. */
  readonly ordinal: number | null
  /** Pool of a trade or launch; "" for a migration or an alert. */
  readonly pool: string
  /** From the event's second to now by this machine's clock; null without a time. */
  readonly lagMs: number | null
  readonly data: E
}

/**
 * Messages behind `fromSeq` cannot be had. A snapshot follows, except after `invalid_event` (one
 * message that could not be read was left out).
 */
export interface LostUpdate {
  readonly kind: 'lost'
  readonly key: string
  /** A reason of docs/live.md, or `invalid_event`. */
  readonly reason: string
  readonly message: string
  /** The last seq that was told; null when nothing was. */
  readonly fromSeq: number | null
  /** Where the stream is now. */
  readonly toSeq: number
}

/** The service refused this key, or cannot go on with it; nothing more comes of it. */
export interface RefusedUpdate {
  readonly kind: 'refused'
  readonly key: string
  readonly problem: Problem
}

export type Update<S, E> = SnapshotUpdate<S> | EventUpdate<E> | LostUpdate | RefusedUpdate

export type TradeUpdate = Update<TokenDetail | null, Swap>
export type WalletUpdate = Update<Page<TraderRecord>, Swap>
export type AllTradesUpdate = Update<MarketFigures, Swap>
export type MigrationUpdate = Update<readonly MigrationEvent[], MigrationEvent>
export type AlertUpdate = Update<readonly Alert[], Alert>
export type LaunchUpdate = Update<readonly TokenSearchDetailed[], TokenSearchDetailed>

/** What every state channel tells: `seq` is the position, `time` the service's unix second. */
interface StateUpdate extends Cursor {
  readonly step: number
  readonly time: number
}

/** The whole of a table. Rows that did not change are the same objects as before. */
export interface TablesState extends StateUpdate {
  readonly kind: 'tables'
  readonly tables: Tables
}
export type TablesUpdate = TablesState | RefusedUpdate

/** The whole of what trends. Rows that did not change are the same objects as before. */
export interface TrendingState extends StateUpdate {
  readonly kind: 'trending'
  readonly trending: Trending
}
export type TrendingUpdate = TrendingState | RefusedUpdate

/** Tokens that entered or left a table whose trades are followed; first all that are there. */
export interface TableTokens extends StateUpdate {
  readonly kind: 'tokens'
  /** Their trades come once the service has answered, each numbered on from where it is. */
  readonly entered: readonly string[]
  /** No trades of these come any more. */
  readonly left: readonly string[]
  /** The whole of the table at this moment. */
  readonly tables: Tables
}

/** Who is in a table, and the trades of these; a snapshot comes only after `lost`. */
export type TableTradeUpdate = TableTokens | TradeUpdate

export interface Bar {
  /** Unix seconds. */
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly openSol: number
  readonly highSol: number
  readonly lowSol: number
  readonly closeSol: number
  readonly volumeSol: number
  /** No swap that could still be taken can lie in it. */
  readonly isFinal: boolean
}

/** Bars in order of time: all of them (`isWhole`), or those that changed, each by its `time`. */
export interface BarsState extends StateUpdate {
  readonly kind: 'bars'
  readonly isWhole: boolean
  readonly bars: readonly Bar[]
}
export type BarsUpdate = BarsState | RefusedUpdate
