/**
 * What clients and the service say to each other. Here are the queries that a request can be, and the ports that answer
 * them with JSON text, ready to send: the server knows HTTP and WebSocket and no tokens, src/query knows tokens and no
 * sockets. `requests` parses HTTP, `live` parses messages, errors.ts has every refusal with its code and status,
 * filters.ts the table of filters, wire.ts JSON text and live frames, udf-json.ts TradingView's protocol.
 */

import type { Width } from '../base/bar-time.ts'
import type { Budget } from '../base/budget.ts'
import type { Filters, Group, TableOrder, Window } from './filters.ts'
import type { AnnouncedChannel, EventMessage, ResyncReason, StreamChannel } from './wire.ts'

/** Bars an answer holds at most, the newest (contract section 3.6). */
export const BARS_MAX = 5_000

export const RESOLUTIONS = [
  '1S',
  '5S',
  '15S',
  '30S',
  '1',
  '5',
  '15',
  '30',
  '60',
  '240',
  '1D',
  '1W',
  '1M',
] as const
export type Resolution = (typeof RESOLUTIONS)[number]

const DAY_SECONDS = 86_400

/** Width of a resolution's bars. */
export const WIDTHS: { readonly [R in Resolution]: Width } = {
  '1S': 1,
  '5S': 5,
  '15S': 15,
  '30S': 30,
  '1': 60,
  '5': 300,
  '15': 900,
  '30': 1_800,
  '60': 3_600,
  '240': 14_400,
  '1D': DAY_SECONDS,
  '1W': 'week',
  '1M': 'month',
}

export const TRADER_ORDERS = [
  'pnl',
  'holding_amount',
  'bought_tokens',
  'sold_tokens',
  'last_active_ts',
] as const

export interface Page {
  /** From 1. */
  readonly page: number
  /** 1 to 200. */
  readonly limit: number
  /** Items have additive keys too. */
  readonly extra?: boolean
}

export interface TraderQuery extends Page {
  readonly orderBy: (typeof TRADER_ORDERS)[number]
  readonly direction: 'asc' | 'desc'
}

/** Windows of a wallet, in UTC days with today. */
export const WALLET_WINDOWS = ['1d', '7d', '30d', 'all'] as const
export type WalletWindow = (typeof WALLET_WINDOWS)[number]

/** What wallets are ranked by. */
export const WALLET_RANKINGS = ['realized_pnl', 'volume', 'trades', 'win_rate'] as const

export interface WalletRanksQuery {
  readonly window: WalletWindow
  readonly by: (typeof WALLET_RANKINGS)[number]
  /** 1 to 200. */
  readonly limit: number
}

export interface ChartQuery {
  readonly mint: string
  /** POSIX seconds; `from` may be negative. */
  readonly from: number
  readonly to: number
  readonly resolution: Resolution
  /** A bar opens at the close of the bar before. */
  readonly continuous: boolean
  /** `previous`: seconds without a trade get flat bars at the close before. */
  readonly fill: 'none' | 'previous'
  /** This many bars up to `to`, whatever `from` says (as TradingView's UDF has it); 0 = not asked. */
  readonly countback: number
  /** Adds `s` and `nextTime` as TradingView's UDF has them. */
  readonly udf: boolean
}

export interface TablesQuery {
  readonly type: Group | 'all'
  readonly filters: { readonly [K in Group]?: Filters }
  /** Rows a group, 1 to 200. */
  readonly limit: number
  /** Rows have additive keys too. */
  readonly extra?: boolean
  /** The tokens with the most of it, most first; equal ones, and without it all, in the table's own order. */
  readonly orderBy?: TableOrder
}

/** Alerts of rules with `live` that are read. */
export interface AlertsQuery {
  /** Those behind this number, oldest first; null: the newest. */
  readonly after: number | null
  readonly limit: number
  /** Of this rule alone; null: of all. */
  readonly rule: string | null
}

/** What trending tokens are ordered by, most first. */
export const TRENDING_ORDERS = [
  'volume',
  'trades',
  'traders',
  'price_change',
  'new_holders',
] as const
export type TrendingOrder = (typeof TRENDING_ORDERS)[number]

/** The tokens that have most of something in a window, of those with a trade in it. */
export interface TrendingQuery {
  readonly window: Window
  readonly by: TrendingOrder
  /** 1 to 200. */
  readonly limit: number
}

/** The lists of a table answer by name (groups, or `items`) with their rows in order, each as its text there. */
export type TableRows = ReadonlyMap<
  string,
  readonly { readonly mint: string; readonly json: string }[]
>

/** A table answer as of its moment: the bytes of the POST, and the rows in them. */
export interface TableAnswer {
  /** The caller's. */
  readonly bytes: Buffer
  /** The mints of all rows. */
  mints(): ReadonlySet<string>
  rows(): TableRows
}

/** The columns of a chart in their order. */
export const CHART_COLUMNS = [
  't',
  'o',
  'h',
  'l',
  'c',
  'v',
  'o_sol',
  'h_sol',
  'l_sol',
  'c_sol',
  'v_sol',
] as const

/** A chart as of the moment in which it was begun: writing it takes longer than a read's budget. */
export interface BegunChart {
  /**
   * The whole text.
   * @throws OutOfTime: the next call continues there
   */
  write(budget: Budget): string
  /** One column of its bars, in the numbers that are written. */
  column(name: (typeof CHART_COLUMNS)[number]): readonly number[]
  /** Would a chart begun now be the same, but for its end? */
  isCurrent(): boolean
}

/**
 * The reads. Every method answers at the clock's now; none throws on unknown mints or wallets. A read whose data is not
 * in memory yet ends with `OutOfTime` when its budget is spent, and continues there when it is made again. `extra`:
 * with additive keys.
 */
export interface Queries {
  /** A number that changes whenever an answer may change: by an event, by the clock's second. */
  version(): number
  /** Has any event named this text, as a mint, a wallet or another address? */
  isKnownAddress(address: string): boolean
  search(query: string, extra: boolean, budget: Budget): string
  marketData(mints: readonly string[], extra: boolean, budget: Budget): string
  swaps(mint: string, wallet: string | null, page: Page, budget: Budget): string
  tokenTraders(mint: string, query: TraderQuery, budget: Budget): string
  walletTokens(wallet: string, query: TraderQuery, budget: Budget): string
  beginChart(query: ChartQuery, budget: Budget): BegunChart
  /** The same in one go. */
  chart(query: ChartQuery): string
  /** The table with its rows. */
  tableAnswer(query: TablesQuery, budget: Budget): TableAnswer
  /** The same in one go, as text. */
  tables(query: TablesQuery): string
  trending(query: TrendingQuery, budget: Budget): TableAnswer
}

/** A page of swaps behind a mark; null: from the newest on. */
export interface SwapCursor extends Omit<Page, 'page'> {
  readonly after: { readonly index: number; readonly ordinal: number; readonly word: number } | null
}

/** Reads beyond the specification's (docs/live.md, "Additive reads"), at the clock's now and with a budget. */
export interface TokenReads {
  /** TokenDetail; null for an unknown mint. */
  detail(mint: string, budget: Budget): string | null
  /** Wallets that hold the token, largest first. */
  holders(mint: string, page: Page, budget: Budget): string
  /** Wallets that bought, in order of their first buy. */
  firstBuyers(mint: string, page: Page, budget: Budget): string
  /** Swaps behind a cursor; null when the cursor is of no swap of the mint. */
  swapsFrom(mint: string, wallet: string | null, cursor: SwapCursor, budget: Budget): string | null
  /** Present prices of mints in the order asked; unknown ones are left out. */
  prices(mints: readonly string[], budget: Budget): string
  /** The price behind the last trade of a mint whose time is `seconds` or earlier; null: none is known. */
  priceAt(mint: string, seconds: number, budget: Budget): string | null
  /** What a wallet did, by windows and days. */
  wallet(wallet: string, budget: Budget): string
  /** Holders of a mint over time; null for an unknown mint, and for one of too many trades. */
  holderHistory(mint: string, resolution: Resolution, budget: Budget): string | null
  /** What a creator made of its tokens, the newest arrival first. */
  creator(wallet: string, page: Page, budget: Budget): string
  /** The first wallets of a ranking. */
  walletsTop(query: WalletRanksQuery, budget: Budget): string
  /** Tags of the wallets that have labels. */
  walletTags(): string
  /** Name, symbol and present price of a token; null for an unknown mint. */
  symbol(mint: string): { name: string; symbol: string; priceUsd: number } | null
  /** Unix seconds of now. */
  now(): number
}

/** A request to the HTTP API that the service makes itself, or a program for an agent; all parts are encoded. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** JSON; empty on GET. */
  readonly body: string
}

/** What `/readyz` and `/metrics` show beside the server's own figures. */
export interface ServiceState {
  /** True until recovery is done: the API answers 503 with Retry-After meanwhile. */
  isStarting(): boolean
  /** Null when ready, else one sentence that says why not and may be read by everybody. */
  notReady(): string | null
  /** What somebody should know of a service that may well be ready, in one sentence; null: nothing. */
  notice?(): string | null
  /** Of a replica: how far it has come in its stream, for everybody; null, absent: this is none. */
  replica?(): {
    /** Events taken, as in `X-Mintfeed-Seq`. */
    readonly position: number
    /** Events of the stream that are not folded yet, and how long the oldest of them has been there. */
    readonly lag_events: number
    readonly lag_ms: number
    readonly stream: string
    /** Host and port that the stream is read from, without a login; empty while there is none. */
    readonly server: string
  } | null
  /** Flat figures for /readyz and /metrics; names as Prometheus has them, without the prefix. */
  figures(): Readonly<Record<string, number>>
}

/** The port of the live feed: events as they happen, and their replays and snapshots. */

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
  /** Alerts that are stored, with their numbers. */
  onAlert(listener: (message: EventMessage, seq: number) => void): void
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
  /** Alerts that were told on the channel `alerts`, as JSON text. */
  alerts(query: AlertsQuery): string
}
