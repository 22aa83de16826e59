import type { Answer } from './answer.ts'
import type { BODY_KEYS, Filters, Group, TableOrder, Window } from './filters.ts'
import type { Http } from './http.ts'
import { isToldAlerts, type ToldAlerts } from './resources/alert.ts'
import { type Creator, isCreator } from './resources/creator.ts'
import { type Page, pageOf } from './resources/page.ts'
import { isPrice, isPriceAt, type Price, type PriceAt } from './resources/price.ts'
import { type HolderHistory, isHolderHistory, isOhlcv, type Ohlcv } from './resources/series.ts'
import { isSwap, isSwapsByCursor, type Swap, type SwapsByCursor } from './resources/swap.ts'
import { isTables, isTrending, type Tables, type Trending } from './resources/tables.ts'
import {
  isDetail,
  isMarketData,
  isSearched,
  type TokenDetail,
  type TokenMarketData,
  type TokenSearchDetailed,
} from './resources/token.ts'
import { isTrader, type TraderRecord } from './resources/trader.ts'
import {
  isUdfConfig,
  isUdfFound,
  isUdfHistory,
  isUdfQuotes,
  isUdfSymbol,
  type UdfConfig,
  type UdfFound,
  type UdfHistory,
  type UdfQuotes,
  type UdfSymbol,
} from './resources/udf.ts'
import {
  isRanking,
  isWallet,
  isWalletTags,
  type WalletRanking,
  type WalletSummary,
  type WalletTags,
} from './resources/wallet.ts'
import { isObject, isText, listOf } from './shape.ts'

export interface ExtraQuery {
  /** Items have the optional keys of their type too: what they are quoted in, fees of a swap. */
  readonly extra?: boolean
}

export interface PageQuery extends ExtraQuery {
  /** From 1; 1 by default. */
  readonly page?: number
  /** 1 to 200; 50 by default. */
  readonly limit?: number
}

export interface TraderQuery extends PageQuery {
  readonly orderBy?: 'pnl' | 'holding_amount' | 'bought_tokens' | 'sold_tokens' | 'last_active_ts'
  /** `desc` by default. */
  readonly orderDirection?: 'asc' | 'desc'
}

/** Which rows of which groups a table has. */
export interface TableFilter extends Readonly<Partial<Record<(typeof BODY_KEYS)[Group], Filters>>> {
  /** `all` by default. */
  readonly type?: Group | 'all'
  /** Rows a group, 1 to 200; 50 by default. */
  readonly limit?: number
  /** Rows have `quote_mint`, `quote_symbol`, `priced`, `history_complete`, `history_from` and `windows` too. */
  readonly extra?: boolean
  /** The tokens with the most of it, such as `5m.volumeUsd`; in the table's own order by default. */
  readonly order_by?: TableOrder
}

/** Tokens with a trade in a window, by what they have most of. */
export interface TrendingQuery {
  /** `5m` by default. */
  readonly window?: Window
  /** `volume` by default. */
  readonly by?: 'volume' | 'trades' | 'traders' | 'price_change' | 'new_holders'
  /** 1 to 200; 50 by default. */
  readonly limit?: number
}

export interface AlertsQuery {
  /** `next_after` of the answer before; the newest by default. */
  readonly after?: number
  /** 1 to 200; 50 by default. */
  readonly limit?: number
  /** Id of a rule; all of them by default. */
  readonly rule?: string
}

export type Resolution =
  | '1S'
  | '5S'
  | '15S'
  | '30S'
  | '1'
  | '5'
  | '15'
  | '30'
  | '60'
  | '240'
  | '1D'
  | '1W'
  | '1M'

export interface ChartQuery {
  readonly mint: string
  /** Unix seconds. */
  readonly from: number
  readonly to: number
  readonly resolution: Resolution
  /** A bar opens at the close of the bar before. */
  readonly continuous?: boolean
  /** `previous`: bars without a trade repeat the close before. */
  readonly fill?: 'none' | 'previous'
  /** This many bars up to `to`, whatever `from` says. */
  readonly countback?: number
}

export interface WalletRanksQuery {
  /** UTC days with today; `7d` by default. */
  readonly window?: '1d' | '7d' | '30d' | 'all'
  /** `realized_pnl` by default. */
  readonly by?: 'realized_pnl' | 'volume' | 'trades' | 'win_rate'
  /** 1 to 200; 50 by default. */
  readonly limit?: number
}

export interface UdfHistoryQuery {
  readonly symbol: string
  /** Unix seconds; needed without `countback`, and of no account with it. */
  readonly from?: number
  /** Unix seconds; not in the span itself. */
  readonly to: number
  readonly resolution: Resolution | 'D' | 'W' | 'M'
  /** This many bars before `to`. */
  readonly countback?: number
}

const SEARCH = '/api/v2/search'
const isTraders = pageOf(isTrader)

/** The reads of the service. No method throws: every answer is a value. */
export class Reads {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** Tokens by mint, name or symbol, 1 to 128 characters; at most 50. */
  search(query: string, extras: ExtraQuery = {}): Promise<Answer<readonly TokenSearchDetailed[]>> {
    const path = `${SEARCH}/tokens/detailed${queryOf({ query, ...extras })}`
    return this.#http.request({ endpoint: 'search', path, shape: listOf(isSearched) })
  }

  /** Market data in the order asked, at most 100 mints; unknown ones are left out. */
  marketData(
    mints: readonly string[],
    extras: ExtraQuery = {},
  ): Promise<Answer<readonly TokenMarketData[]>> {
    const asked = queryOf({ mints: mints.join(','), ...extras })
    const path = `${SEARCH}/tokens/many/market-data${asked}`
    return this.#http.request({ endpoint: 'marketData', path, shape: listOf(isMarketData) })
  }

  /** Present prices in the order asked, at most 100 mints; unknown ones are left out. */
  prices(mints: readonly string[]): Promise<Answer<readonly Price[]>> {
    const path = `/api/v2/prices${queryOf({ mints: mints.join(',') })}`
    return this.#http.request({ endpoint: 'prices', path, shape: listOf(isPrice) })
  }

  /**
   * The price behind the last trade of a mint whose time is `at` (unix seconds) or earlier; the problem `not_found`
   * when none is known.
   */
  priceAt(mint: string, at: number): Promise<Answer<PriceAt>> {
    const path = `/api/v2/prices/${encoded(mint)}${queryOf({ at })}`
    return this.#http.request({ endpoint: 'priceAt', path, shape: isPriceAt })
  }

  /** Swaps of a mint, newest first, maybe of one wallet only. */
  swaps(
    mint: string,
    query: PageQuery & { readonly wallet?: string } = {},
  ): Promise<Answer<Page<Swap>>> {
    const path = `${SEARCH}/tokens/${encoded(mint)}/swaps${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'swaps', path, shape: pageOf(isSwap) })
  }

  /** The same by cursor, `start` first, then `next_cursor`: nothing comes twice while swaps come in. */
  swapsByCursor(
    mint: string,
    query: ExtraQuery & {
      readonly cursor?: string | undefined
      readonly limit?: number
      readonly wallet?: string
    } = {},
  ): Promise<Answer<SwapsByCursor>> {
    // A loop over pages gives undefined at first, which must not become a page by number.
    const asked = queryOf({ ...query, cursor: query.cursor ?? 'start' })
    const path = `${SEARCH}/tokens/${encoded(mint)}/swaps${asked}`
    return this.#http.request({ endpoint: 'swaps', path, shape: isSwapsByCursor })
  }

  /** Wallets that traded a mint. */
  tokenTraders(mint: string, query: TraderQuery = {}): Promise<Answer<Page<TraderRecord>>> {
    const path = `${SEARCH}/traders/tokens/${encoded(mint)}${traderQuery(query)}`
    return this.#http.request({ endpoint: 'tokenTraders', path, shape: isTraders })
  }

  /** Mints that a wallet traded. */
  walletTokens(wallet: string, query: TraderQuery = {}): Promise<Answer<Page<TraderRecord>>> {
    const path = `${SEARCH}/traders/${encoded(wallet)}/tokens${traderQuery(query)}`
    return this.#http.request({ endpoint: 'walletTokens', path, shape: isTraders })
  }

  /** What a wallet did in all of its tokens, by windows and days. */
  wallet(wallet: string): Promise<Answer<WalletSummary>> {
    const path = `/api/v2/wallets/${encoded(wallet)}`
    return this.#http.request({ endpoint: 'wallet', path, shape: isWallet })
  }

  /** The tokens of a creator and what became of them, the newest arrival first. */
  creator(wallet: string, query: Omit<PageQuery, 'extra'> = {}): Promise<Answer<Creator>> {
    const path = `/api/v2/creators/${encoded(wallet)}${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'creator', path, shape: isCreator })
  }

  /** The wallets with the greatest figure in a window. */
  walletsTop(query: WalletRanksQuery = {}): Promise<Answer<WalletRanking>> {
    const path = `/api/v2/wallets/top${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'walletsTop', path, shape: isRanking })
  }

  /** Tags of the wallets that the user of the service labelled, those of most wallets first, at most 200. */
  walletTags(): Promise<Answer<WalletTags>> {
    const path = '/api/v2/wallets/tags'
    return this.#http.request({ endpoint: 'walletTags', path, shape: isWalletTags })
  }

  chart(query: ChartQuery): Promise<Answer<Ohlcv>> {
    const path = `/api/v2/meme/chart/ohlcv${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'chart', path, shape: isOhlcv })
  }

  /** `socketId`: connections of this id follow the trades of the answer's tokens. */
  tables(filter: TableFilter = {}, socketId?: string): Promise<Answer<Tables>> {
    return this.#http.request({
      endpoint: 'tables',
      path: '/api/v2/meme',
      shape: isTables,
      body: JSON.stringify(filter),
      ...(socketId !== undefined && { headers: { 'x-socket-id': socketId } }),
    })
  }

  trending(query: TrendingQuery = {}): Promise<Answer<Trending>> {
    const path = `/api/v2/trending${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'trending', path, shape: isTrending })
  }

  /** What alert rules found and told followers: the newest, or those behind a number. */
  alerts(query: AlertsQuery = {}): Promise<Answer<ToldAlerts>> {
    const path = `/api/v2/alerts${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'alerts', path, shape: isToldAlerts })
  }

  /** All about a mint; the problem `not_found` when nobody knows it. */
  token(mint: string): Promise<Answer<TokenDetail>> {
    const path = `/api/v2/tokens/${encoded(mint)}`
    return this.#http.request({ endpoint: 'token', path, shape: isDetail })
  }

  /** Wallets that hold a mint now, largest first. */
  holders(mint: string, query: PageQuery = {}): Promise<Answer<Page<TraderRecord>>> {
    const path = `/api/v2/tokens/${encoded(mint)}/holders${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'holders', path, shape: isTraders })
  }

  /** Holders of a mint at the end of each bar with trades, the newest 5,000. */
  holderHistory(mint: string, resolution: Resolution): Promise<Answer<HolderHistory>> {
    const path = `/api/v2/tokens/${encoded(mint)}/holders/history${queryOf({ resolution })}`
    return this.#http.request({ endpoint: 'holderHistory', path, shape: isHolderHistory })
  }

  /** Wallets that bought a mint, in the order in which they did. */
  firstBuyers(mint: string, query: PageQuery = {}): Promise<Answer<Page<TraderRecord>>> {
    const path = `/api/v2/tokens/${encoded(mint)}/first-buyers${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'firstBuyers', path, shape: isTraders })
  }

  /** Figures of a service that is ready; else the problem says why it is not. */
  ready(): Promise<Answer<Readonly<Record<string, unknown>>>> {
    return this.#http.request({ endpoint: 'ready', path: '/readyz', shape: isObject })
  }

  udfConfig(): Promise<Answer<UdfConfig>> {
    return this.#http.request({ endpoint: 'udfConfig', path: '/udf/config', shape: isUdfConfig })
  }

  /** The service's unix second, as text. */
  udfTime(): Promise<Answer<string>> {
    const path = '/udf/time'
    return this.#http.request({ endpoint: 'udfTime', path, shape: isText, isText: true })
  }

  udfSymbol(symbol: string): Promise<Answer<UdfSymbol>> {
    const path = `/udf/symbols${queryOf({ symbol })}`
    return this.#http.request({ endpoint: 'udfSymbols', path, shape: isUdfSymbol })
  }

  udfSearch(query: string, limit?: number): Promise<Answer<readonly UdfFound[]>> {
    const path = `/udf/search${queryOf({ query, limit })}`
    return this.#http.request({ endpoint: 'udfSearch', path, shape: listOf(isUdfFound) })
  }

  /** The day of at most 100 symbols, in the order asked. */
  udfQuotes(symbols: readonly string[]): Promise<Answer<UdfQuotes>> {
    const path = `/udf/quotes${queryOf({ symbols: symbols.join(',') })}`
    return this.#http.request({ endpoint: 'udfQuotes', path, shape: isUdfQuotes })
  }

  udfHistory(query: UdfHistoryQuery): Promise<Answer<UdfHistory>> {
    const path = `/udf/history${queryOf({ ...query })}`
    return this.#http.request({ endpoint: 'udfHistory', path, shape: isUdfHistory })
  }
}

/** Half of a surrogate pair has no encoding: it becomes U+FFFD, as on the wire. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
}

function traderQuery({ orderBy, orderDirection, ...page }: TraderQuery): string {
  return queryOf({ ...page, order_by: orderBy, order_direction: orderDirection })
}

/** `?…` of what is defined; true is 1, false 0. */
function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
    return [`${name}=${encoded(text)}`]
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
