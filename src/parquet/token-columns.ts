import type { TokenReader } from '../engine/read/token-reader.ts'
import { TokenLane } from '../engine/state/layout.ts'
import { METRICS, type Metric } from '../query/tables/metrics.ts'
import { type Column, u64Of } from './columns.ts'

type TokenColumn = Column<TokenReader>

/** Metrics that are whole numbers. */
const COUNTS: ReadonlySet<string> = new Set([
  ...['tx_24h', 'tx_24h_buy', 'tx_24h_sell', 'holders', 'pro_traders', 'age_seconds'],
  ...['creator_completed_pools', 'creator_completing_pools'],
])

/**
 * The tokens, as of the end of the export. First what the API knows of a token, by its names (search, else market data, else
 * table rows), then what stands in no answer of it.
 */
export const TOKEN_COLUMNS: readonly TokenColumn[] = [
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

function metricColumn(metric: Metric, name: string): TokenColumn {
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

function raw(name: string, lane: number): TokenColumn {
  return { name, kind: 'u64', read: (token) => token.raw(lane) }
}
