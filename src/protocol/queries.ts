import type { Width } from '../base/bar-time.ts'
import type { Budget } from '../base/budget.ts'
import type { TradeInfo } from './streams.ts'

/** Bars an answer holds at most, the newest (contract section 3.6). */
export const BARS_MAX = 5_000

/**
 * What the routes ask and what the sockets publish: JSON text, ready to send. The server knows
 * HTTP and WebSocket and nothing of tokens; this is the whole of what passes between them.
 */

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

export interface RangeFilter {
  readonly min?: number | null
  readonly max?: number | null
}

export const RANGE_FILTERS = [
  'xReuses',
  'ageMinutes',
  'mCapUsd',
  'volumeUsd',
  'txsBuys',
  'txsSells',
  'top10HoldingPct',
  'devHoldingPct',
  'snipersHoldingPct',
  'insidersHoldingPct',
  'bundlersHoldingPct',
  'freshWalletsHoldingPct',
  'holders',
  'proTradersAmount',
  'devMigrations',
  'devCreations',
] as const
export type RangeFilterName = (typeof RANGE_FILTERS)[number]

export const FLAG_FILTERS = ['devSoldAll', 'noXReuses', 'dexPaid', 'caEndsWithSuffix'] as const
export type FlagFilterName = (typeof FLAG_FILTERS)[number]

export const SOCIALS = ['twitter', 'telegram', 'website', 'discord'] as const
export type Social = (typeof SOCIALS)[number]

export type SocialsFilter = { readonly [K in Social | 'atLeastOne']?: boolean | null }

/** Filters of one group; null and absent mean the same (contract section 3). */
export type Filters = {
  readonly [K in RangeFilterName]?: RangeFilter | null
} & { readonly [K in FlagFilterName]?: boolean | null } & {
  readonly socials?: SocialsFilter | null
}

export const GROUPS = ['new', 'completing', 'graduated'] as const
export type Group = (typeof GROUPS)[number]

export interface TablesQuery {
  readonly type: Group | 'all'
  readonly filters: { readonly [K in Group]?: Filters | null }
  /** Rows a group, 1 to 200. */
  readonly limit: number
  /** Rows have additive keys too. */
  readonly extra?: boolean
}

/** A chart as of the moment in which it was begun: it takes longer to write than a turn may. */
export interface BegunChart {
  /**
   * The whole text.
   * @throws OutOfTime: the next call goes on from there
   */
  write(budget: Budget): string
  /** Would one begun now be the same, but for where it ends? */
  isCurrent(): boolean
}

/**
 * The reads. Every method answers at the clock's now; none throws on unknown mints or wallets. Where the answer
 * needs what is not in memory yet, the read ends with `OutOfTime` when its budget is spent, and goes on from there
 * when it is made again. `extra`: with additive keys.
 */
export interface Queries {
  /** A number that is another one whenever any answer may be: by an event, by the clock's second. */
  version(): number
  /** Has any event named this text, as a mint, a wallet or another address? */
  isTold(address: string): boolean
  search(query: string, extra: boolean, budget: Budget): string
  marketData(mints: readonly string[], extra: boolean, budget: Budget): string
  swaps(mint: string, wallet: string | null, page: Page, budget: Budget): string
  tokenTraders(mint: string, query: TraderQuery, budget: Budget): string
  walletTokens(wallet: string, query: TraderQuery, budget: Budget): string
  beginChart(query: ChartQuery, budget: Budget): BegunChart
  /** The same in one go. */
  chart(query: ChartQuery): string
  /** The bytes are the caller's. */
  tableBytes(query: TablesQuery, budget: Budget): Buffer
  /** The same in one go, as text. */
  tables(query: TablesQuery): string
}

/** Where a page of swaps begins: behind one of them, or at the newest. */
export interface SwapCursor {
  readonly after: { readonly index: number; readonly ordinal: number; readonly word: number } | null
  /** 1 to 200. */
  readonly limit: number
  /** Swaps have additive keys too. */
  readonly extra?: boolean
}

/** Reads beyond the specification's (docs/live.md, "Additive reads"), at the clock's now and with a budget as `Queries` are. */
export interface TokenReads {
  /** TokenDetail; null for a mint nobody knows. */
  detail(mint: string, budget: Budget): string | null
  /** Wallets that hold the token, largest first. */
  holders(mint: string, page: Page, budget: Budget): string
  /** Wallets that bought, in order of their first buy. */
  firstBuyers(mint: string, page: Page, budget: Budget): string
  /** Swaps behind a cursor; null when the cursor is of no swap of the mint. */
  swapsFrom(mint: string, wallet: string | null, cursor: SwapCursor, budget: Budget): string | null
  /** Name, symbol and present price of a token; null for a mint nobody knows. */
  symbol(mint: string): { name: string; symbol: string; priceUsd: number } | null
  /** Unix seconds of now. */
  now(): number
}

/** What leaves the engine by itself; the live feed sets the listeners it serves. */
export interface LiveSource {
  /** `message` is the whole envelope of `update_mint_info`; it is made only if it is `wanted`. */
  onTrade(
    wanted: (mint: string, trade: TradeInfo) => boolean,
    publish: (mint: string, message: string, trade: TradeInfo) => void,
  ): void
  /** `message` is the whole envelope of `mint_migration`. */
  onMigration(publish: (message: string) => void): void
  /** `message` is the whole envelope of `new_launched_pool`; it is made only if `wanted()`. */
  onLaunch(wanted: () => boolean, publish: (message: string) => void): void
  /** A creation told late changed the prices of all trades of a mint. */
  onRepriced(told: (mint: string) => void): void
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
