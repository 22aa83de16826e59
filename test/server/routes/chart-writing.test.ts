import { expect, test } from 'vitest'
import { type Budget, UNFINISHED, within } from '../../../src/base/budget.ts'
import type { ChartQuery } from '../../../src/protocol/queries.ts'
import { accept } from '../../../src/protocol/requests/parsers.ts'
import { EngineService } from '../../../src/query/engine-service.ts'
import { ChartWritings } from '../../../src/server/live/hub/followed-candles.ts'
import { cachedChart } from '../../../src/server/routes/chart-cache.ts'
import { budgetOf, readInTurns } from '../../budgets.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { engineOf } from '../../store/restoring.ts'
import { fakeAnswers } from '../fake-service.ts'

/** Limits of the server, private to their files. */
const CHART_CACHE_MS = 5000
const MAX_CHART_WRITINGS = 32

const GOES = 20
const QUERY: ChartQuery = {
  mint: 'A',
  resolution: '1S',
  from: 0,
  to: START_SECOND + 10_000,
  countback: 0,
  continuous: false,
  fill: 'none',
  udf: false,
}

/** Charts of which each takes so many goes to write, unless it may go on for ever. */
function slowCharts() {
  const begun: string[] = []
  const clock = { nowMs: 1_000, seq: 5 }
  const answers = {
    ...fakeAnswers([], () => ''),
    beginChart: ({ mint }: ChartQuery) => {
      begun.push(mint)
      let goes = 0
      return {
        isCurrent: () => true,
        column: () => [],
        write: (budget: Budget) => {
          goes += 1
          if (goes < GOES) budget.throwIfSpent()
          return `{"of":"${mint}"}`
        },
      }
    },
  }
  const chart = cachedChart(
    answers,
    () => clock.nowMs,
    () => clock.seq,
  )
  // Time to begin, and none to write.
  const ask = (mint: string, minSeq = 0) =>
    within(budgetOf(2), (budget) => chart(accept({ ...QUERY, mint }), budget, minSeq))
  return { begun, clock, ask }
}

function goesOf(ask: () => unknown): number {
  let goes = 1
  while (ask() === UNFINISHED) goes += 1
  return goes
}

test('a chart is read once and written in as many turns as it takes, then cached', () => {
  const { begun, ask } = slowCharts()
  expect(goesOf(() => ask('A'))).toBe(GOES)
  expect(ask('A')).toMatchObject({ ok: true })
  expect(begun).toEqual(['A'])
})

test('a request for a chart that is being written goes on with it', () => {
  const { begun, ask } = slowCharts()
  for (let go = 1; go < GOES / 2; go += 1) expect(ask('A')).toBe(UNFINISHED)
  expect(goesOf(() => ask('A'))).toBe(GOES / 2 + 1)
  expect(begun).toEqual(['A'])
})

test('a chart that no request went on with is read anew', () => {
  const { begun, clock, ask } = slowCharts()
  expect(ask('A')).toBe(UNFINISHED)
  clock.nowMs += CHART_CACHE_MS
  expect(goesOf(() => ask('A'))).toBe(GOES)
  expect(begun).toEqual(['A', 'A'])
})

test('a chart that was read before a position is read anew for who asks for that position', () => {
  const { begun, clock, ask } = slowCharts()
  expect(goesOf(() => ask('A', 5))).toBe(GOES)
  expect(ask('B')).toBe(UNFINISHED)
  clock.seq = 6
  expect(ask('A', 5)).toMatchObject({ ok: true })
  expect(goesOf(() => ask('A', 6))).toBe(GOES)
  expect(goesOf(() => ask('B', 6))).toBe(GOES)
  expect(begun).toEqual(['A', 'B', 'A', 'B'])
  expect(ask('B', 6)).toMatchObject({ ok: true })
})

test('a clock that is set back makes a chart anew, a cached one and one that is being written', () => {
  const { begun, clock, ask } = slowCharts()
  goesOf(() => ask('A'))
  expect(ask('B')).toBe(UNFINISHED)
  clock.nowMs -= 1
  expect(goesOf(() => ask('A'))).toBe(GOES)
  expect(goesOf(() => ask('B'))).toBe(GOES)
  expect(begun).toEqual(['A', 'B', 'A', 'B'])
})

test('where too many are being written one more is written in one go, and those left alone make room', () => {
  const { clock, ask } = slowCharts()
  for (let i = 0; i < MAX_CHART_WRITINGS; i += 1) expect(ask(`${i}`)).toBe(UNFINISHED)
  expect(goesOf(() => ask('one more'))).toBe(1)
  clock.nowMs += CHART_CACHE_MS
  expect(ask('another')).toBe(UNFINISHED)
})

test('a chart written in pieces is the chart written at once', () => {
  const engine = engineOf('event', 1 << 13)
  const tick = () => {}
  const { answers } = new EngineService(engine, tick, () => 'e1')
  engine.accept(price(150))
  engine.accept(created({ mint: 'A' }))
  for (let i = 0; i < 3_000; i += 1) {
    const virtualQuoteRaw = 30_000_000_000n + BigInt((i * 7_919) % 1_000_003)
    const place = { slot: 1_100 + i, timestamp: START_SECOND + 100 + i * 2, signature: `${i}` }
    engine.accept(swap({ ...place, mint: 'A', virtualQuoteRaw }))
  }
  for (const udf of [false, true])
    for (const fill of ['none', 'previous'] as const)
      for (const mint of ['A', 'nobody'])
        for (const countback of [0, 1, 256, 257, 5_000]) {
          const query = { ...QUERY, udf, fill, mint, countback }
          const begun = answers.beginChart(query)
          const { answer, turns } = readInTurns((budget) => begun.write(budget))
          expect(answer).toBe(answers.chart(query))
          JSON.parse(answer)
          if (mint === 'A' && countback === 5_000) expect(turns).toBeGreaterThan(100)
        }
})

test('the chart that a newcomer of candles begins with is that of the turn in which it is done', () => {
  const engine = engineOf('event', 1 << 13)
  const { answers } = new EngineService(
    engine,
    () => {},
    () => 'e1',
  )
  engine.accept(price(150))
  engine.accept(created({ mint: 'A' }))
  let swaps = 0
  const trade = () => {
    const at = { slot: 1_100 + swaps, timestamp: START_SECOND + 100 + swaps, signature: `${swaps}` }
    engine.accept(swap({ ...at, mint: 'A', virtualQuoteRaw: 30_000_000_000n + BigInt(swaps++) }))
  }
  for (let i = 0; i < 600; i += 1) trade()
  const writings = new ChartWritings(answers)
  const connection = {}
  const query = { ...QUERY, countback: 5_000 }
  /** Turns until the chart is there, with something between two of them. */
  const goes = (between: (turn: number) => void) => {
    const write = (budget: Budget) => writings.write(connection, 'candles/1S/A', query, budget)
    const { answer, turns } = readInTurns(write, between)
    expect(answer.text).toBe(answers.chart(query))
    expect(answer.times).toEqual(JSON.parse(answer.text).t)
    return turns
  }
  const undisturbed = goes(() => {})
  expect(undisturbed).toBe(11 * Math.ceil(600 / 256))
  // Once changed it is begun anew; where it changes all the time it is written in one go at last.
  expect(goes((go) => go === 5 && trade())).toBe(5 + undisturbed)
  expect(goes(() => trade())).toBe(3)
})
