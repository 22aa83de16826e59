import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { LIVE_ALERTS_MAX, Outbox } from '../../src/alerts/outbox.ts'
import { integerAt, jsonOf, listAt } from '../../src/base/json-access.ts'
import type { AlertsQuery } from '../../src/protocol/queries.ts'
import { EngineService } from '../../src/query/engine-service.ts'
import '../property-seed.ts'
import { engineOf } from '../store/restoring.ts'

const RULES = ['often', 'seldom'] as const

/** A service whose alerts are in an outbox in memory. */
function service() {
  const outbox = Outbox.open(null)
  onTestFinished(() => outbox.close())
  const history = {
    liveHead: () => outbox.liveHead,
    liveSince: outbox.liveSince.bind(outbox),
    livePage: outbox.livePage.bind(outbox),
  }
  const { streams } = new EngineService(
    engineOf('event', 64),
    () => {},
    () => 'e',
    undefined,
    history,
  )
  const find = (rules: readonly string[]) => {
    const alerts = rules.map((rule, i) => {
      const id = `e:${outbox.liveHead + i + 1}:${rule}`
      const body = JSON.stringify({ id, rule })
      return { id, rule, body, toWebhook: false, toLive: true }
    })
    const position = { epoch: 'e', journalSeq: 0, seq: 0, roundSeq: 0, second: 0 }
    outbox.commit({ rules: [], position, alerts, pages: [], delivered: [], nowMs: 0 })
  }
  return { find, ask: (query: AlertsQuery) => jsonOf(streams.alerts(query)) }
}

const burst = fc.record({
  found: fc.oneof(fc.nat({ max: 9 }), fc.constant(LIVE_ALERTS_MAX + 3)),
  reads: fc.nat({ max: 3 }),
  limit: fc.integer({ min: 1, max: 200 }),
})

test('a poller gets each alert once and in order, of all rules or of one, or is told that some are gone', () => {
  const run = (
    bursts: readonly { found: number; reads: number; limit: number }[],
    rule: string | null,
  ) => {
    const { find, ask } = service()
    const all: { n: number; rule: string }[] = []
    let after = 0
    for (const { found, reads, limit } of bursts) {
      const rules = Array.from({ length: found }, (_, i) => RULES[i % 7 === 3 ? 1 : 0])
      find(rules)
      for (const one of rules) all.push({ n: all.length + 1, rule: one })
      for (let read = 0; read < reads; read++) {
        const kept = all.slice(-LIVE_ALERTS_MAX)
        const isAsked = (one: { n: number; rule: string }) =>
          one.n > after && (rule === null || one.rule === rule)
        const wanted = kept.filter(isAsked).slice(0, limit)
        const answer = ask({ after, limit, rule })
        const next = wanted.length === limit ? (wanted.at(-1)?.n ?? 0) : all.length
        expect(answer).toEqual({
          head: all.length,
          next_after: next,
          missed: kept.length > 0 && after < (kept[0]?.n ?? 0) - 1,
          items: wanted.map((one) => ({ ...one, id: `e:${one.n}:${one.rule}` })),
        })
        after = next
      }
    }
  }
  const rule = fc.constantFrom(null, ...RULES, 'never')
  fc.assert(fc.property(fc.array(burst, { maxLength: 5 }), rule, run), { numRuns: 40 })
})

test('without a number the newest come, oldest first, and a number of another folder begins anew', () => {
  const { find, ask } = service()
  expect(ask({ after: null, limit: 2, rule: null })).toEqual({
    ...{ head: 0, next_after: 0, missed: false, items: [] },
  })
  find(['often', 'often', 'seldom', 'often'])
  const numbers = (query: AlertsQuery) =>
    listAt(ask(query), 'items')?.map((item) => integerAt(item, 'n'))
  expect(numbers({ after: null, limit: 2, rule: null })).toEqual([3, 4])
  expect(numbers({ after: null, limit: 2, rule: 'often' })).toEqual([2, 4])
  expect(ask({ after: 9, limit: 1, rule: null })).toMatchObject({
    ...{ head: 4, next_after: 1, missed: true },
    items: [{ n: 1 }],
  })
  // The first two are not kept any more.
  find(Array.from({ length: LIVE_ALERTS_MAX - 2 }, () => 'often'))
  const missed = [2, 1].map((after) => ask({ after, limit: 1, rule: null }))
  expect(missed).toMatchObject([{ missed: false }, { missed: true, items: [{ n: 3 }] }])
})
