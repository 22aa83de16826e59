import { expect, test } from 'vitest'
import type { AlertRule, FoundAlert } from '../../src/protocol/alerts.ts'
import { AlertWatch } from '../../src/query/alerts/alert-watch.ts'
import { TokenSet } from '../../src/query/alerts/token-set.ts'
import { byLength } from '../lengths.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { engineOf } from '../store/restoring.ts'

const at = (second: number) => ({ slot: 200 + second, timestamp: START_SECOND + second })

test('a second begins once, with the first event of it, and not while a gap is filled', () => {
  const engine = engineOf('event')
  const told: (readonly [seq: number, second: number])[] = []
  engine.facts.on('second', (second) => told.push([engine.seq, second - START_SECOND]))
  const gap = { type: 'gap', timestamp: START_SECOND + 3, fromSlot: 201, toSlot: 201 } as const
  engine.events([
    price(150),
    created({ ...at(1), mint: 'a' }),
    swap({ ...at(1), mint: 'a' }),
    swap({ ...at(2), mint: 'a' }),
    // Late: of a second that has begun.
    swap({ ...at(1), mint: 'a' }),
    { ...gap, state: 'open' },
    swap({ ...at(3), mint: 'a' }),
    { ...gap, state: 'filling' },
    swap({ ...at(1), mint: 'a', slot: 201 }),
    { ...gap, state: 'filled' },
    swap({ ...at(3), mint: 'a' }),
  ])
  expect(told.map(([, second]) => second)).toEqual([1, 2, 3])
  expect(told[0]).toEqual([2, 1])
})

test('tokens that one second finds for a rule have a number each', () => {
  const engine = engineOf('event')
  const found: FoundAlert[] = []
  const watch = new AlertWatch(engine, (one) => found.push(one))
  const rule: AlertRule = {
    ...{ id: 'r', name: 'r', to: { live: true, webhook: null }, enabled: true, shown: {} },
    when: {
      ...{ kind: 'filter', change: 'enter' },
      filter: { type: 'new', filters: { new: { txsBuys: { min: 1 } } }, limit: 50 },
    },
  }
  watch.begin(engine, { seq: 0, roundSeq: 0, second: 0 })
  watch.add(rule, null)
  const mints = ['a', 'b', 'c']
  engine.events([
    ...mints.map((mint, txIndex) => created({ ...at(1), mint, txIndex, signature: mint })),
    ...mints.map((mint) => swap({ ...at(1), mint })),
    swap({ ...at(2), mint: 'a' }),
    swap({ ...at(3), mint: 'a' }),
  ])
  expect(found.map(({ seq, part, event }) => [seq, part, event])).toEqual([
    ...[0, 1, 2].map((part) => [7, part, 'filter_entered']),
  ])
})

test('a set of tokens is what was put in, page by page', () => {
  const random = new Random(49)
  for (let round = 0; round < byLength(20, 200); round++) {
    const set = new TokenSet()
    const other = new TokenSet()
    const [wanted, others] = [new Set<number>(), new Set<number>()]
    for (let i = 0; i < 60; i++) {
      const token = random.integer(0, 20_000)
      const isIn = random.chance(0.7)
      set.set(token, isIn)
      if (isIn) wanted.add(token)
      else wanted.delete(token)
      if (random.chance(0.5)) {
        other.set(token, true)
        others.add(token)
      }
    }
    const loaded = new TokenSet()
    for (const [page, bits] of set.takeChanged()) loaded.load(page, bits)
    const all = [...new Set([...wanted, ...others])].sort((a, b) => a - b)
    expect(all.filter((token) => loaded.has(token))).toEqual(
      all.filter((token) => wanted.has(token)),
    )
    expect(set.differences(other)).toEqual(
      all.filter((token) => wanted.has(token) !== others.has(token)),
    )
    expect([...set.takeChanged()]).toEqual([])
  }
})
