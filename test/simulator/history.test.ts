import { expect, test } from 'vitest'
import { AddressBook } from '../../src/engine/state/address-book.ts'
import { Market } from '../../src/feeds/simulator/market.ts'
import { History } from '../../src/feeds/simulator/simulator.ts'

const END_SECONDS = 1_767_225_600
const HOUR_SECONDS = 3_600

/** Launches in each hour of the last day, the newest first, and swaps in all. */
function historyOf(tokens: number, rate: number): { launches: number[]; swaps: number } {
  const launches = new Array<number>(24).fill(0)
  const options = { seed: 1, tokens, startSeconds: END_SECONDS, addressBook: new AddressBook() }
  const market = new Market(options, {
    records: ({ others }) => {
      for (const { event } of others) {
        const hours = Math.floor((END_SECONDS - event.timestamp) / HOUR_SECONDS)
        if (event.type === 'token_created' && hours < 24) launches[hours] += 1
      }
    },
  })
  const history = new History(market, { tokens, rate, endSeconds: END_SECONDS })
  while (!history.step());
  market.flush()
  return { launches, swaps: market.swaps }
}

test.each([
  { tokens: 5_000, rate: 0.05 },
  { tokens: 5_000, rate: 1 },
  { tokens: 2_000, rate: 50 },
])('$tokens launches are spread over the day at $rate swaps a second', ({ tokens, rate }) => {
  const { launches } = historyOf(tokens, rate)
  const hourly = (tokens * 0.85) / 24
  for (const count of launches.slice(0, 23)) {
    expect(count).toBeGreaterThan(hourly * 0.8)
    expect(count).toBeLessThan(hourly * 1.2)
  }
})

test('a history has the swaps asked for, and those that launches bring', () => {
  expect(historyOf(2_000, 50).swaps).toBeGreaterThanOrEqual(24_000)
  expect(historyOf(2_000, 50).swaps).toBeLessThan(24_500)
})
