import { expect, onTestFinished, test, vi } from 'vitest'
import { Service } from '../../src/app/service.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { AlertRule, FoundAlert } from '../../src/protocol/alerts.ts'
import type { Filters } from '../../src/protocol/filters.ts'
import { WalletLabels } from '../../src/protocol/wallet-labels.ts'
import { AlertWatch } from '../../src/query/alerts/alert-watch.ts'
import { TokenRules } from '../../src/query/alerts/token-rules.ts'
import { TokenSet } from '../../src/query/alerts/token-set.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { BreakableArchive } from '../server/breakable-archive.ts'

/** A rule on the new tokens that pass a filter; each way is told. */
const ruleOf = (filters: Filters) =>
  ({
    ...{ id: 'r', name: 'r', to: { live: true, webhook: null }, enabled: true, shown: {} },
    when: {
      ...{ kind: 'filter', change: 'either' },
      filter: { type: 'new', filters: { new: filters }, limit: 50 },
    },
  }) satisfies AlertRule

const trade = (mint: string, second: number, signer = 'bob') =>
  swap({
    ...{ mint, signer, slot: 200 + second * 10, signature: `${mint} ${signer} ${second}` },
    timestamp: START_SECOND + second,
  })

function watchOf(engine: Engine, rule: AlertRule, labels = new WalletLabels()) {
  const found: FoundAlert[] = []
  const watch = new AlertWatch(engine, (one) => found.push(one), labels)
  const { seq, newestEventSeconds: second } = engine
  watch.begin(engine, { seq, roundSeq: seq, second })
  watch.add(rule, null)
  return { told: () => found.map(({ event, data }) => `${event} ${JSON.parse(data).mint}`) }
}

test('windows that cannot be read hold up neither the fold nor the rule for good', () => {
  const engine = new Engine({ clock: 'event', tapeChunkRecords: 64 })
  const service = new Service({ clock: 'event', lateSlots: 32 }, () => {}, Date.now, engine)
  service.events([price(100), created({ mint: 'A' }), created({ mint: 'B', txIndex: 1 })])
  for (let second = 1; second < 400; second++) service.events([trade('A', second)])
  const archive = new BreakableArchive()
  archive.takeFrom(engine)
  const { told } = watchOf(engine, ruleOf({ windows: { '5m': { txs: { min: 1 } } } }))
  archive.isBroken = true
  service.events([trade('B', 500)])
  service.events([trade('C', 1_100)])
  service.events([trade('C', 1_101)])
  expect(service.failure).toBeNull()
  expect(engine.counts.swaps).toBe(402)
  archive.isBroken = false
  service.events([trade('C', 1_102)])
  expect(told().sort()).toEqual(['filter_entered C', 'filter_left A'])
})

test('dormant holders that cannot be read do not end the fold where a rule asks for them', () => {
  const engine = new Engine({ clock: 'event', tapeChunkRecords: 64 })
  const labels = new WalletLabels()
  labels.replace(new Map([['w100', { name: 'x', tag: 'kol' }]]))
  engine.events([price(100), created({ mint: 'A' })])
  for (let i = 0; i < 200; i++) engine.accept(trade('A', i, `w${i}`))
  for (let i = 200; i < 270; i++) engine.accept(trade('B', i, `v${i}`))
  engine.coldStore.evict([engine.state.book.findToken('A')])
  const { tape } = engine.state.dormant
  const archive = new BreakableArchive(tape.lanes)
  archive.take(tape, tape.count)
  const { told } = watchOf(engine, ruleOf({ heldBy: { tag: 'kol', min: 1 } }), labels)
  archive.isBroken = true
  for (let i = 300; i < 370; i++) engine.accept(trade('C', i, `u${i}`))
  engine.coldStore.evict([engine.state.book.findToken('B')])
  const { swaps } = engine.counts
  engine.events([trade('C', 371), trade('C', 372)])
  expect(engine.counts.swaps).toBe(swaps + 2)
  archive.isBroken = false
  engine.events([trade('C', 373, 'w100'), trade('C', 374)])
  expect(told()).toEqual(['filter_entered C'])
})

test('tokens that come while a rule is loaded in slices are compared by their values', async () => {
  const engine = new Engine({ clock: 'event' })
  let tokens = 0
  let slot = 100
  const place = () => {
    slot += 1
    return { slot, signature: `${slot}` }
  }
  const launch = () => {
    const mint = `mint ${tokens++}`
    engine.events([created({ mint, ...place() }), swap({ mint, ...place() })])
  }
  const trades = (many: number) => {
    for (let i = 0; i < many; i++) engine.accept(swap({ mint: 'mint 0', ...place() }))
  }
  engine.accept(price(100))
  // As many as a column has room for at first, and some less.
  while (tokens < 1_000) launch()
  const rules = new TokenRules(engine, new WalletLabels())
  const rule = ruleOf({ volumeUsd: { min: 0.000001 } })
  let pauses = 0
  let ms = 0
  // A slice ends at each look at the clock; from the fifth pause on it takes all that is left.
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => {
    if (pauses < 5) ms += 10
    return ms
  })
  onTestFinished(() => spy.mockRestore())
  await rules.load(rule, 4, async () => {
    pauses += 1
    if (pauses < 4) trades(3_000)
    if (pauses !== 5) return
    while (tokens < 1_060) launch()
    trades(3_000)
  })
  expect(pauses).toBe(5)
  const has = new TokenSet()
  rules.compare(rule, has, null)
  const missing = Array.from({ length: tokens }, (_, token) => token).filter(
    (token) => !has.has(token),
  )
  expect(missing).toEqual([])
})
