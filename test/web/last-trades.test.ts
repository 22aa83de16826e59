import { expect, test } from 'vitest'
import type { Swap } from '../../client/src/mintfeed.ts'
import { lastTrades, tradesWithoutGaps } from '../../web/src/wallet/last-trades.ts'

const swap = (signature: string, slot: number, direction = 'buy') =>
  ({
    signature,
    slot,
    tx_index: 3,
    direction,
    mint: 'M',
    base_mint_amount: 1,
    quote_mint_amount: 1,
    base_mint_price_usd: 1,
    base_balance_after: 1,
    timestamp: '2026-11-21 10:00:07',
  }) as Partial<Swap> as Swap

/** So many seconds behind ten o'clock. */
const at = (second: number) => ({
  ...swap(`at ${second}`, second),
  timestamp: `2026-11-21 10:00:${String(second).padStart(2, '0')}`,
})
const recordAt = (second: number) => ({
  last_active_ts: Date.parse('2026-11-21T10:00:00Z') / 1000 + second,
})
const pageOf = (total: number, ...seconds: readonly number[]) => ({ total, items: seconds.map(at) })

const textOf = (trades: readonly Swap[]) =>
  trades.map(({ signature, direction }) => `${signature} ${direction}`)

test('trades of one transaction keep their places when others come', () => {
  let shown = lastTrades([swap('b', 7, 'sell'), swap('b', 7), swap('a', 5)])
  expect(textOf(shown)).toEqual(['b sell', 'b buy', 'a buy'])
  shown = lastTrades([swap('c', 8), ...shown])
  expect(textOf(shown)).toEqual(['c buy', 'b sell', 'b buy', 'a buy'])
  shown = lastTrades(shown)
  expect(textOf(shown)).toEqual(['c buy', 'b sell', 'b buy', 'a buy'])
})

test('a trade that is read and comes live is there once', () => {
  const shown = lastTrades([swap('b', 7), swap('0', 4), swap('b', 7), swap('a', 5)])
  expect(textOf(shown)).toEqual(['b buy', 'a buy', '0 buy'])
})

test('two buys of one transaction are both there, though one balance stands behind both', () => {
  const second = { ...swap('b', 7), base_mint_amount: 2, base_mint_price_usd: 1.5 }
  expect(lastTrades([second, swap('b', 7), swap('a', 5)])).toHaveLength(3)
})

test('trades that lie behind those of a token that was not read are left out', () => {
  const records = [50, 40, 30].map(recordAt)
  const pages = [pageOf(2, 50, 20), pageOf(2, 40, 35)]
  const shown = lastTrades(tradesWithoutGaps(records, pages))
  expect(shown.map(({ signature }) => signature)).toEqual(['at 50', 'at 40', 'at 35'])
  // The one that had no answer is as good as not read.
  expect(tradesWithoutGaps(records, [pages[0], null, null])).toEqual([at(50)])
})

test('trades that lie behind the oldest that was read of another token are left out', () => {
  const records = [50, 40].map(recordAt)
  const pages = [pageOf(9, 50, 45), pageOf(2, 40, 10)]
  expect(tradesWithoutGaps(records, pages)).toEqual([at(50), at(45)])
  const whole = tradesWithoutGaps(records, [pageOf(2, 50, 45), pageOf(2, 40, 10)])
  expect(whole).toHaveLength(4)
})
