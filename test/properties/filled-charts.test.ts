import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'

const BARS = 5_000
/** Of 5,000 trades: a month in all. */
const SECONDS_APART = 518

test('a month of seconds is filled without the millions of bars that are not kept', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 14 })
  for (let i = 0; i < BARS; i += 1)
    engine.accept(swap({ slot: 10 + i, txIndex: 0, timestamp: START_SECOND + i * SECONDS_APART }))
  const answers = new EngineAnswers(engine, () => {})
  const to = START_SECOND + (BARS - 1) * SECONDS_APART
  const plain = {
    mint: 'mint',
    from: START_SECOND,
    to,
    resolution: '1S',
    continuous: false,
  } as const
  const beganMs = performance.now()
  const chart = JSON.parse(answers.chart({ ...plain, fill: 'previous', countback: 0, udf: false }))
  // With all bars of the month it takes two seconds, and a GB.
  expect(performance.now() - beganMs).toBeLessThan(400)
  expect(chart.t).toEqual(Array.from({ length: BARS }, (_, i) => to - BARS + 1 + i))
  expect(chart.v_sol.filter((volume: number) => volume > 0)).toHaveLength(10)
})
