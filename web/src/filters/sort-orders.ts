import {
  TABLE_ORDERS,
  type TableOrder,
  type TableRow,
  WINDOW_FILTERS,
  WINDOWS,
  type Window,
} from '../../../client/src/mintfeed.ts'

/**
 * Orders of a column beside the service's own (creation, completion, migration). They sort the rows
 * the service gave, the first `ROWS` of its order, not the whole market.
 */
export const SORTS = {
  default: { label: 'Newest', value: null },
  cap: { label: 'Market cap', value: (row: TableRow) => row.market_cap },
  volume: { label: 'Volume 24h', value: (row: TableRow) => row.vol_24h },
  txs: { label: 'Trades 24h', value: (row: TableRow) => row.tx_24h },
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

/** An order of the page's own, or one by a window, which the service makes over the whole market. */
export type Order = SortKey | TableOrder

export function isTableOrder(text: string): text is TableOrder {
  return TABLE_ORDERS.some((order) => order === text)
}

export function isOrder(text: string): text is Order {
  return isSortKey(text) || isTableOrder(text)
}

export function isWindow(text: string): text is Window {
  return WINDOWS.some((window) => window === text)
}

/** The window that a column is ordered by; null for the page's own orders. */
export function windowOf(order: Order): Window | null {
  return WINDOWS.find((window) => order.startsWith(`${window}.`)) ?? null
}

/** The same quantity of another window. */
export function orderIn(window: Window, order: Order): Order {
  const quantity = WINDOW_FILTERS.find((filter) => order.endsWith(`.${filter}`))
  return quantity === undefined ? order : `${window}.${quantity}`
}

/** The rows in an order, equal ones as they came. Those of a window come in it. */
export function sorted(rows: readonly TableRow[], key: Order): readonly TableRow[] {
  if (isTableOrder(key)) return rows
  const { value } = SORTS[key]
  if (value === null) return rows
  return [...rows].sort((a, b) => value(b) - value(a))
}
