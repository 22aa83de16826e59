import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { RESOLUTIONS, type Resolution } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { byLength } from '../../lengths.ts'
import { fillPage } from '../../model/page-ends.ts'
import { wholeChart } from '../../model/random-queries.ts'
import { barTime } from '../../oracle/candles.ts'
import { START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

interface Series {
  readonly [array: string]: number[]
}

const BARS_OPTIONS = { clock: 'event', identities: 1 << 13 } as const

/** Weeks do not fold into months; every other width divides the one after it. */
const PAIRS: readonly (readonly [Resolution, Resolution])[] = RESOLUTIONS.flatMap((narrow, i) =>
  RESOLUTIONS.slice(i + 1)
    .filter((wide) => !(narrow === '1W' && wide === '1M'))
    .map((wide) => [narrow, wide] as const),
)

test('a wide bar is the fold of the narrow ones while bars are folded from swaps', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 400 }), (seed, count) => {
      expectFolds(busyMint(seed, count))
    }),
    { numRuns: byLength(3, 25) },
  )
})

test('a wide bar is the fold of the narrow ones once bars are stored', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 800 }), (seed, more) => {
      expectFolds(busyMint(seed, STORED_FROM_SWAPS + more))
    }),
    { numRuns: byLength(1, 8) },
  )
})

test('stored bars equal bars folded from the same swaps', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const answers = busyMint(seed, STORED_FROM_SWAPS + 50)
      const half = busyMint(seed, STORED_FROM_SWAPS - 1)
      for (const resolution of RESOLUTIONS) {
        const all = chartOf(answers, resolution)
        const first = chartOf(half, resolution)
        const whole = (first.t?.length ?? 0) - 1
        for (const [name, values] of Object.entries(first))
          expect(all[name]?.slice(0, whole), `${resolution} ${name}`).toEqual(
            values.slice(0, whole),
          )
      }
    }),
    { numRuns: byLength(1, 6) },
  )
})

test('stored bars are the same where a page of them ends, also when clocks step back', () => {
  for (let seed = 1; seed <= byLength(2, 10); seed += 1) {
    const random = new Random(seed)
    const events = steppingBack(random, STORED_FROM_SWAPS + 200)
    const [onOnePage, onTwo] = [new Engine(BARS_OPTIONS), new Engine(BARS_OPTIONS)]
    for (const event of events) onOnePage.accept(event)
    fillPage(onTwo.state.bars, random.integer(1, onOnePage.state.bars.count - 100))
    for (const event of events) onTwo.accept(event)
    const expected = new EngineQueries(onOnePage, () => {})
    const found = new EngineQueries(onTwo, () => {})
    for (const resolution of RESOLUTIONS)
      expect(chartOf(found, resolution), `${resolution}, seed ${seed}`).toEqual(
        chartOf(expected, resolution),
      )
  }
})

/** Swaps of one mint, about every second one behind the time of others. */
function steppingBack(random: Random, count: number): FeedEvent[] {
  return Array.from({ length: count }, (_, i) =>
    swap({
      slot: 1_000 + i,
      timestamp:
        START_SECOND + 7_200 + i * 20 - (random.chance(0.5) ? random.integer(1, 1_500) : 0),
      signature: `swap-${i}`,
      quoteRaw: BigInt(random.integer(1, 10 ** 10)),
      virtualQuoteRaw: BigInt(random.integer(1, 10 ** 12)),
      solPriceUsd: random.integer(1, 30_000) / 97,
    }),
  )
}

/** Swaps of one mint in ascending time: bursts, pauses of minutes, hours and weeks. */
function busyMint(seed: number, count: number): EngineQueries {
  const random = new Random(seed)
  const engine = new Engine(BARS_OPTIONS)
  let timestamp = START_SECOND
  for (let i = 0; i < count; i += 1) {
    timestamp += random.chance(0.5)
      ? 0
      : random.integer(1, random.pick([3, 90, 90, 5_000, random.chance(0.01) ? 2_000_000 : 400]))
    engine.accept(
      swap({
        slot: 1_000 + i,
        timestamp,
        signature: `swap-${i}`,
        quoteRaw: BigInt(random.integer(1, 10 ** 10)),
        virtualQuoteRaw: BigInt(random.integer(1, 10 ** 12)),
        solPriceUsd: random.integer(1, 30_000) / 97,
      }),
    )
  }
  return new EngineQueries(engine, () => {})
}

function chartOf(answers: EngineQueries, resolution: Resolution): Series {
  return JSON.parse(answers.chart(wholeChart('mint', 4_000_000_000, resolution)))
}

function expectFolds(answers: EngineQueries): void {
  const charts = new Map(RESOLUTIONS.map((width) => [width, chartOf(answers, width)] as const))
  for (const [narrow, wide] of PAIRS) {
    const bars = charts.get(narrow)
    // Only the newest 5,000 bars are answered; a chart cut there has lost its beginning.
    if (bars === undefined || (bars.t?.length ?? 0) >= 5_000) continue
    const actual = charts.get(wide) ?? {}
    const expected = fold(bars, wide)
    for (const name of ['t', 'o', 'h', 'l', 'c', 'o_sol', 'h_sol', 'l_sol', 'c_sol'])
      expect(actual[name], `${narrow} to ${wide}: ${name}`).toEqual(expected[name])
    expect(inUnits(actual.v, 1e6)).toEqual(inUnits(expected.v, 1e6))
    expect(inUnits(actual.v_sol, 1e9)).toEqual(inUnits(expected.v_sol, 1e9))
  }
}

/** Volumes are sums of micro-USD or lamports, divided for the wire; compared without that division. */
function inUnits(volumes: readonly number[] | undefined, units: number): number[] | undefined {
  return volumes?.map((volume) => Math.round(volume * units))
}

function fold(bars: Series, wide: Resolution): Series {
  const folded: Record<string, number[]> = {}
  const at = (name: string) => (folded[name] ??= [])
  const times = bars.t ?? []
  times.forEach((narrowTime, i) => {
    const time = barTime(narrowTime, wide)
    const isNew = at('t').at(-1) !== time
    if (isNew) at('t').push(time)
    for (const [name, values] of Object.entries(bars)) {
      if (name === 't') continue
      const value = values[i] ?? Number.NaN
      const list = at(name)
      if (isNew) list.push(value)
      else list.push(merge(name, list.pop() ?? Number.NaN, value))
    }
  })
  return folded
}

function merge(name: string, before: number, value: number): number {
  if (name.startsWith('o')) return before
  if (name.startsWith('h')) return Math.max(before, value)
  if (name.startsWith('l')) return Math.min(before, value)
  return name.startsWith('c') ? value : before + value
}
