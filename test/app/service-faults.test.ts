import { expect, test } from 'vitest'
import { Service } from '../../src/app/service.ts'
import { TapeDamage } from '../../src/base/errors.ts'
import { price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

/** A service whose folds may be made to throw, what it was told, and its clock. */
function served() {
  const told: string[] = []
  const wall = { ms: START_SECOND * 1000 }
  const settings = { clock: 'wall', lateSlots: 32 } as const
  const engine = engineOf('wall')
  const service = new Service(
    settings,
    (reason) => told.push(reason),
    () => wall.ms,
    engine,
  )
  const broken: { by: Error | null } = { by: null }
  service.journalTo({
    events: (batch) => {
      if (broken.by !== null) throw broken.by
      engine.events(batch)
    },
    records: (batch) => engine.records(batch),
  })
  service.events([price(150)])
  return { service, engine, told, wall, broken }
}

test('a second has begun when it has begun on the clock of the machine', () => {
  const { service, engine, wall } = served()
  wall.ms += 999
  service.tick()
  expect(engine.state.now).toBe(START_SECOND)
  wall.ms += 1
  service.tick()
  expect(engine.state.now).toBe(START_SECOND + 1)
})

test.each([
  [new RangeError('planted'), /^An event met a fault of this program: .+\(RangeError: planted\)$/],
  [new TapeDamage('Block 7 is damaged.'), /^Block 7 is damaged\.$/],
])('behind %s nothing is folded, the clock stands, and it is told once', (thrown, reason) => {
  const { service, engine, told, wall, broken } = served()
  broken.by = thrown
  // What is a fault of the program is thrown, once.
  const fold = () => service.events([swap({ slot: 1 })])
  if (thrown instanceof TapeDamage) fold()
  else expect(fold).toThrow(thrown)
  broken.by = null
  fold()
  wall.ms += 60_000
  service.tick()
  expect([engine.counts.swaps, engine.state.now]).toEqual([0, START_SECOND])
  expect(told).toEqual([service.failure])
  expect(service.failure).toMatch(reason)
})

test('each batch is told with when it began, for who looks for long steps', () => {
  const { service } = served()
  const begun: number[] = []
  service.steps = { note: (_name, startMs) => begun.push(startMs) }
  const before = performance.now()
  service.events([swap({ slot: 1 })])
  service.events([swap({ slot: 2 })])
  expect(begun).toHaveLength(2)
  expect(begun.every((startMs) => startMs >= before && startMs <= performance.now())).toBe(true)
})

test('positions are counted wherever they lie, and the newest event is as old as it is', () => {
  const { service, engine, wall } = served()
  const trade = (mint: string, slot: number) =>
    service.events([
      swap({ mint, slot, signature: `${mint} ${slot}`, timestamp: START_SECOND + 4 }),
    ])
  trade('quiet', 1_000)
  for (const slot of [2_000, 3_000]) trade('busy', slot)
  wall.ms += 60_000
  service.tick()
  expect(service.figures()).toMatchObject({
    ...{ positions: 2, positions_in_memory: 2, dormant_positions: 0, dormant_tokens: 0 },
    ...{ newest_event_seconds: START_SECOND + 4, now_seconds: START_SECOND + 60 },
  })
  engine.coldStore.evict([engine.state.book.findToken('quiet')])
  expect(service.figures()).toMatchObject({
    ...{ positions: 2, positions_in_memory: 1, dormant_positions: 1, dormant_tokens: 1 },
  })
})
