import { expect, test } from 'vitest'
import { type Awaited, Deadlines } from '../../src/server/deadlines.ts'
import { waitUntil } from './raw-http.ts'

/** Something awaited that notes when it was late. */
function noted(): Awaited & { readonly lateMs: readonly number[] } {
  const lateMs: number[] = []
  return { lateMs, late: () => void lateMs.push(performance.now()) }
}

test('who waits equally long is late one after the other, none before its time', async () => {
  const deadlines = new Deadlines()
  const startMs = performance.now()
  const first = noted()
  const second = noted()
  deadlines.add(first, 40)
  await new Promise((resolve) => setTimeout(resolve, 15))
  const secondMs = performance.now()
  deadlines.add(second, 40)
  await waitUntil(() => second.lateMs.length > 0)
  expect(first.lateMs).toHaveLength(1)
  expect(first.lateMs[0]).toBeGreaterThanOrEqual(startMs + 40)
  expect(second.lateMs[0]).toBeGreaterThanOrEqual(secondMs + 40)
  expect(deadlines.size).toBe(0)
})

test('a short wait that began behind a long one ends before it', async () => {
  const deadlines = new Deadlines()
  const long = noted()
  const short = noted()
  deadlines.add(long, 60_000)
  deadlines.add(short, 10)
  await waitUntil(() => short.lateMs.length > 0)
  expect(long.lateMs).toHaveLength(0)
  expect(deadlines.size).toBe(1)
  deadlines.delete(long, 60_000)
  expect(deadlines.size).toBe(0)
})

test('what was done in time is never late, and what comes behind it is', async () => {
  const deadlines = new Deadlines()
  const done = noted()
  deadlines.add(done, 20)
  deadlines.delete(done, 20)
  deadlines.delete(done, 20)
  const next = noted()
  deadlines.add(next, 20)
  await waitUntil(() => next.lateMs.length > 0)
  expect(done.lateMs).toHaveLength(0)
})

test('one that waits anew when it is late waits its whole time again', async () => {
  const deadlines = new Deadlines()
  const lateMs: number[] = []
  const again: Awaited = {
    late() {
      lateMs.push(performance.now())
      if (lateMs.length < 3) deadlines.add(again, 10)
    },
  }
  deadlines.add(again, 10)
  await waitUntil(() => lateMs.length === 3)
  expect(lateMs[1] - lateMs[0]).toBeGreaterThanOrEqual(10)
  expect(lateMs[2] - lateMs[1]).toBeGreaterThanOrEqual(10)
  expect(deadlines.size).toBe(0)
})
