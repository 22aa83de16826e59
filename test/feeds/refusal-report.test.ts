import { expect, test } from 'vitest'
import { REFUSAL_KINDS, RefusalWatch } from '../../src/app/intake-log.ts'
import { RefusalReport } from '../../src/feeds/refusal-report.ts'
import { VirtualTimers } from './supervisor/virtual-timers.ts'

function reported() {
  const timers = new VirtualTimers()
  const told: (readonly [count: number, last: string])[] = []
  const report = new RefusalReport<string>((count, last) => void told.push([count, last]), timers)
  return { timers, told, report }
}

test('the first refusal is told at once and the others are summed up at the end, once', () => {
  const { told, report } = reported()
  report.sumUp()
  expect(told).toEqual([])
  for (let line = 1; line <= 50; line++) report.note(`bad ${line}`)
  expect(told).toEqual([[1, 'bad 1']])
  report.sumUp()
  report.sumUp()
  expect(told).toEqual([
    [1, 'bad 1'],
    [49, 'bad 50'],
  ])
})

test('refusals that go on for hours are told once a minute, and none is left out of the counts', async () => {
  const { timers, told, report } = reported()
  let noted = 0
  for (let second = 0; second < 7_200; second++) {
    for (let i = 0; i < 10; i++) report.note(`bad ${++noted}`)
    await timers.pass(1_000)
  }
  expect(told.length).toBeGreaterThanOrEqual(119)
  expect(told.length).toBeLessThanOrEqual(121)
  report.sumUp()
  expect(told.reduce((sum, [count]) => sum + count, 0)).toBe(noted)
  expect(told.at(-1)?.[1]).toBe(`bad ${noted}`)
  expect(timers.waiting).toBe(0)
})

test('one refusal long after many is told at once', async () => {
  const { timers, told, report } = reported()
  for (let line = 1; line <= 50; line++) report.note('bad')
  await timers.pass(600_000)
  report.note('again')
  expect(told.at(-1)).toEqual([1, 'again'])
  expect(told).toHaveLength(3)
})

function watched(before: Readonly<Record<string, number>> = {}) {
  const timers = new VirtualTimers()
  const told: { readonly figure?: unknown; readonly count?: unknown; readonly sentence: string }[] =
    []
  const warn = (facts: object, sentence: string) => void told.push({ ...facts, sentence })
  return { timers, told, watch: new RefusalWatch({ warn }, before, timers) }
}

test.each(Object.entries(REFUSAL_KINDS))(
  'refusals that %s counts, of whatever feed, are a warning at once and then one a minute with the count',
  async (figure, sentence) => {
    for (const name of [figure, `feed_pumpportal_${figure}`]) {
      const { timers, told, watch } = watched({ [name]: 7 })
      watch.look({ [name]: 7 })
      expect(told).toEqual([])
      watch.look({ [name]: 9 })
      expect(told).toEqual([{ figure: name, count: 2, sentence }])
      for (let second = 1; second <= 60; second++) {
        watch.look({ [name]: 9 + second })
        await timers.pass(1_000)
      }
      expect(told.slice(1)).toEqual([{ figure: name, count: 60, sentence }])
      watch.look({ [name]: 70 })
      watch.sumUp()
      expect(told.slice(2)).toEqual([{ figure: name, count: 1, sentence }])
    }
  },
)

test('each kind of refusal is told by itself, and counters of no refusal are not', () => {
  const { told, watch } = watched()
  watch.look({ ahead_refused_total: 1, late_refused_total: 2, duplicates_total: 3, swaps: 4 })
  expect(told.map(({ figure }) => figure)).toEqual(['ahead_refused_total', 'late_refused_total'])
})
