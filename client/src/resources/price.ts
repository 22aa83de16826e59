import { isCount, type ObjectOf, objectOf, type Shape } from '../shape.ts'

const PRICE = {
  mint: 'text',
  price_usd: 'number',
  price_sol: 'number',
  market_cap_usd: 'number',
  /** Time of the last trade; null before the first. */
  timestamp: 'text?',
  /** Number of that trade in the stream of its mint; 0 before the first. */
  seq: isCount,
} as const

/** What a token costs now. */
export type Price = ObjectOf<typeof PRICE>
export const isPrice: Shape<Price> = objectOf(PRICE)

const PRICE_AT = { ...PRICE, timestamp: 'text', signature: 'text' } as const

/** What a token cost behind a trade, which `timestamp`, `seq` and `signature` name. */
export type PriceAt = ObjectOf<typeof PRICE_AT>
export const isPriceAt: Shape<PriceAt> = objectOf(PRICE_AT)
