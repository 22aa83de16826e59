import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Deadlines } from '../../../src/server/http/exchange.ts'
import { waitUntil } from '../raw-http.ts'

type Late = Parameters<Deadlines['add']>[0]

/** Something awaited that notes when it was late. */
function noted(): Late & { readonly lateMs: readonly number[] } {
  const lateMs: number[] = []
  return { lateMs, late: () => void lateMs.push(performance.now()) }
}

test('exchanges that wait equally long are late one after the other, none before its time', async () => {
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
  const again: Late = {
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

test('only what is not done in time is late, and at its time, whatever came and went before', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const waits = fc.record({
    durationMs: fc.constantFrom(10, 25),
    doneMs: fc.integer({ min: 1, max: 40 }),
    pauseMs: fc.integer({ min: 0, max: 50 }),
  })
  fc.assert(
    fc.property(fc.array(waits, { maxLength: 20 }), (all) => {
      const deadlines = new Deadlines()
      const awaited = all.map(({ durationMs, doneMs }) => ({ ...noted(), durationMs, doneMs }))
      const endsMs = awaited.map(() => 0)
      const pass = (ms: number) => {
        for (let passed = 0; passed < ms; passed += 1) {
          vi.advanceTimersByTime(1)
          for (const [index, one] of awaited.entries())
            if (performance.now() === endsMs[index] - one.durationMs + one.doneMs)
              deadlines.delete(one, one.durationMs)
        }
      }
      for (const [index, { pauseMs, durationMs }] of all.entries()) {
        endsMs[index] = performance.now() + durationMs
        deadlines.add(awaited[index], durationMs)
        pass(pauseMs)
      }
      pass(50)
      expect(awaited.map(({ lateMs }) => lateMs)).toEqual(
        all.map(({ durationMs, doneMs }, index) => (doneMs < durationMs ? [] : [endsMs[index]])),
      )
      expect(deadlines.size).toBe(0)
    }),
  )
})
