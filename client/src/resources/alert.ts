import { isCount, isObject, listOf, type ObjectOf, objectOf, type Shape } from '../shape.ts'
import { isMigration } from './migration.ts'
import { isSwap } from './swap.ts'
import { isRow } from './tables.ts'
import { isSearched } from './token.ts'

const ALERT = {
  /** The same in every delivery of it. */
  id: 'text',
  /** Id of the rule that found it. */
  rule: 'text',
  /** Position of the event that it was found at. */
  seq: 'number',
  epoch: 'text',
  timestamp: 'text',
} as const

const CROSSING = {
  mint: 'text',
  direction: ['up', 'down'],
  value: 'number',
  price_usd: 'number',
  market_cap: 'number',
  token: isRow,
} as const

const FILTERED = { ...ALERT, event: ['filter_entered', 'filter_left'], data: isRow } as const
const CROSSED = {
  ...ALERT,
  event: ['price_crossed', 'market_cap_crossed'],
  data: objectOf(CROSSING),
} as const
const TRADED = { ...ALERT, event: ['wallet_traded'], data: isSwap } as const
const MIGRATED = { ...ALERT, event: ['token_migrated'], data: isMigration } as const
const LAUNCHED = { ...ALERT, event: ['token_launched'], data: isSearched } as const

/** What a rule found; `event` says what `data` is. */
export type Alert =
  | ObjectOf<typeof FILTERED>
  | ObjectOf<typeof CROSSED>
  | ObjectOf<typeof TRADED>
  | ObjectOf<typeof MIGRATED>
  | ObjectOf<typeof LAUNCHED>

const SHAPES: readonly Shape<Alert>[] = [
  ...[objectOf(FILTERED), objectOf(CROSSED)],
  ...[objectOf(TRADED), objectOf(MIGRATED), objectOf(LAUNCHED)],
]
export const isAlert: Shape<Alert> = (value): value is Alert => SHAPES.some((isOne) => isOne(value))

/** An alert with its number on the channel `alerts`. */
export type ToldAlert = Alert & { readonly n: number }
const isToldAlert: Shape<ToldAlert> = (value): value is ToldAlert =>
  isObject(value) && isCount(value.n) && isAlert(value)

const TOLD_ALERTS = {
  /** Number of the newest; 0 before the first. */
  head: 'number',
  /** What the next read gives as `after`. */
  next_after: 'number',
  /** Some behind `after` are not kept any more. */
  missed: 'flag',
  /** Oldest first. */
  items: listOf(isToldAlert),
} as const
export type ToldAlerts = ObjectOf<typeof TOLD_ALERTS>
export const isToldAlerts: Shape<ToldAlerts> = objectOf(TOLD_ALERTS)
