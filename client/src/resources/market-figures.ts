import { type ObjectOf, objectOf, type Shape } from '../shape.ts'

const FIGURES = {
  tokens: 'number',
  wallets: 'number',
  swaps: 'number',
  sol_price_usd: 'number',
  time: 'number',
} as const

/** `time` is unix seconds. */
export type MarketFigures = ObjectOf<typeof FIGURES>
export const isFigures: Shape<MarketFigures> = objectOf(FIGURES)
