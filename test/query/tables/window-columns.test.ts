import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TABLE_ORDERS, WINDOWS } from '../../../src/protocol/filters.ts'
import { TRENDING_ORDERS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { created, START_SECOND, swap } from '../../oracle/fixtures.ts'
import '../../property-seed.ts'
import { engineOf } from '../../store/restoring.ts'

const MINTS = ['A', 'B', 'C', 'D', 'E']
/** Trades, some of them late, and steps of the clock over the ends of each window. */
const step = fc.record({
  mint: fc.constantFrom(...MINTS),
  signer: fc.constantFrom('alice', 'bob', 'carol'),
  direction: fc.constantFrom('buy', 'sell'),
  quoteRaw: fc.bigInt({ min: 1n, max: 10n ** 10n }),
  laterSeconds: fc.constantFrom(0, 0, 1, 30, 61, 200, 301, 2_000, 3_601, 20_000, 86_401),
  isLate: fc.boolean(),
})
const read = fc.record({
  order: fc.constantFrom(...TABLE_ORDERS),
  window: fc.constantFrom(...WINDOWS),
  by: fc.constantFrom(...TRENDING_ORDERS),
  isMade: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Read = typeof read extends fc.Arbitrary<infer T> ? T : never

test('orders, filters and trends by windows are those of a first read, whatever was read between', () => {
  const run = (steps: readonly (readonly [Step, Read])[]) => {
    const engine = engineOf('event')
    const answers = new EngineQueries(engine, () => {})
    engine.events([{ type: 'sol_price', timestamp: START_SECOND, usd: 150 }])
    for (const [i, mint] of MINTS.entries()) engine.events([created({ slot: i + 1, mint })])
    let seconds = START_SECOND
    let slot = 1_000
    for (const [{ laterSeconds, isLate, ...trade }, { order, window, by, isMade }] of steps) {
      seconds += laterSeconds
      slot += 1 + laterSeconds * 3
      // A late one stands before those of some seconds.
      const at = isLate
        ? { slot: slot - 40, timestamp: seconds - 13 }
        : { slot, timestamp: seconds }
      engine.events([swap({ ...trade, ...at, txIndex: slot, baseRaw: 10n ** 9n })])
      if (!isMade) continue
      const fresh = new EngineQueries(engine, () => {})
      const [name, filter] = order.split('.')
      const filters = { windows: { [name ?? '']: { [filter ?? '']: { min: 1 } } } }
      for (const from of [{}, { new: filters }]) {
        const query = { type: 'new', filters: from, limit: 9, orderBy: order, extra: true } as const
        expect(answers.tables(query)).toBe(fresh.tables(query))
      }
      const trending = { window, by, limit: 9 }
      expect(answers.trending(trending).bytes.toString()).toBe(
        fresh.trending(trending).bytes.toString(),
      )
    }
  }
  fc.assert(fc.property(fc.array(fc.tuple(step, read), { maxLength: 40 }), run), { numRuns: 25 })
})
