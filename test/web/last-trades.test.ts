import { expect, test } from 'vitest'
import type { Swap } from '../../client/src/mintfeed.ts'
import { lastTrades } from '../../web/src/wallet/last-trades.ts'

const swap = (signature: string, slot: number, direction = 'buy') =>
  ({
    signature,
    slot,
    tx_index: 3,
    direction,
    mint: 'M',
    base_balance_after: 1,
    timestamp: '2026-11-21 10:00:07',
  }) as Partial<Swap> as Swap

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
