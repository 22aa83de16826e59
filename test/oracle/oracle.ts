/**
 * The naive oracle: it keeps what arrived and folds all of it anew after every event. Written
 * from the contract alone; the engine's answers must deep-equal these.
 */
import type { FeedEvent } from '../../src/events/event.ts'
import type {
  ChartQuery,
  Page,
  Resolution,
  TablesQuery,
  TraderQuery,
  TrendingQuery,
  WalletRanksQuery,
} from '../../src/protocol/queries.ts'
import { additiveHistory, additiveQuote, additiveSwap } from './additive.ts'
import { chartOf } from './candles.ts'
import { createdBy, creatorRow } from './creators.ts'
import { wire } from './exact.ts'
import { Fold } from './fold.ts'
import { holderHistory } from './holder-history.ts'
import { type Metrics, metricsOf } from './metrics.ts'
import { type Counts, PositionResolver } from './order.ts'
import { priceAt, priceRow } from './prices.ts'
import { firstBuyers, tokenTraders, walletTokens } from './records.ts'
import { additiveFees, migrationMessage, swapOf, swapPage, tradeMessage } from './swaps.ts'
import { tablesOf } from './tables.ts'
import { marketDataRow, searchRows } from './tokens.ts'
import { DEFAULT_PRO_RULE, type ProRule } from './traders.ts'
import { walletRanks, walletRow } from './wallets.ts'
import { newHolders, windowsOf, windowValue } from './windows.ts'
import type { World } from './world.ts'

export interface OracleOptions {
  /** `event`: now is the newest timestamp that arrived; `wall`: now is what `setNow` said last. */
  readonly clock: 'event' | 'wall'
  /** How many slots late a swap may be. */
  readonly lateSlots?: number
  /** When a wallet that no feed flagged is a pro trader. */
  readonly proRule?: ProRule
}

/** The filter that has the same quantity; null: new holders. */
const TRENDS_BY = {
  volume: 'volumeUsd',
  trades: 'txs',
  traders: 'traders',
  price_change: 'priceChangePct',
  new_holders: null,
} as const

export class Oracle {
  private readonly options: OracleOptions
  private readonly arrivals: PositionResolver
  private wallSeconds = 0
  private folded: World | null = null
  private readonly measured = new Map<string, Metrics>()

  constructor(options: OracleOptions) {
    this.options = options
    this.arrivals = new PositionResolver(options.lateSlots ?? 32)
  }

  get now(): number {
    return this.options.clock === 'event' ? this.arrivals.newestTimestamp : this.wallSeconds
  }

  get counts(): Readonly<Counts> {
    return this.arrivals.counts
  }

  setNow(seconds: number): void {
    this.wallSeconds = seconds
  }

  apply(event: FeedEvent): void {
    this.arrivals.take(event)
    this.folded = null
    this.measured.clear()
  }

  search(query: string): object[] {
    return searchRows(this.all(), query, this.now, this.world().solPriceUsd)
  }

  marketData(mints: readonly string[]): object[] {
    const known = [...new Set(mints)].flatMap((mint) => this.metrics(mint) ?? [])
    return known.map((metrics) => marketDataRow(metrics, this.now))
  }

  prices(mints: readonly string[]): object[] {
    return [...new Set(mints)].flatMap((mint) => this.metrics(mint) ?? []).map(priceRow)
  }

  priceAt(mint: string, seconds: number): object | null {
    return priceAt(this.world().tokens.get(mint), seconds)
  }

  /** Times of the trades of a mint. */
  tradeSeconds(mint: string): number[] {
    return (this.world().tokens.get(mint)?.swaps ?? []).map(({ swap }) => swap.timestamp)
  }

  swaps(mint: string, wallet: string | null, page: number, limit: number): object {
    return swapPage(this.world().coins, this.world().tokens.get(mint), wallet, { page, limit })
  }

  tokenTraders(mint: string, query: TraderQuery): object {
    return tokenTraders(this.world(), this.metrics(mint), this.now, query)
  }

  /** Wallets. */
  firstBuyers(mint: string): string[] {
    const token = this.world().tokens.get(mint)
    return token === undefined ? [] : firstBuyers(token)
  }

  /** Mints that the creator of a mint created. */
  creatorMints(mint: string): string[] {
    const creator = this.metrics(mint)?.creator ?? ''
    return creator === '' ? [] : createdBy(this.all(), creator).map(({ token }) => token.mint)
  }

  walletTokens(wallet: string, query: TraderQuery): object {
    return walletTokens(this.world(), (mint) => this.metrics(mint), wallet, this.now, query)
  }

  wallet(wallet: string): object {
    return walletRow(this.world(), (mint) => this.metrics(mint), wallet, this.now)
  }

  holderHistory(mint: string, resolution: Resolution): object | null {
    const token = this.world().tokens.get(mint)
    return token === undefined ? null : holderHistory(this.world(), token, resolution)
  }

  /** Creators of known tokens. */
  creators(): string[] {
    return [...new Set(this.all().map(({ creator }) => creator))].filter(
      (creator) => creator !== '',
    )
  }

  creator(wallet: string, page: Page): object {
    return creatorRow(this.all(), wallet, page)
  }

  /** By how many seconds the times of a wallet's trades of one mint step back at most, in the order of the chain. */
  stepBackSeconds(wallet: string): number {
    const positions = this.world().traders.get(wallet)?.positions.values() ?? []
    let longest = 0
    for (const { swaps } of positions) {
      let latest = 0
      for (const { swap } of swaps) {
        longest = Math.max(longest, latest - swap.timestamp)
        latest = Math.max(latest, swap.timestamp)
      }
    }
    return longest
  }

  walletsTop(query: WalletRanksQuery): object {
    return walletRanks(this.world(), query, this.now)
  }

  chart(query: ChartQuery): object {
    return chartOf(this.world().tokens.get(query.mint)?.swaps ?? [], query, this.now)
  }

  tables(query: TablesQuery): object {
    return tablesOf(this.world(), this.all(), query, this.now)
  }

  /** The envelope of `update_mint_info`; null when that swap was not taken. */
  tradeMessage(mint: string, signature: string, ordinal: number): object | null {
    return tradeMessage(this.world().coins, this.world().tokens.get(mint), signature, ordinal)
  }

  /** The envelope of `mint_migration`; null without a `migrated` event. */
  migrationMessage(mint: string): object | null {
    return migrationMessage(this.world().tokens.get(mint))
  }

  /** `quote_mint`, `quote_symbol` and `priced`, which stand where additive fields are asked for. */
  quote(mint: string): object | null {
    const token = this.world().tokens.get(mint)
    return token ? additiveQuote(this.world(), token) : null
  }

  /** `windows`, which stand where additive fields of tokens are asked for. */
  windows(mint: string): object {
    const swaps = this.world().tokens.get(mint)?.swaps ?? []
    return { windows: windowsOf(swaps, this.now) }
  }

  /** By mint: what each token with a trade in the window trends by. */
  trending({ window, by }: TrendingQuery): Map<string, number> {
    const values = new Map<string, number>()
    for (const [mint, { swaps }] of this.world().tokens) {
      if (windowValue(swaps, window, 'txs', this.now) === 0) continue
      const filter = TRENDS_BY[by]
      const value =
        filter === null
          ? newHolders(swaps, window, this.now)
          : windowValue(swaps, window, filter, this.now)
      values.set(mint, wire(value))
    }
    return values
  }

  /** `history_complete` and `history_from`, which stand where additive fields of tokens are asked for. */
  history(mint: string): object | null {
    const token = this.world().tokens.get(mint)
    return token ? additiveHistory(this.world(), token) : null
  }

  /** `lp_fee` and `cashback` of a swap; null when it was not taken. */
  fees(mint: string, signature: string, ordinal: number): object | null {
    const token = this.world().tokens.get(mint)
    const folded = swapOf(token, signature, ordinal)
    return token && folded ? additiveFees(this.world().coins, token, folded) : null
  }

  /** A page of swaps with their additive fields. */
  swapsWithExtras(mint: string, page: number, limit: number): object {
    const world = this.world()
    const token = world.tokens.get(mint)
    return swapPage(world.coins, token, null, { page, limit }, (folded) =>
      token ? additiveSwap(world, token, folded) : {},
    )
  }

  /** Trades of the mint, those of a middle coin among them. */
  swapCount(mint: string): number {
    return this.world().tokens.get(mint)?.swaps.length ?? 0
  }

  /** Wallets that traded the mint: not those that were only handed tokens. */
  traders(mint: string): number {
    const positions = this.world().tokens.get(mint)?.positions.values() ?? []
    return [...positions].filter(({ swaps }) => swaps.length > 0).length
  }

  /** `balance` events above the supply of their place. */
  get refusedBalances(): number {
    return this.world().refusedBalances
  }

  /** Events that were taken and have a place in the chain. */
  get taken(): number {
    return this.arrivals.taken
  }

  /** Every mint that a creation, swap, completion or migration named. */
  mints(): string[] {
    return [...this.world().tokens.keys()]
  }

  private world(): World {
    this.folded ??= new Fold(this.arrivals, this.options.proRule ?? DEFAULT_PRO_RULE).run()
    return this.folded
  }

  private all(): Metrics[] {
    return this.mints().flatMap((mint) => this.metrics(mint) ?? [])
  }

  private metrics(mint: string): Metrics | undefined {
    const token = this.world().tokens.get(mint)
    if (token === undefined) return undefined
    const metrics = this.measured.get(mint) ?? metricsOf(this.world(), token)
    this.measured.set(mint, metrics)
    return metrics
  }
}
