import { expect, test } from 'vitest'
import {
  type Figures,
  growthOf,
  leakOf,
  leakVerdict,
  memoryLines,
  restOf,
} from './memory-report.ts'
import { stallLines, stallsIn } from './stalls-report.ts'

const MEBIBYTE = 2 ** 20
const HOUR_MS = 3_600_000

/** A minute of figures that grow by so many MiB an hour each. */
function minuteOf(growth: Readonly<Record<string, number>>): Figures[] {
  return Array.from({ length: 61 }, (_, second) => {
    const atMs = second * 1000
    const of = (name: string) => (((growth[name] ?? 0) * atMs) / HOUR_MS) * MEBIBYTE
    return { atMs, of }
  })
}

test('what the market holds is no leak; what is alive beside it is', () => {
  const market = minuteOf({ rss_anon_bytes: 900, memory_market_bytes: 900, memory_heap_bytes: 50 })
  expect(growthOf(market).resident.perHour).toBeCloseTo(900, 3)
  expect(leakOf(market).perHour).toBeCloseTo(0, 6)
  expect(restOf(market).perHour).toBeCloseTo(0, 6)
  const leaks = minuteOf({
    rss_anon_bytes: 10,
    memory_bounded_bytes: 1,
    heap_used_bytes: 1,
    memory_buffers_rest_bytes: 2,
    memory_native_rest_bytes: 4,
  })
  expect(leakOf(leaks).perHour).toBeCloseTo(3, 3)
  expect(restOf(leaks).perHour).toBeCloseTo(9, 3)
  expect(memoryLines(leaks, leaks).join('\n')).toContain('leak         3.0 ± 0.0 MiB/h')
  expect(memoryLines([], [])).toHaveLength(5)
})

test('a goal is held or missed only as far as the error lets one say', () => {
  expect(leakVerdict({ perHour: 1, error: 0.5 })).toBe('held')
  expect(leakVerdict({ perHour: 1, error: 5 })).toBe('undecided')
  expect(leakVerdict({ perHour: 9, error: 5 })).toBe('missed')
})

test('stalls of the machine are told apart, with all figures', () => {
  const others = { waitedMs: 80, stolenMs: 18 }
  const own = { waitedMs: 1, stolenMs: 0 }
  const seen = stallsIn([
    { ...others, atMs: 5000, lateMs: 120.04, ranMs: 20, blockedMs: 2, steps: {} },
    { ...own, atMs: 9000, lateMs: 80, ranMs: 78, blockedMs: 1, steps: { gc: 60, fold: 12 } },
  ])
  const lines = stallLines(seen, 1000)
  expect(lines[0]).toContain('1 of the program above 50 ms after warm-up, longest 80.0 ms')
  expect(lines[1]).toContain(
    'at 8 s: 80.0 ms: ran 78.0, waited for a core 1.0, stolen 0.0, blocked 1.0; gc 60.0, fold 12.0',
  )
  expect(lines[2]).toContain('1 more of the machine')
  expect(lines.at(-1)).toContain('1 turns of 20 to 50 ms')
  expect(lines[3]).toContain('at 4 s: 120.0 ms: ran 20.0, waited for a core 80.0, stolen 18.0')
})
