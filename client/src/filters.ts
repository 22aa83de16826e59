/** Inclusive. */
export interface Range {
  readonly min?: number
  readonly max?: number
}

/** Filters of one group, combined with AND; a flag requires when it is true. */
export interface Filters {
  readonly xReuses?: Range
  readonly ageMinutes?: Range
  readonly mCapUsd?: Range
  readonly volumeUsd?: Range
  readonly txsBuys?: Range
  readonly txsSells?: Range
  readonly top10HoldingPct?: Range
  readonly devHoldingPct?: Range
  readonly snipersHoldingPct?: Range
  readonly insidersHoldingPct?: Range
  readonly bundlersHoldingPct?: Range
  readonly freshWalletsHoldingPct?: Range
  readonly holders?: Range
  readonly proTradersAmount?: Range
  readonly devMigrations?: Range
  readonly devCreations?: Range
  readonly devSoldAll?: boolean
  readonly noXReuses?: boolean
  readonly dexPaid?: boolean
  readonly caEndsWithSuffix?: boolean
  readonly socials?: Socials
}

export interface Socials {
  readonly twitter?: boolean
  readonly telegram?: boolean
  readonly website?: boolean
  readonly discord?: boolean
  /** Any of the four. */
  readonly atLeastOne?: boolean
}

/** Which rows of which groups a table has. */
export interface TableFilter {
  /** `all` by default. */
  readonly type?: 'new' | 'completing' | 'graduated' | 'all'
  /** Rows a group, 1 to 200; 50 by default. */
  readonly limit?: number
  /** Rows have `quote_mint`, `quote_symbol` and `priced` too. */
  readonly extra?: boolean
  readonly newPools?: Filters
  readonly completing?: Filters
  readonly graduated?: Filters
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
