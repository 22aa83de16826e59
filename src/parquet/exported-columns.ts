/** The columns of each table: what the API has of a row, by its names, then what stands in no answer of it. */
import type { ChartBar } from '../engine/read/chart.ts'
import type { PositionReader } from '../engine/read/position-reader.ts'
import type { TokenReader } from '../engine/read/token-reader.ts'
import { PositionLane, TokenLane } from '../engine/state/layout.ts'
import { Flag, Hop, SwapLane } from '../events/swap-record.ts'
import type { SwapReader } from '../query/json/swap-reader.ts'
import { METRICS, type Metric } from '../query/tables/metrics.ts'
import { TRADER_FIELDS } from '../query/traders/trader-pages.ts'
import { type Column, u64Of } from './columns.ts'

/**
 * The folded swaps. Columns of the API have its names and values; `…_raw` are the amounts of the chain to their last digit,
 * in the units of the mint, of the quote, or in lamports (chain fee).
 */
export const SWAP_COLUMNS: readonly Column<SwapReader>[] = [
  { name: 'slot', kind: 'u64', read: (swap) => BigInt(swap.slot) },
  { name: 'tx_index', kind: 'u32', read: (swap) => swap.txIndex },
  { name: 'ordinal', kind: 'u32', read: (swap) => swap.ordinal },
  { name: 'signature', kind: 'text', read: (swap) => swap.signature },
  { name: 'timestamp', kind: 'time', read: (swap) => swap.timestamp },
  { name: 'source', kind: 'text', read: (swap) => swap.source },
  { name: 'direction', kind: 'text', read: (swap) => swap.direction },
  { name: 'signer', kind: 'text', read: (swap) => swap.signer },
  { name: 'mint', kind: 'text', read: (swap) => swap.mint },
  { name: 'pool', kind: 'text', read: (swap) => swap.pool },
  { name: 'quote_mint', kind: 'text', read: (swap) => swap.quoteMint },
  { name: 'quote_symbol', kind: 'text', read: (swap) => swap.quoteSymbol },
  raw('base_raw', SwapLane.baseLo),
  raw('quote_raw', SwapLane.quoteLo),
  { name: 'base_mint_amount', kind: 'double', read: (swap) => swap.tokens(SwapLane.baseLo) },
  { name: 'quote_mint_amount', kind: 'double', read: (swap) => swap.units(SwapLane.quoteLo) },
  { name: 'base_mint_price_usd', kind: 'double', read: (swap) => swap.price.usd },
  { name: 'base_mint_price_sol', kind: 'double', read: (swap) => swap.price.sol },
  { name: 'sol_price_usd', kind: 'double', read: (swap) => swap.solPriceUsd },
  { name: 'priced', kind: 'boolean', read: (swap) => swap.isPriced },
  { name: 'volume_usd', kind: 'double', read: (swap) => swap.volumeUsd },
  { name: 'volume_micro_usd', kind: 'u64', read: (swap) => u64Of(swap.volumeMicroUsd) },
  { name: 'm_cap_usd', kind: 'double', read: (swap) => swap.price.usd * swap.supply },
  { name: 'bonding_curve_progress', kind: 'double', read: (swap) => swap.completionPercent },
  { name: 'liquidity_usd', kind: 'double', read: (swap) => swap.liquidityUsd },
  raw('virtual_base_raw', SwapLane.virtualBaseLo),
  raw('virtual_quote_raw', SwapLane.virtualQuoteLo),
  raw('supply_raw', SwapLane.supplyLo),
  raw('chain_fee_raw', SwapLane.chainFeeLo),
  raw('platform_fee_raw', SwapLane.platformFeeLo),
  raw('creator_fee_raw', SwapLane.creatorFeeLo),
  { name: 'lp_fee_raw', kind: 'u64', read: (swap) => swap.lpFeeRaw },
  raw('cashback_raw', SwapLane.cashbackLo),
  raw('base_balance_before_raw', SwapLane.balanceBeforeLo),
  raw('base_balance_after_raw', SwapLane.balanceAfterLo),
  { name: 'base_decimals', kind: 'u32', read: (swap) => swap.decimals },
  { name: 'quote_decimals', kind: 'u32', read: (swap) => swap.quoteDecimals },
  flag('fresh_wallet', Flag.freshWallet),
  flag('sniper_wallet', Flag.sniperWallet),
  flag('pro_trader', Flag.proTrader),
  flag('bundle_wallet', Flag.bundleWallet),
  flag('insider_wallet', Flag.insiderWallet),
  flag('creator_wallet', Flag.creatorWallet),
  { name: 'passed_through', kind: 'boolean', read: (swap) => swap.hop === Hop.passed },
]

function flag(name: string, bit: number): Column<SwapReader> {
  return { name, kind: 'boolean', read: (swap) => swap.is(bit) }
}

/** A bar of a mint. */
export interface MintBar {
  readonly mint: string
  readonly bar: ChartBar
}

const MICRO = 1e6
const LAMPORTS = 1e9

/** The candles of the API's chart, in USD and in SOL, with their volumes as the integers that they are kept as. */
export const BAR_COLUMNS: readonly Column<MintBar>[] = [
  { name: 'mint', kind: 'text', read: ({ mint }) => mint },
  { name: 'time', kind: 'time', read: ({ bar }) => bar.time },
  { name: 'open', kind: 'double', read: ({ bar }) => bar.usd.open },
  { name: 'high', kind: 'double', read: ({ bar }) => bar.usd.high },
  { name: 'low', kind: 'double', read: ({ bar }) => bar.usd.low },
  { name: 'close', kind: 'double', read: ({ bar }) => bar.usd.close },
  { name: 'volume_usd', kind: 'double', read: ({ bar }) => bar.microUsd / MICRO },
  { name: 'open_sol', kind: 'double', read: ({ bar }) => bar.sol.open },
  { name: 'high_sol', kind: 'double', read: ({ bar }) => bar.sol.high },
  { name: 'low_sol', kind: 'double', read: ({ bar }) => bar.sol.low },
  { name: 'close_sol', kind: 'double', read: ({ bar }) => bar.sol.close },
  { name: 'volume_sol', kind: 'double', read: ({ bar }) => bar.lamports / LAMPORTS },
  { name: 'volume_micro_usd', kind: 'u64', read: ({ bar }) => u64Of(bar.microUsd) },
  { name: 'volume_lamports', kind: 'u64', read: ({ bar }) => u64Of(bar.lamports) },
]

/** The positions, as of the end of the export: the trader record of the API, then its amounts to their last digit. */
export const POSITION_COLUMNS: readonly Column<PositionReader>[] = [
  ...TRADER_FIELDS.map(({ name, ...field }): Column<PositionReader> => ({ name, ...field })),
  raw('holding_raw', PositionLane.balanceLo),
  raw('bought_raw', PositionLane.boughtLo),
  raw('sold_raw', PositionLane.soldLo),
  raw('untracked_raw', PositionLane.untrackedLo),
]

/** Metrics that are whole numbers. */
const COUNTS: ReadonlySet<string> = new Set([
  ...['tx_24h', 'tx_24h_buy', 'tx_24h_sell', 'holders', 'pro_traders', 'age_seconds'],
  ...['creator_completed_pools', 'creator_completing_pools'],
])

/**
 * The tokens, as of the end of the export. First what the API knows of a token, by its names (search, else market data, else
 * table rows), then what stands in no answer of it.
 */
export const TOKEN_COLUMNS: readonly Column<TokenReader>[] = [
  ...METRICS.flatMap((metric) => {
    const name = metric.names.search ?? metric.names.market ?? metric.names.table
    return name === undefined ? [] : [metricColumn(metric, name)]
  }),
  { name: 'migrated', kind: 'boolean', read: (token) => token.isGraduated },
  { name: 'quote_mint', kind: 'text', read: (token) => token.quoteMint },
  { name: 'quote_symbol', kind: 'text', read: (token) => token.quoteSymbol },
  { name: 'priced', kind: 'boolean', read: (token) => token.isPriced },
  { name: 'history_complete', kind: 'boolean', read: (token) => token.isHistoryComplete },
  { name: 'history_from', kind: 'time', read: (token) => token.historyFrom },
  { name: 'dex_paid', kind: 'boolean', read: (token) => token.isDexPaid },
  { name: 'x_reuses', kind: 'u32', read: (token) => token.xReuses },
  { name: 'swaps', kind: 'u32', read: (token) => token.lane(TokenLane.swaps) },
  { name: 'traders', kind: 'u32', read: (token) => token.lane(TokenLane.traders) },
  { name: 'decimals', kind: 'u32', read: (token) => token.decimals },
  raw('supply_raw', TokenLane.supplyLo),
  raw('virtual_base_raw', TokenLane.virtualBaseLo),
  raw('virtual_quote_raw', TokenLane.virtualQuoteLo),
  { name: 'volume_micro_usd', kind: 'u64', read: (token) => u64Of(token.volumeMicroUsd) },
]

function metricColumn(metric: Metric, name: string): Column<TokenReader> {
  switch (metric.kind) {
    case 'number':
      return { name, kind: COUNTS.has(name) ? 'u32' : 'double', read: metric.read }
    case 'optional text':
      return { name, kind: 'text', read: (token) => metric.read(token) || null }
    case 'text':
    case 'text or null':
      return { name, kind: 'text', read: metric.read }
    default:
      return { ...metric, name }
  }
}

/** An amount to its last digit. */
function raw(name: string, lane: number): Column<{ raw(lane: number): bigint }> {
  return { name, kind: 'u64', read: (row) => row.raw(lane) }
}
