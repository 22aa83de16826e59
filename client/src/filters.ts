/**
 * The filters of the token tables, in the order of messages and documents. From these lists derive: the check of a
 * body and the words of its refusals (requests/tables.ts), the published schema, the columns of a query, and by a copy
 * of this file, client/src/filters.ts, the types of the client and the fields of the page. A test holds the copy equal.
 */

/** Filters of a number; query/tables/metrics.ts says what each counts. */
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
export type RangeFilter = (typeof RANGE_FILTERS)[number]

/** Filters of a fact; false is the same as absent. */
export const FLAG_FILTERS = [
  'devSoldAll',
  'noXReuses',
  'dexPaid',
  'caEndsWithSuffix',
  'historyComplete',
] as const
export type FlagFilter = (typeof FLAG_FILTERS)[number]

/** The windows of a token's trades, narrowest first; a window ends now (contract section 10). */
export const WINDOWS = ['1m', '5m', '1h', '6h', '24h'] as const
export type Window = (typeof WINDOWS)[number]

/** Filters of a window, inside `windows`, and what tables are ordered by: `5m.volumeUsd`. */
export const WINDOW_FILTERS = [
  'priceChangePct',
  'volumeUsd',
  'volumeBuyUsd',
  'volumeSellUsd',
  'txs',
  'buys',
  'sells',
  'traders',
  'highUsd',
  'lowUsd',
] as const
export type WindowFilter = (typeof WINDOW_FILTERS)[number]

/** What tables may be ordered by, greatest first: a quantity of a window. */
export type TableOrder = `${Window}.${WindowFilter}`
export const TABLE_ORDERS: readonly TableOrder[] = WINDOWS.flatMap((window) =>
  WINDOW_FILTERS.map((filter) => `${window}.${filter}` as const),
)

/** Links that a token may have. */
export const SOCIALS = ['twitter', 'telegram', 'website', 'discord'] as const

/** Filters of links, inside `socials`; `atLeastOne` is any of the four. */
export const SOCIAL_FILTERS = [...SOCIALS, 'atLeastOne'] as const
export type SocialFilter = (typeof SOCIAL_FILTERS)[number]

/** The tables. */
export const GROUPS = ['new', 'completing', 'graduated'] as const
export type Group = (typeof GROUPS)[number]

/** The key of a table's filters in a body. */
export const BODY_KEYS = {
  new: 'newPools',
  completing: 'completing',
  graduated: 'graduated',
} as const satisfies Record<Group, string>

/** Inclusive. */
export interface Range {
  readonly min?: number
  readonly max?: number
}

export type Socials = { readonly [K in SocialFilter]?: boolean }

export type WindowFilters = {
  readonly [W in Window]?: { readonly [K in WindowFilter]?: Range }
}

/** Held by at least `min` (1 unless given) of the wallets with a tag (setting `WALLET_LABELS`). */
export interface HeldBy {
  readonly tag: string
  readonly min?: number
}

/** Filters of one table, combined with AND; a flag requires when it is true. */
export type Filters = { readonly [K in RangeFilter]?: Range } & {
  readonly [K in FlagFilter]?: boolean
} & {
  readonly socials?: Socials
  readonly windows?: WindowFilters
  readonly heldBy?: HeldBy
}
