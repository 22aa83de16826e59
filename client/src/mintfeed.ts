/** The whole of the package: what is not exported here is nobody's business but its own. */

import { Http } from './http.ts'
import { Live } from './live/live.ts'
import { LiveJournal } from './live/status.ts'
import { type ClientOptions, settingsOf } from './options.ts'
import { Reads } from './reads.ts'
import { Replicas } from './replicas.ts'

export type { Answer, Read, Unread } from './answer.ts'
export type { BackoffOptions } from './backoff.ts'
export type {
  Filters,
  FlagFilter,
  Group,
  HeldBy,
  Range,
  RangeFilter,
  SocialFilter,
  Socials,
  TableOrder,
  Window,
  WindowFilter,
  WindowFilters,
} from './filters.ts'
export {
  BODY_KEYS,
  FLAG_FILTERS,
  GROUPS,
  RANGE_FILTERS,
  SOCIAL_FILTERS,
  TABLE_ORDERS,
  WINDOW_FILTERS,
  WINDOWS,
} from './filters.ts'
export type { KeyedOptions, Live, StreamOptions } from './live/live.ts'
export type { LiveStatus } from './live/status.ts'
export type { Subscription } from './live/subscription.ts'
export type {
  AlertUpdate,
  AllTradesUpdate,
  Bar,
  BarsState,
  BarsUpdate,
  Cursor,
  EventUpdate,
  LaunchUpdate,
  LostUpdate,
  MigrationUpdate,
  RefusedUpdate,
  SnapshotUpdate,
  TablesState,
  TablesUpdate,
  TableTokens,
  TableTradeUpdate,
  TradeUpdate,
  TrendingState,
  TrendingUpdate,
  Update,
  WalletUpdate,
} from './live/updates.ts'
export type { ClientOptions, Closing, Fetch, FetchAnswer, Socket } from './options.ts'
export type { Problem } from './problem.ts'
export type {
  AlertsQuery,
  ChartQuery,
  ExtraQuery,
  PageQuery,
  Reads,
  Resolution,
  TableFilter,
  TraderQuery,
  TrendingQuery,
  UdfHistoryQuery,
  WalletRanksQuery,
} from './reads.ts'
export type { Move } from './replicas.ts'
// What the service answers. Units: token amounts in whole tokens, `_usd` in USD, `_sol` and quote
// amounts in SOL (or the quote mint), percents 0 to 100, `_ts` unix seconds, `timestamp` a UTC text
// that `timestampMs` reads.
export type { Alert, ToldAlert, ToldAlerts } from './resources/alert.ts'
export type { CreatedToken, Creator } from './resources/creator.ts'
export type { MarketFigures } from './resources/market-figures.ts'
export type { MigrationEvent } from './resources/migration.ts'
export type { Page } from './resources/page.ts'
export type { Price, PriceAt } from './resources/price.ts'
export type { HolderHistory, Ohlcv } from './resources/series.ts'
export type { Swap, SwapsByCursor } from './resources/swap.ts'
export type { TableRow, Tables, Trending, TrendingToken } from './resources/tables.ts'
export type { TokenDetail, TokenMarketData, TokenSearchDetailed } from './resources/token.ts'
export type { TraderRecord } from './resources/trader.ts'
export type { UdfConfig, UdfFound, UdfHistory, UdfQuotes, UdfSymbol } from './resources/udf.ts'
export type {
  RankedWallet,
  WalletDay,
  WalletFigures,
  WalletLabel,
  WalletRanking,
  WalletResult,
  WalletSummary,
  WalletTags,
} from './resources/wallet.ts'
export type { TradeWindow, TradeWindows } from './resources/window.ts'
export { timestampMs, timestampText } from './timestamp.ts'

/**
 * A client of one service, for example `new Mintfeed('http://127.0.0.1:8080')`, or of its replicas, which take each
 * other's place: `new Mintfeed(['https://a.example', 'https://b.example'])`.
 */
export class Mintfeed {
  /** Answers of the moment. */
  readonly read: Reads
  /** Streams. */
  readonly live: Live
  readonly #http: Http
  readonly #replicas: Replicas

  /** @param url base of the service, without `/api/v2`; of several the first one is tried first */
  constructor(url: string | readonly string[], options: ClientOptions = {}) {
    const settings = settingsOf(url, options)
    const journal = new LiveJournal()
    this.#replicas = new Replicas(settings.addresses, (move) => journal.moved(move))
    this.#http = new Http(settings, this.#replicas)
    this.read = new Reads(this.#http)
    this.live = new Live(settings, this.#replicas, journal)
  }

  /** The url that is read, by streams and reads alike. */
  get replica(): string {
    return this.#replicas.current.url
  }

  /** Ends every request, subscription and connection. */
  close(): void {
    this.#http.close()
    this.live.close()
  }
}
