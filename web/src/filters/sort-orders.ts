import type { TableRow } from '../../../client/src/mintfeed.ts'

/**
 * Orders of a column beside the service's own (creation, completion, migration). They sort the rows
 * the service gave, the first `ROWS` of its order, not the whole market.
 */
export const SORTS = {
  default: { label: 'Newest', value: null },
  cap: { label: 'Market cap', value: (row: TableRow) => row.market_cap },
  volume: { label: 'Volume', value: (row: TableRow) => row.vol_24h },
  txs: { label: 'Trades', value: (row: TableRow) => row.tx_24h },
  holders: { label: 'Holders', value: (row: TableRow) => row.holders },
  progress: { label: 'Progress', value: (row: TableRow) => row.pct_completion },
  top10: { label: 'Top 10, low first', value: (row: TableRow) => -row.top_10_percent },
} as const
export type SortKey = keyof typeof SORTS
export const SORT_KEYS: readonly SortKey[] = [
  'default',
  'cap',
  'volume',
  'txs',
  'holders',
  'progress',
  'top10',
]

export function isSortKey(text: string): text is SortKey {
  return Object.hasOwn(SORTS, text)
}

/** The rows in an order, equal ones as they came. */
export function sorted(rows: readonly TableRow[], key: SortKey): readonly TableRow[] {
  const { value } = SORTS[key]
  if (value === null) return rows
  return [...rows].sort((a, b) => value(b) - value(a))
}
