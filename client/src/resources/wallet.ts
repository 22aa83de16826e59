import { isCount, listOf, type ObjectOf, objectOf, orNull, type Shape } from '../shape.ts'

/** What the user of the service calls a wallet (`WALLET_LABELS`). */
const LABEL = { name: 'text', tag: 'text' } as const
export type WalletLabel = ObjectOf<typeof LABEL>
export const isLabel: Shape<WalletLabel> = objectOf(LABEL)

const RANKED = {
  realized_pnl_usd: 'number',
  volume_usd: 'number',
  trades: isCount,
  /** Tokens that were sold off, with a gain and with a loss. */
  wins: isCount,
  losses: isCount,
  win_rate_pct: 'number',
} as const

const WINDOW = {
  ...RANKED,
  /** Tokens that were traded. */
  tokens: isCount,
  /** Of the tokens that were sold off: from the first buy to the last sale. */
  median_hold_seconds: 'number',
} as const
/** What a wallet did in a window. */
export type WalletFigures = ObjectOf<typeof WINDOW>
const isFigures: Shape<WalletFigures> = objectOf(WINDOW)

const RESULT = {
  mint: 'text',
  name: 'text',
  symbol: 'text',
  pnl_usd: 'number',
  realized_pnl_usd: 'number',
  unrealized_pnl_usd: 'number',
  is_open: 'flag',
} as const
/** What a wallet made of one token. */
export type WalletResult = ObjectOf<typeof RESULT>
const isResult: Shape<WalletResult> = objectOf(RESULT)

const DAY = {
  /** A UTC day, as `2026-11-29`. */
  day: 'text',
  realized_pnl_usd: 'number',
  volume_usd: 'number',
  trades: isCount,
} as const
export type WalletDay = ObjectOf<typeof DAY>

const WALLET = {
  wallet: 'text',
  label: orNull(isLabel),
  /** UTC days with today: one, seven, thirty, all. */
  windows: objectOf({ '1d': isFigures, '7d': isFigures, '30d': isFigures, all: isFigures }),
  unrealized_pnl_usd: 'number',
  best: orNull(isResult),
  worst: orNull(isResult),
  /** The last thirty, the oldest first. */
  days: listOf(objectOf(DAY)),
} as const
/** What a wallet did. */
export type WalletSummary = ObjectOf<typeof WALLET>
export const isWallet: Shape<WalletSummary> = objectOf(WALLET)

const RANKED_WALLET = {
  rank: isCount,
  /** The figure that the ranking is by. */
  value: 'number',
  wallet: 'text',
  label: orNull(isLabel),
  ...RANKED,
} as const
export type RankedWallet = ObjectOf<typeof RANKED_WALLET>

const RANKING = {
  window: ['1d', '7d', '30d', 'all'],
  by: ['realized_pnl', 'volume', 'trades', 'win_rate'],
  items: listOf(objectOf(RANKED_WALLET)),
} as const
/** The first wallets of a ranking. */
export type WalletRanking = ObjectOf<typeof RANKING>
export const isRanking: Shape<WalletRanking> = objectOf(RANKING)

const WALLET_TAG = { tag: 'text', wallets: 'number' } as const
const WALLET_TAGS = { items: listOf(objectOf(WALLET_TAG)) } as const
export type WalletTags = ObjectOf<typeof WALLET_TAGS>
export const isWalletTags: Shape<WalletTags> = objectOf(WALLET_TAGS)
