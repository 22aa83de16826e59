import { expect, test } from 'vitest'
import { TapeDamage } from '../../../src/base/errors.ts'
import { Engine } from '../../../src/engine/engine.ts'
import {
  highestIndexes,
  newestSecondsOfSlot,
  newestSlotlessSwaps,
} from '../../../src/engine/read/swap-outtake.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import type { Swap } from '../../../src/events/event.ts'
import { ALIKE_MAX, ReserveTrades } from '../../../src/feeds/supervisor/reserve-trades.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { started } from './started-supervisor.ts'
import { swap, withoutPlace } from './told-trades.ts'

async function chainWithReserve(gapWaitMs?: number) {
  const [chain, reserve] = [new ScriptedSource('chain'), new ScriptedSource('portal', true)]
  const more = gapWaitMs === undefined ? {} : { gapWaitMs }
  const run = await started([chain, reserve], null, 100, [], 0, more)
  const slot = (number: number, signature: string, ...events: readonly Swap[]) => {
    chain.receiver.transaction(told(number, 0, { signature, events }))
    chain.receiver.slotComplete(number, number - 1)
  }
  const trades = () =>
    run.events().map((event) => event.type === 'swap' && `${event.signature} ${event.baseRaw}`)
  const loseChain = async () => {
    chain.lose(new Error('lost'))
    await run.timers.pass(0)
  }
  const leftOut = () => run.supervisor.figures().feed_reserve_trades_total
  return { ...run, chain, reserve, slot, trades, loseChain, leftOut }
}

test('a trade that the reserve told while the chain was away is not told again by a back-fill', async () => {
  const { chain, reserve, slot, timers, trades, loseChain, leftOut, stop } =
    await chainWithReserve()
  chain.receiver.connected()
  slot(10, 'before', swap('before', 500n))
  await loseChain()
  reserve.receiver.events([withoutPlace('a', 700n)])
  await timers.pass(250)
  chain.receiver.connected()
  // Amounts of the reserve are rounded; the twin and the other trade of the transaction are new.
  const twin = swap('a', 701n, { ordinal: 2 })
  slot(11, 'a', swap('a', 900n, { ordinal: 0 }), swap('a', 701n), twin)
  expect(trades()).toEqual(['before 500', 'a 700', 'a 900', 'a 701'])
  expect(leftOut()).toBe(1)
  await stop()
})

test('a trade that the reserve told while the chain was away is not told again by a gap that is filled behind live trades', async () => {
  const { chain, reserve, slot, timers, trades, loseChain, leftOut, stop } =
    await chainWithReserve(1_000)
  chain.receiver.connected()
  slot(10, 'before', swap('before', 500n))
  await loseChain()
  reserve.receiver.events([withoutPlace('a', 700n)])
  await timers.pass(250)
  const answered = Promise.withResolvers<void>()
  chain.onBackfill = async (_from, _to, receiver) => {
    await answered.promise
    receiver.transaction(told(11, 0, { signature: 'a', events: [swap('a', 701n)] }))
    receiver.transaction(told(11, 1, { signature: 'b', events: [swap('b', 300n)] }))
    receiver.slotComplete(11, 10)
  }
  chain.receiver.connected()
  slot(12, 'behind', swap('behind', 900n, { slot: 12 }))
  await timers.pass(2_000)
  answered.resolve()
  await timers.pass(1_000)
  expect(trades()).toEqual(['before 500', 'a 700', 'behind 900', 'b 300'])
  expect(leftOut()).toBe(1)
  await stop()
})

test('a trade that the reserve told before a restart is not told again by the back-fill after it', async () => {
  const engine = new Engine({ clock: 'event' })
  engine.events([swap('before', 500n, { slot: 10 }), withoutPlace('a', 700n)])
  engine.events([withoutPlace('b', 300n, 4_000_000_001)])
  const earlierReserveTrades = newestSlotlessSwaps(engine.state, 100)
  expect(newestSlotlessSwaps(engine.state, 1)).toEqual(earlierReserveTrades.slice(1))
  const [chain, reserve] = [new ScriptedSource('chain'), new ScriptedSource('portal', true)]
  const { events, timers, stop } = await started([chain, reserve], 10, 100, earlierReserveTrades)
  chain.receiver.connected()
  await timers.pass(250)
  chain.receiver.transaction(told(11, 0, { signature: 'a', events: [swap('a', 701n)] }))
  chain.receiver.transaction(told(11, 1, { signature: 'c', events: [swap('c', 300n)] }))
  chain.receiver.slotComplete(11, 10)
  expect(events().map((event) => 'signature' in event && event.signature)).toEqual(['c'])
  await stop()
})

test('trades of the reserve are known after a start too that has them on the disk alone, but for those of a damaged block', () => {
  const engine = new Engine({ clock: 'event', tapeChunkRecords: TAPE_BLOCK_RECORDS })
  const { tape } = engine.state
  const names = Array.from({ length: 3 * TAPE_BLOCK_RECORDS }, (_, i) => `trade ${i}`)
  engine.events([swap('told', 1n, { slot: 10 })])
  engine.events(names.map((name) => withoutPlace(name, 2n)))
  engine.events(Array.from({ length: 5_000 }, (_, i) => withoutPlace(`later ${i}`, 3n)))
  const known = () =>
    newestSlotlessSwaps(engine.state, tape.count).map(({ signature }) => signature)
  const before = known()
  expect(before.slice(0, names.length)).toEqual(names)
  const [seconds, indexes] = [
    newestSecondsOfSlot(engine.state, tape.count),
    highestIndexes(engine.state, 0, tape.count),
  ]
  const archive = new MemoryArchive()
  archive.takeFrom(engine)
  expect(tape.firstInMemory).toBeGreaterThan(names.length)
  expect(known()).toEqual(before)
  expect(newestSecondsOfSlot(engine.state, tape.count)).toBe(seconds)
  expect(highestIndexes(engine.state, 0, tape.count)).toEqual(indexes)
  const block = archive.block.bind(archive)
  archive.block = (number) => {
    if (number === 1) throw new TapeDamage('it is damaged')
    return block(number)
  }
  const lost = new Set(names.slice(TAPE_BLOCK_RECORDS - 1, 2 * TAPE_BLOCK_RECORDS - 1))
  expect(known()).toEqual(before.filter((name) => !lost.has(name)))
})

test('trades of a run with a feed without slots alone are not told again by the back-fill of the next one, with the chain alone', async () => {
  const chain = new ScriptedSource('chain')
  const run = await started([chain], 10, 100, [withoutPlace('a', 700n)])
  chain.receiver.connected()
  chain.receiver.transaction(told(11, 0, { signature: 'a', events: [swap('a', 701n)] }))
  chain.receiver.transaction(told(11, 1, { signature: 'b', events: [swap('b', 700n)] }))
  chain.receiver.slotComplete(11, 10)
  expect(run.signatures()).toEqual(['b'])
  expect(run.supervisor.figures().feed_reserve_trades_total).toBe(1)
  await run.stop()
})

test('a trade that the chain told before it was lost is not told again by the reserve', async () => {
  const { chain, reserve, slot, trades, loseChain, leftOut, stop } = await chainWithReserve()
  chain.receiver.connected()
  slot(10, 'a', swap('a', 700n))
  await loseChain()
  reserve.receiver.events([withoutPlace('a', 700n), withoutPlace('b', 700n)])
  expect(trades()).toEqual(['a 700', 'b 700'])
  expect(leftOut()).toBe(1)
  await stop()
})

test('of trades of a transaction that are alike so many are remembered and no more, the newest', () => {
  const trades = new ReserveTrades()
  const oneByOne = Array.from({ length: ALIKE_MAX + 1 }, (_, i) => swap('a', 1000n * BigInt(i + 1)))
  expect(trades.withoutRepeats(oneByOne, true)).toEqual(oneByOne)
  expect(trades.withoutRepeats(oneByOne, false)).toEqual([oneByOne[0]])
  expect(trades.leftOut).toBe(ALIKE_MAX)
})
