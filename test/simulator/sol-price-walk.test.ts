import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { SolPriceWalk } from '../../src/feeds/simulator/market.ts'

const DAY_SECONDS = 86_400

test('a clock that is set ahead by months or years moves the price no further than a day does', () => {
  for (let seed = 0; seed < 1_000; seed += 1) {
    const walk = new SolPriceWalk(new Random(seed, 0))
    const before = walk.next(1)
    for (const days of [90, 400, 20_000]) {
      const usd = walk.next(days * DAY_SECONDS)
      expect(usd, `seed ${seed}, ${days} days`).toBeGreaterThan(before / 2)
      expect(usd, `seed ${seed}, ${days} days`).toBeLessThan(before * 2)
    }
  }
})
