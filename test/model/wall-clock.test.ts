import { expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { history } from '../oracle/histories.ts'
import { checkAll } from './full-check.ts'
import { Pair } from './pair.ts'

const DAY = 86_400
const STEPS = [1, 59, 3_600, 40_000, 42_739, 1, DAY, DAY + 1, 3 * DAY, 200_000] as const
const HISTORIES = byLength(3, 20)

test('windows empty by themselves as a wall clock moves and nothing trades', () => {
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const pair = afterHistory(seed, 40)
    for (const step of STEPS) {
      pair.setNow(pair.oracle.now + step)
      expect(checkAll(pair, seed), `seed ${seed}, ${step} s later`).toBeNull()
    }
    expectEmpty(pair, seed)
  }
})

test('a step of more than a day with no events empties every window at once', () => {
  for (let seed = 1_001; seed <= 1_000 + HISTORIES; seed += 1) {
    const pair = afterHistory(seed, 40)
    pair.setNow(pair.oracle.now + DAY + 1)
    expectEmpty(pair, seed)
    expect(checkAll(pair, seed), `seed ${seed}`).toBeNull()
  }
})

test('trades go on counting after a clock that stood still for days', () => {
  for (let seed = 2_001; seed <= 2_000 + HISTORIES; seed += 1) {
    const pair = new Pair('wall')
    for (const [index, event] of history(seed, 40).entries()) {
      const jump = index === 20 ? 5 * DAY : 0
      pair.setNow(Math.max(pair.oracle.now, event.timestamp) + jump)
      pair.apply(event)
      expect(checkAll(pair, seed), `seed ${seed}, event ${index}`).toBeNull()
    }
  }
})

function afterHistory(seed: number, count: number): Pair {
  const pair = new Pair('wall')
  for (const event of history(seed, count)) {
    pair.setNow(Math.max(pair.oracle.now, event.timestamp))
    pair.apply(event)
  }
  return pair
}

function expectEmpty(pair: Pair, seed: number): void {
  const rows: unknown[] = JSON.parse(pair.answers.marketData([...pair.mints]))
  expect(rows.length, `seed ${seed}`).toBeGreaterThan(0)
  for (const row of rows)
    expect(row, `seed ${seed}`).toMatchObject({
      tx_24h: 0,
      tx_24h_buy: 0,
      tx_24h_sell: 0,
      vol_24h: 0,
      vol_24_buy: 0,
      vol_24_sell: 0,
    })
}
