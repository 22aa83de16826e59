import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TABLE_ORDERS, WINDOWS } from '../../../src/protocol/filters.ts'
import { TRENDING_ORDERS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import '../../property-seed.ts'
import { BreakableArchive } from '../../server/breakable-archive.ts'
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

test.each([true, false])(
  'windows that could not be kept are not shown as they were (the disk is mended: %s)',
  (isMended) => {
    const engine = new Engine({ clock: 'event', tapeChunkRecords: 64 })
    const queries = new EngineQueries(engine, () => {})
    const trade = (mint: string, second: number) =>
      swap({
        ...{ mint, slot: 200 + second * 10, signature: `${mint} ${second}` },
        timestamp: START_SECOND + second,
      })
    const filters = { new: { windows: { '5m': { txs: { min: 1 } } } } }
    const rows = () => {
      const { new: found } = JSON.parse(queries.tables({ type: 'new', limit: 50, filters }))
      return found.map(({ mint }: { mint: string }) => mint)
    }
    const trending = () =>
      JSON.parse(queries.trending({ window: '5m', by: 'trades', limit: 50 }).bytes.toString()).items
    const windows = () => JSON.parse(queries.detail('A') ?? '').windows
    engine.events([price(100), created({ mint: 'A' }), created({ mint: 'B', txIndex: 1 })])
    for (let second = 0; second < 400; second++) engine.accept(trade('A', second))
    const archive = new BreakableArchive()
    archive.takeFrom(engine)
    expect(rows()).toEqual(['A'])
    expect(trending()).toHaveLength(1)
    expect(windows()['5m'].txs).toBe(300)
    archive.isBroken = true
    engine.accept(trade('B', 500))
    archive.isBroken = !isMended
    engine.accept(trade('B', 1_100))
    if (isMended) {
      expect(rows()).toEqual(['B'])
      expect(trending()).toMatchObject([{ mint: 'B' }])
      expect(windows()['5m'].txs).toBe(0)
    } else {
      expect(windows()).toBeNull()
      expect(rows).toThrow('damaged')
      expect(trending).toThrow('damaged')
    }
  },
)

test('equal tokens trend in the order of tables, however their events arrive', () => {
  // Launches of one slot, of one transaction and of others, all with as many trades.
  const places = [
    { slot: 101, txIndex: 0, ordinal: 0 },
    { slot: 103, txIndex: 0, ordinal: 0 },
    { slot: 103, txIndex: 2, ordinal: 0 },
    { slot: 103, txIndex: 2, ordinal: 1 },
    { slot: 102, txIndex: 0, ordinal: 0 },
  ]
  const launches = places.map((place, i) => {
    const mint = MINTS[i] ?? ''
    return [
      created({ ...place, mint, signature: `launch ${mint}` }),
      swap({ mint, slot: 110, txIndex: i, signature: `trade ${mint}` }),
    ]
  })
  const wanted = ['D', 'C', 'B', 'E', 'A']
  const answerOf = (order: readonly number[], limit: number) => {
    const engine = engineOf('event')
    engine.events([price(100), ...order.flatMap((i) => launches[i] ?? [])])
    const { bytes } = new EngineQueries(engine, () => {}).trending({
      ...{ window: '5m', by: 'trades', limit },
    })
    return JSON.parse(bytes.toString()).items.map(({ mint }: { mint: string }) => mint)
  }
  fc.assert(
    fc.property(
      fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      fc.integer({ min: 1, max: 6 }),
      (order, limit) => {
        expect(answerOf(order, limit)).toEqual(wanted.slice(0, limit))
      },
    ),
  )
})
