import { expect, test } from 'vitest'
import type { Swap } from '../../client/src/mintfeed.ts'
import { barMarks, swapMarks, tradesOf } from '../../web/src/token/marks.ts'

const swap = (signature: string, signer: string, direction = 'buy', second = 7) =>
  ({
    signature,
    signer,
    direction,
    mint: 'M',
    base_mint_amount: 1,
    quote_mint_amount: 1,
    base_mint_price_usd: 1,
    base_balance_after: 1,
    timestamp: `2026-11-21 10:00:0${second}`,
  }) as Partial<Swap> as Swap

test('trades of a wallet that come while its chart is open are marked with those that were read', () => {
  const read = [swap('a', 'W'), swap('b', 'W')]
  const tape = [{ swap: swap('c', 'W') }, { swap: swap('b', 'W') }, { swap: swap('d', 'other') }]
  expect(tradesOf('W', read, tape).map(({ signature }) => signature)).toEqual(['a', 'b', 'c'])
})

test('two buys of one transaction are two, though one balance stands behind both', () => {
  const first = swap('a', 'W')
  const second = { ...first, base_mint_amount: 2, base_mint_price_usd: 1.5 }
  expect(tradesOf('W', [second, first], [{ swap: second }])).toEqual([second, first])
})

test('a trade that was read is the one that comes, also when a late one has changed the balance behind it', () => {
  const read = swap('a', 'W')
  const came = { ...read, base_balance_after: 5 }
  expect(tradesOf('W', [read], [{ swap: came }])).toEqual([came])
})

test('marks of a kind and direction stand on the bar that holds them, as one', () => {
  const marks = swapMarks('creator', [swap('a', 'W'), swap('b', 'W'), swap('c', 'W', 'sell')])
  const time = marks[0].time
  expect(barMarks(marks, [time - 60, time - 2, time + 5])).toEqual([
    { kind: 'creator', direction: 'buy', time: time - 2, count: 2 },
    { kind: 'creator', direction: 'sell', time: time - 2, count: 1 },
  ])
  expect(barMarks(marks, [time + 5])).toEqual([])
})
