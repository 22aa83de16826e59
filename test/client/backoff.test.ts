import { expect, test } from 'vitest'
import { Backoff } from '../../client/src/backoff.ts'

const OPTIONS = { firstMs: 250, longestMs: 15_000 }

test('waits double from the first to the longest, half of them by chance', () => {
  for (const [random, share] of [
    [() => 0, 0.5],
    [() => 1, 1],
  ] as const) {
    const backoff = new Backoff(OPTIONS, random)
    const waitsMs = Array.from({ length: 8 }, () => backoff.nextMs())
    const fullMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]
    expect(waitsMs).toEqual(fullMs.map((ms) => ms * share))
  }
})

test('the wait stays the longest however long nothing works, and is short again behind a success', () => {
  const backoff = new Backoff(OPTIONS, () => 1)
  for (let i = 0; i < 5_000; i++) backoff.nextMs()
  expect(backoff.nextMs()).toBe(15_000)
  backoff.succeeded()
  expect(backoff.nextMs()).toBe(250)
})
