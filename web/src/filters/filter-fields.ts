import type {
  Filters,
  FlagFilter,
  RangeFilter,
  SocialFilter,
  WindowFilter,
} from '../../../client/src/mintfeed.ts'

/** The client's filters, as the page orders and labels them; the unit is shown behind the bounds. */

export interface RangeField<Key extends string = RangeFilter> {
  readonly key: Key
  readonly label: string
  readonly unit: '$' | '%' | '×' | 'min' | ''
}

export const RANGE_FIELDS: readonly RangeField[] = [
  { key: 'ageMinutes', label: 'Age', unit: 'min' },
  { key: 'mCapUsd', label: 'Market cap', unit: '$' },
  { key: 'volumeUsd', label: 'Volume 24 h', unit: '$' },
  { key: 'txsBuys', label: 'Buys 24 h', unit: '' },
  { key: 'txsSells', label: 'Sells 24 h', unit: '' },
  { key: 'holders', label: 'Holders', unit: '' },
  { key: 'proTradersAmount', label: 'Pro traders', unit: '' },
  { key: 'top10HoldingPct', label: 'Top 10 hold', unit: '%' },
  { key: 'devHoldingPct', label: 'Creator holds', unit: '%' },
  { key: 'snipersHoldingPct', label: 'Snipers hold', unit: '%' },
  { key: 'insidersHoldingPct', label: 'Insiders hold', unit: '%' },
  { key: 'bundlersHoldingPct', label: 'Bundlers hold', unit: '%' },
  { key: 'freshWalletsHoldingPct', label: 'Fresh wallets hold', unit: '%' },
  { key: 'devMigrations', label: 'Creator graduated', unit: '' },
  { key: 'devCreations', label: 'Creator created', unit: '' },
  { key: 'xReuses', label: 'X link reused', unit: '×' },
]
export const RANGE_KEYS: readonly RangeFilter[] = RANGE_FIELDS.map(({ key }) => key)

/** Quantities of a window: bounds of a filter, and what a column is ordered by. */
export const WINDOW_FIELDS: readonly RangeField<WindowFilter>[] = [
  { key: 'priceChangePct', label: 'Price change', unit: '%' },
  { key: 'volumeUsd', label: 'Volume', unit: '$' },
  { key: 'txs', label: 'Trades', unit: '' },
  { key: 'traders', label: 'Traders', unit: '' },
  { key: 'buys', label: 'Buys', unit: '' },
  { key: 'sells', label: 'Sells', unit: '' },
  { key: 'volumeBuyUsd', label: 'Bought', unit: '$' },
  { key: 'volumeSellUsd', label: 'Sold', unit: '$' },
  { key: 'highUsd', label: 'Highest price', unit: '$' },
  { key: 'lowUsd', label: 'Lowest price', unit: '$' },
]

export const FLAG_LABELS: Readonly<Record<FlagFilter, string>> = {
  devSoldAll: 'Creator sold all',
  noXReuses: 'X link is new',
  dexPaid: 'Dex paid',
  caEndsWithSuffix: 'Platform suffix',
  historyComplete: 'Whole history seen',
}

export const SOCIAL_LABELS: Readonly<Record<SocialFilter, string>> = {
  twitter: 'X',
  telegram: 'Telegram',
  website: 'Website',
  discord: 'Discord',
  atLeastOne: 'Any of them',
}

/** How many things a column filters by, for the badge. */
export function filterCount({ socials, windows, ...others }: Filters): number {
  const ofWindows = Object.values(windows ?? {}).map((ranges) => Object.keys(ranges).length)
  const own = Object.keys(others).length + Object.keys(socials ?? {}).length
  return ofWindows.reduce((sum, count) => sum + count, own)
}
