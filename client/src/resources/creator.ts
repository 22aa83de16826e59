import { isCount, listOf, type ObjectOf, objectOf, orNull, type Shape } from '../shape.ts'
import { isLabel } from './wallet.ts'

const CREATED = {
  mint: 'text',
  name: 'text',
  symbol: 'text',
  timestamp: 'text',
  outcome: ['new', 'completing', 'graduated'],
  migration_timestamp: 'text?',
  /** From the creation to the last trade. */
  life_seconds: 'number',
  market_cap: 'number',
  /** Of the supply. */
  creator_bought_pct: 'number',
  creator_sold_pct: 'number',
  creator_holding_pct: 'number',
  creator_sold_all: 'flag',
  creator_first_sell: 'text?',
  creator_last_sell: 'text?',
} as const
/** What became of a token, and of what its creator had of it. */
export type CreatedToken = ObjectOf<typeof CREATED>

const CREATOR = {
  wallet: 'text',
  label: orNull(isLabel),
  graduated: isCount,
  graduated_pct: 'number',
  median_life_seconds: 'number',
  total: isCount,
  page: isCount,
  limit: isCount,
  /** The newest arrival first. */
  items: listOf(objectOf(CREATED)),
} as const
/** What a creator made of its tokens; the figures are of all of them. */
export type Creator = ObjectOf<typeof CREATOR>
export const isCreator: Shape<Creator> = objectOf(CREATOR)
