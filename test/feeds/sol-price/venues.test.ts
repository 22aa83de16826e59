import { expect, test } from 'vitest'
import { PRICE_VENUES, readPrice } from '../../../src/feeds/sol-price/sol-price-feed.ts'

const [coinbase, binance, kraken] = PRICE_VENUES

function read(venue: (typeof PRICE_VENUES)[number], message: unknown): number | null | 'garbage' {
  return readPrice(venue, typeof message === 'string' ? message : JSON.stringify(message))
}

test('coinbase: the price of its ticker, nothing in acknowledgements and heartbeats', () => {
  const ticker = { type: 'ticker', sequence: 7, product_id: 'SOL-USD', price: '150.25' }
  expect(read(coinbase, ticker)).toBe(150.25)
  expect(read(coinbase, { ...ticker, product_id: 'BTC-USD' })).toBeNull()
  expect(read(coinbase, { type: 'heartbeat', product_id: 'SOL-USD', sequence: 8 })).toBeNull()
  expect(read(coinbase, { type: 'subscriptions', channels: [] })).toBeNull()
})

test('binance: the middle of bid and ask', () => {
  const quote = { u: 1, s: 'SOLUSDT', b: '150.00000000', B: '1', a: '150.50000000', A: '2' }
  expect(read(binance, quote)).toBe(150.25)
  expect(read(binance, { ...quote, b: '151' })).toBe('garbage')
  // A side of the book that is empty, or an order far from the other side, makes no price.
  for (const side of ['0.00000000', '', ' ', '0x96', '-1', '100'])
    expect(read(binance, { ...quote, b: side })).toBe('garbage')
  for (const side of ['300', '1e3']) expect(read(binance, { ...quote, a: side })).toBe('garbage')
  expect(read(binance, { result: null, id: 1 })).toBeNull()
})

test('kraken: the last trade of its ticker', () => {
  const data = [{ symbol: 'SOL/USD', bid: 150.2, ask: 150.3, last: 150.25 }]
  expect(read(kraken, { channel: 'ticker', type: 'update', data })).toBe(150.25)
  expect(read(kraken, { channel: 'heartbeat' })).toBeNull()
  expect(read(kraken, { method: 'subscribe', success: true })).toBeNull()
  expect(read(kraken, { channel: 'ticker', data: [] })).toBeNull()
})

test('what is no price is garbage and not a price', () => {
  const prices = ['-1', '0', 'NaN', 'Infinity', '1e300', '', ' 150', '0x96', '150.', null, [], {}]
  for (const price of prices.filter((one) => one !== null))
    expect(read(coinbase, { type: 'ticker', product_id: 'SOL-USD', price })).toBe('garbage')
  for (const last of [-1, 0, 1e300, '1e2', true])
    expect(read(kraken, { channel: 'ticker', data: [{ symbol: 'SOL/USD', last }] })).toBe('garbage')
  for (const text of ['', '{', 'null', '[1]', '"150"', '150'])
    expect(read(coinbase, text)).toBe('garbage')
})
