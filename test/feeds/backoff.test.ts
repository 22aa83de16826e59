import { expect, test } from 'vitest'
import { Backoff } from '../../src/feeds/backoff.ts'

test('waits double from a quarter of a second to half a minute, half of them by chance', () => {
  for (const [random, share] of [
    [() => 0, 0.5],
    [() => 1, 1],
  ] as const) {
    const backoff = new Backoff(random)
    const waitsMs = Array.from({ length: 9 }, () => backoff.nextMs())
    const fullMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
    expect(waitsMs).toEqual(fullMs.map((ms) => ms * share))
  }
})

test('a success makes the next wait short again', () => {
  const backoff = new Backoff(() => 1)
  for (let i = 0; i < 5; i++) backoff.nextMs()
  expect(backoff.nextMs()).toBe(8_000)
  backoff.succeeded()
  expect(backoff.nextMs()).toBe(250)
})
