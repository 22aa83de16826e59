import { type ObjectOf, objectOf, optional, orNull, type Shape } from '../shape.ts'

/** A token's trades in (now - width, now]. */
const TRADE_WINDOW = {
  /** From the last trade before it, else from the first in it, to the newest. */
  price_change_pct: 'number',
  volume_usd: 'number',
  volume_buy_usd: 'number',
  volume_sell_usd: 'number',
  txs: 'number',
  buys: 'number',
  sells: 'number',
  /** Distinct wallets. */
  traders: 'number',
  traders_exact: 'flag',
  high_usd: 'number',
  low_usd: 'number',
} as const
const isWindow = objectOf(TRADE_WINDOW)

/** The windows of a token's trades, by their widths. */
const TRADE_WINDOWS = {
  '1m': isWindow,
  '5m': isWindow,
  '1h': isWindow,
  '6h': isWindow,
  '24h': isWindow,
} as const

export type TradeWindow = ObjectOf<typeof TRADE_WINDOW>
export type TradeWindows = ObjectOf<typeof TRADE_WINDOWS>
/** Null while a swap of the last 24 hours cannot be read from the server's disk. */
export const isWindows: Shape<TradeWindows | null> = orNull(objectOf(TRADE_WINDOWS))
export const maybeWindows: Shape<TradeWindows | null | undefined> = optional(isWindows)

/** What happened to a token in the last 24 hours. */
export const WINDOW = {
  tx_24h: 'number',
  tx_24h_buy: 'number',
  tx_24h_sell: 'number',
  vol_24h: 'number',
  vol_24_buy: 'number',
  vol_24_sell: 'number',
} as const
