import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { leastMs } from '../least-time.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'

const BARS = 5_000
/** Of 5,000 trades: a month in all. */
const SECONDS_APART = 518

test('a month of seconds is filled without the millions of bars that are not kept', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 14 })
  for (let i = 0; i < BARS; i += 1)
    engine.accept(swap({ slot: 10 + i, txIndex: 0, timestamp: START_SECOND + i * SECONDS_APART }))
  const answers = new EngineQueries(engine, () => {})
  const to = START_SECOND + (BARS - 1) * SECONDS_APART
  const plain = {
    mint: 'mint',
    from: START_SECOND,
    to,
    resolution: '1S',
    continuous: false,
  } as const
  const read = (fill: 'none' | 'previous') =>
    answers.chart({ ...plain, fill, countback: 0, udf: false })
  const chart = JSON.parse(read('previous'))
  // With all bars of the month it takes two seconds, and a GB: a hundred times what the chart of its trades does.
  expect(leastMs(() => read('previous'))).toBeLessThan(20 * leastMs(() => read('none')))
  expect(chart.t).toEqual(Array.from({ length: BARS }, (_, i) => to - BARS + 1 + i))
  expect(chart.v_sol.filter((volume: number) => volume > 0)).toHaveLength(10)
})

test('of a filled chart as many bars as are counted back come, the newest', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 10 })
  for (const second of [0, 10, 20, 23])
    engine.accept(swap({ slot: 10 + second, txIndex: 0, timestamp: START_SECOND + second }))
  const answers = new EngineQueries(engine, () => {})
  const times = (countback: number, to: number) => {
    const about = { mint: 'mint', resolution: '1S', continuous: false, udf: false } as const
    const span = { from: START_SECOND, to: START_SECOND + to }
    const chart = JSON.parse(answers.chart({ ...about, ...span, fill: 'previous', countback }))
    return chart.t.map((time: number) => time - START_SECOND)
  }
  expect(times(1, 22)).toEqual([22])
  expect(times(5, 22)).toEqual([18, 19, 20, 21, 22])
  expect(times(3, 20)).toEqual([18, 19, 20])
  expect(times(1, 20)).toEqual([20])
  expect(times(100, 5)).toEqual([0, 1, 2, 3, 4, 5])
  expect(times(0, 3)).toEqual([0, 1, 2, 3])
})
