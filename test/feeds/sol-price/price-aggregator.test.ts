import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PRICE_RULES, PriceAggregator } from '../../../src/feeds/sol-price/sol-price-feed.ts'

/** Quotes of venues a, b, c at a time; null: says nothing. */
function say(
  judge: PriceAggregator,
  prices: readonly (number | null)[],
  atMs: number,
): number | null {
  for (const [index, usd] of prices.entries())
    if (usd !== null) judge.quote('abcd'[index], usd, atMs)
  return judge.settle(atMs)
}

test('the price is the median of the venues', () => {
  expect(say(new PriceAggregator(), [150, 150.2, 151], 0)).toBe(150.2)
  expect(say(new PriceAggregator(), [150, 151], 0)).toBe(150.5)
})

test('a first price of one venue alone waits for a second one, but not for long', () => {
  const judge = new PriceAggregator()
  expect(say(judge, [150], 0)).toBeNull()
  expect(judge.settle(PRICE_RULES.firstAloneMs - 1)).toBeNull()
  expect(judge.settle(PRICE_RULES.firstAloneMs)).toBe(150)
  const two = new PriceAggregator()
  expect(say(two, [150], 0)).toBeNull()
  expect(say(two, [null, 150.1], 10)).toBe(150.05)
})

test('a venue that jumps alone changes nothing', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150, 150], 0)
  expect(say(judge, [15, 150, 150.1], 1_000)).toBe(150.05)
  expect(judge.jumpsHeld).toBe(0)
})

test('a jump counts at once when two venues agree on it', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150, 150], 0)
  expect(say(judge, [135, 150, 150], 1_000)).toBe(150)
  expect(say(judge, [135, 135.5, 150], 2_000)).toBe(135.25)
})

test('a jump does not count while as many venues stay behind', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150, 150, 150], 0)
  expect(say(judge, [135, 135, 150, 150], 1_000)).toBe(150)
  expect(say(judge, [135, 135, 135, 150], 2_000)).toBe(135)
})

test('a jump of the only fresh venue is held until it has lasted', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150], 0)
  const jumpMs = PRICE_RULES.freshMs + 1
  expect(say(judge, [120], jumpMs)).toBe(150)
  expect(judge.jumpsHeld).toBe(1)
  for (let ms = 5_000; ms < PRICE_RULES.jumpWaitMs; ms += 5_000)
    expect(say(judge, [120], jumpMs + ms)).toBe(150)
  expect(say(judge, [120], jumpMs + PRICE_RULES.jumpWaitMs)).toBe(120)
  expect(judge.jumpsHeld).toBe(1)
})

test('a jump that goes back again was never told', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150], 0)
  expect(say(judge, [300], PRICE_RULES.freshMs + 1)).toBe(150)
  expect(say(judge, [151], PRICE_RULES.freshMs + 2_000)).toBe(151)
  // The wait begins anew with the next jump.
  expect(say(judge, [300], PRICE_RULES.freshMs + 4_000)).toBe(151)
  expect(say(judge, [300], PRICE_RULES.freshMs + PRICE_RULES.jumpWaitMs + 3_999)).toBe(151)
  expect(say(judge, [300], PRICE_RULES.freshMs + PRICE_RULES.jumpWaitMs + 4_000)).toBe(300)
  expect(judge.jumpsHeld).toBe(2)
})

test('a jump that nobody says any more has not lasted, when it is said again after a silence', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150], 0)
  const jumpMs = PRICE_RULES.freshMs + 1
  expect(say(judge, [300], jumpMs)).toBe(150)
  // The venue is connected to anew, and says at first what it said at last.
  const backMs = jumpMs + 300_000
  for (let ms = jumpMs; ms < backMs; ms += 1_000) expect(judge.settle(ms)).toBe(150)
  expect(say(judge, [300], backMs)).toBe(150)
  expect(say(judge, [151], backMs + 2_000)).toBe(151)
  expect(judge.jumpsHeld).toBe(2)
})

test('a jump counts after a minute also where the only venue speaks three times in it', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150], 0)
  const jumpMs = PRICE_RULES.freshMs + 1
  for (let ms = 0; ms <= PRICE_RULES.jumpWaitMs; ms += 1_000) {
    if (ms % 20_000 === 0) judge.quote('a', 170, jumpMs + ms)
    expect(judge.settle(jumpMs + ms)).toBe(ms < PRICE_RULES.jumpWaitMs ? 150 : 170)
  }
})

test('an old quote says nothing, the last price stays', () => {
  const judge = new PriceAggregator()
  say(judge, [150, 150, 150], 0)
  expect(judge.freshVenues(PRICE_RULES.freshMs)).toBe(3)
  expect(judge.freshVenues(PRICE_RULES.freshMs + 1)).toBe(0)
  expect(judge.settle(PRICE_RULES.freshMs + 1)).toBe(150)
  expect(say(judge, [152], PRICE_RULES.freshMs + 2)).toBe(152)
})

test('whatever one of three venues says, the price stays between those of the others', () => {
  const usd = fc.double({ min: 0.01, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(fc.array(usd, { maxLength: 30 }), (lies) => {
      const judge = new PriceAggregator()
      say(judge, [150, 150, 151], 0)
      for (const [index, lie] of lies.entries()) {
        const price = say(judge, [lie, 150, 151], (index + 1) * 1_000)
        expect(price).toBeGreaterThanOrEqual(150)
        expect(price).toBeLessThanOrEqual(151)
      }
    }),
  )
})
