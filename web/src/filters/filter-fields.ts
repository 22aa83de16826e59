/** The filters of `POST /api/v2/meme`, as the page names, groups and explains them. */

export const GROUPS = ['new', 'completing', 'graduated'] as const
export type Group = (typeof GROUPS)[number]

/** The key of the group's filters in the request. */
export const BODY_KEYS = {
  new: 'newPools',
  completing: 'completing',
  graduated: 'graduated',
} as const satisfies Record<Group, string>

export interface RangeField {
  readonly key: RangeKey
  readonly label: string
  /** Shown behind the bounds: `$`, `%`, `min` or nothing. */
  readonly unit: string
}

export const RANGE_KEYS = [
  'ageMinutes',
  'mCapUsd',
  'volumeUsd',
  'txsBuys',
  'txsSells',
  'holders',
  'proTradersAmount',
  'top10HoldingPct',
  'devHoldingPct',
  'snipersHoldingPct',
  'insidersHoldingPct',
  'bundlersHoldingPct',
  'freshWalletsHoldingPct',
  'devMigrations',
  'devCreations',
  'xReuses',
] as const
export type RangeKey = (typeof RANGE_KEYS)[number]

const RANGE_LABELS: Readonly<Record<RangeKey, readonly [label: string, unit: string]>> = {
  ageMinutes: ['Age', 'min'],
  mCapUsd: ['Market cap', '$'],
  volumeUsd: ['Volume 24 h', '$'],
  txsBuys: ['Buys 24 h', ''],
  txsSells: ['Sells 24 h', ''],
  holders: ['Holders', ''],
  proTradersAmount: ['Pro traders', ''],
  top10HoldingPct: ['Top 10 hold', '%'],
  devHoldingPct: ['Creator holds', '%'],
  snipersHoldingPct: ['Snipers hold', '%'],
  insidersHoldingPct: ['Insiders hold', '%'],
  bundlersHoldingPct: ['Bundlers hold', '%'],
  freshWalletsHoldingPct: ['Fresh wallets hold', '%'],
  devMigrations: ['Creator graduated', ''],
  devCreations: ['Creator created', ''],
  xReuses: ['X link reused', '×'],
}

export const RANGE_FIELDS: readonly RangeField[] = RANGE_KEYS.map((key) => {
  const [label, unit] = RANGE_LABELS[key]
  return { key, label, unit }
})

export const FLAG_LABELS = {
  devSoldAll: 'Creator sold all',
  noXReuses: 'X link is new',
  dexPaid: 'Dex paid',
  caEndsWithSuffix: 'Platform suffix',
} as const
export type FlagKey = keyof typeof FLAG_LABELS
export const FLAG_KEYS: readonly FlagKey[] = [
  'devSoldAll',
  'noXReuses',
  'dexPaid',
  'caEndsWithSuffix',
]

export const SOCIAL_LABELS = {
  twitter: 'X',
  telegram: 'Telegram',
  website: 'Website',
  discord: 'Discord',
  atLeastOne: 'Any of them',
} as const
export type SocialKey = keyof typeof SOCIAL_LABELS
export const SOCIAL_KEYS: readonly SocialKey[] = [
  'twitter',
  'telegram',
  'website',
  'discord',
  'atLeastOne',
]

export interface Range {
  readonly min?: number
  readonly max?: number
}

/** Filters of one column; what is absent does not filter. */
export type ColumnFilters = { readonly [K in RangeKey]?: Range } & {
  readonly [K in FlagKey]?: true
} & { readonly socials?: { readonly [K in SocialKey]?: true } }

/** How many things a column filters by, for the badge. */
export function filterCount({ socials, ...others }: ColumnFilters): number {
  return Object.keys(others).length + Object.keys(socials ?? {}).length
}
