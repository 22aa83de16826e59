/**
 * What clients and the service say to each other. Here are the queries that a request can be, and the ports that answer
 * them with JSON text, ready to send: the server knows HTTP and WebSocket and no tokens, src/query knows tokens and no
 * sockets. `requests` parses HTTP, `live` parses messages, errors.ts has every refusal with its code and status, filters.ts
 * the table of filters, live-frames.ts and table-rows.ts the frames of live channels, udf-json.ts TradingView's protocol.
 */
import type { Width } from '../base/bar-time.ts'
import type { Filters, Group } from './filters.ts'

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

const WIDTHS: { readonly [R in Resolution]: Width } = {
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

/** Width of a resolution's bars. */
export function widthOf(resolution: Resolution): Width {
  return WIDTHS[resolution]
}

export const TRADER_ORDERS = [
  'pnl',
  'holding_amount',
  'bought_tokens',
  'sold_tokens',
  'last_active_ts',
] as const
export type TraderOrder = (typeof TRADER_ORDERS)[number]

export interface Page {
  /** From 1. */
  readonly page: number
  /** 1 to 200. */
  readonly limit: number
  /** Items have additive keys too. */
  readonly extra?: boolean
}

export interface TraderQuery extends Page {
  readonly orderBy: TraderOrder
  readonly direction: 'asc' | 'desc'
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
}

/** One row of a table answer, as the text it has there. */
export interface TableRow {
  readonly mint: string
  readonly json: string
}

/** The groups of a table answer with their rows in order. */
export type TableRows = ReadonlyMap<Group, readonly TableRow[]>

/** A table answer as of its moment: the very bytes of the POST, and which rows are where in it. */
export interface TableAnswer {
  /** The caller's. */
  readonly bytes: Buffer
  /** The mints of all rows. */
  mints(): ReadonlySet<string>
  rows(): TableRows
}

/** An answer that was read and takes longer to write than a turn may. */
export interface Written {
  /** Writes for as long as `mayGoOn` says; the whole text, or null: to be called again in a later turn. */
  write(mayGoOn: () => boolean): string | null
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
export type ChartColumn = (typeof CHART_COLUMNS)[number]

/** A chart as of the moment in which it was begun. */
export interface BegunChart extends Written {
  /** One column of its bars, as it is written. */
  column(name: ChartColumn): readonly number[]
  /** Would one begun now be the same, but for where it ends? */
  isCurrent(): boolean
}

/** The reads. Every method answers at the clock's now; none throws on unknown mints or wallets. */
export interface Queries {
  /** A number that is another one whenever any answer may be: by an event, by the clock's second. */
  version(): number
  /** Has any event named this text, as a mint, a wallet or another address? */
  isKnownAddress(address: string): boolean
  /**
   * As `hasFoundSwaps`, for `search`: market caps are read for all tokens when first they are asked for, and
   * the holders of each one that is found are looked through.
   */
  hasFoundNamed(query: string, mayGoOn: () => boolean): boolean
  /** `extra`: with additive keys, here and in `marketData`. */
  search(query: string, extra?: boolean): string
  /** As `hasFoundSwaps`, for `marketData`: the holders of each are looked through when first it is asked for. */
  hasFoundHolders(mints: readonly string[], mayGoOn: () => boolean): boolean
  marketData(mints: readonly string[], extra?: boolean): string
  /**
   * Looks for a page of swaps for as long as `mayGoOn` says; false: it lies deeper, to be called again
   * in a later turn. True: `swaps` has it at once.
   */
  hasFoundSwaps(mint: string, wallet: string | null, page: Page, mayGoOn: () => boolean): boolean
  swaps(mint: string, wallet: string | null, page: Page): string
  /** As `hasFoundSwaps`, for `tokenTraders`: what many traders are ordered by is read trader by trader. */
  hasFoundTraders(mint: string, query: TraderQuery, mayGoOn: () => boolean): boolean
  tokenTraders(mint: string, query: TraderQuery): string
  /** As `hasFoundSwaps`, for `walletTokens`: a wallet's resting positions lie on the disk. */
  hasFoundTokens(wallet: string, mayGoOn: () => boolean): boolean
  walletTokens(wallet: string, query: TraderQuery): string
  /** As `hasFoundSwaps`, for `chart`: its newest bar may be a million bars back. */
  hasFoundBars(query: ChartQuery, mayGoOn: () => boolean): boolean
  chart(query: ChartQuery): string
  /** The same as of now, to be written in later turns as well. */
  beginChart(query: ChartQuery): BegunChart
  /** As `hasFoundSwaps`, for `tables`: values by which none was asked for yet are read for all tokens. */
  hasFoundTables(query: TablesQuery, mayGoOn: () => boolean): boolean
  tables(query: TablesQuery): string
  /** The same with its rows. */
  tableAnswer(query: TablesQuery): TableAnswer
  /**
   * The same; null: largest holders of its tokens had to be looked for until `mayGoOn` said no, and it is to be
   * called again in a later turn. They stay known: an answer is made in one turn, as of its moment.
   */
  tableAnswerWithin(query: TablesQuery, mayGoOn: () => boolean): TableAnswer | null
}

/** What `/readyz` and `/metrics` show beside the server's own figures. */
export interface ServiceState {
  /** Null when ready, else one sentence that says why not and may be read by everybody. */
  notReady(): string | null
  /** What somebody should know of a service that may well be ready, in one sentence; null: nothing. */
  notice?(): string | null
  /** Flat figures for /readyz and /metrics; names as Prometheus has them, without the prefix. */
  figures(): Readonly<Record<string, number>>
}
