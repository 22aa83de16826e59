import type { WindowReader } from '../../engine/read/window-reader.ts'
import type { WindowFilter } from '../../protocol/filters.ts'

/** The quantities of a window: the key in each answer, the filter, and how it is read (contract section 10). */
export const WINDOW_METRICS: readonly {
  readonly key: string
  readonly filter: WindowFilter
  readonly read: (window: WindowReader) => number
}[] = [
  { key: 'price_change_pct', filter: 'priceChangePct', read: (w) => w.priceChangePercent },
  { key: 'volume_usd', filter: 'volumeUsd', read: (w) => w.volumeUsd },
  { key: 'volume_buy_usd', filter: 'volumeBuyUsd', read: (w) => w.buyVolumeUsd },
  { key: 'volume_sell_usd', filter: 'volumeSellUsd', read: (w) => w.sellVolumeUsd },
  { key: 'txs', filter: 'txs', read: (w) => w.swaps },
  { key: 'buys', filter: 'buys', read: (w) => w.buys },
  { key: 'sells', filter: 'sells', read: (w) => w.sells },
  { key: 'traders', filter: 'traders', read: (w) => w.traders },
  { key: 'high_usd', filter: 'highUsd', read: (w) => w.extremes.highUsd },
  { key: 'low_usd', filter: 'lowUsd', read: (w) => w.extremes.lowUsd },
]
