import { isRecord, type JsonRecord, jsonOf, listAt } from '../../base/json-access.ts'
import { isSolPrice } from '../../base/thresholds.ts'

/** Venues tell cents at least: below, in USD per SOL, it is garbage. */
const USD_MIN = 0.01
/** Bid and ask lie a hundredth of a percent apart; further ones are no market. */
const SPREAD_SHARE = 0.01
const DECIMAL = /^\d{1,9}(\.\d{1,12})?$/

/** A place that trades SOL against dollars and tells its price to anybody. */
export interface PriceVenue {
  readonly name: string
  readonly url: string
  /** Messages that subscribe. */
  readonly greetings: readonly string[]
  /** The price in a message: a number or its text; null when the message carries none. */
  readonly priceOf: (message: JsonRecord) => unknown
}

/** Last trade of SOL-USD; heartbeats keep a silent market apart from a dead connection. */
const COINBASE: PriceVenue = {
  name: 'coinbase',
  url: 'wss://ws-feed.exchange.coinbase.com',
  greetings: ['{"type":"subscribe","product_ids":["SOL-USD"],"channels":["ticker","heartbeat"]}'],
  priceOf: (message) =>
    message.type === 'ticker' && message.product_id === 'SOL-USD' ? message.price : null,
}

/** Middle of best bid and ask of SOLUSDT: dollars of a stablecoin, within a few hundredths of %. */
const BINANCE: PriceVenue = {
  name: 'binance',
  url: 'wss://stream.binance.com:9443/ws/solusdt@bookTicker',
  greetings: [],
  priceOf: (message) => {
    if (message.s !== 'SOLUSDT') return null
    const bid = decimalOf(message.b)
    const ask = decimalOf(message.a)
    return bid <= ask && ask - bid <= bid * SPREAD_SHARE ? (bid + ask) / 2 : Number.NaN
  },
}

/** Last trade of SOL/USD. */
const KRAKEN: PriceVenue = {
  name: 'kraken',
  url: 'wss://ws.kraken.com/v2',
  greetings: ['{"method":"subscribe","params":{"channel":"ticker","symbol":["SOL/USD"]}}'],
  priceOf: (message) => {
    if (message.channel !== 'ticker') return null
    const data = listAt(message, 'data')?.[0]
    return isRecord(data) && data.symbol === 'SOL/USD' ? data.last : null
  },
}

export const PRICE_VENUES: readonly PriceVenue[] = [COINBASE, BINANCE, KRAKEN]

/** USD per SOL in a message; null: none in it; `garbage`: not what the venue sends. */
export function readPrice(venue: PriceVenue, text: string): number | null | 'garbage' {
  const message = jsonOf(text)
  if (!isRecord(message)) return 'garbage'
  const price = venue.priceOf(message)
  if (price === null) return null
  const usd = typeof price === 'string' ? decimalOf(price) : price
  return typeof usd === 'number' && usd >= USD_MIN && isSolPrice(usd) ? usd : 'garbage'
}

/** NaN for what is no decimal text. */
function decimalOf(text: unknown): number {
  return typeof text === 'string' && DECIMAL.test(text) ? Number(text) : Number.NaN
}
