import { expect, test } from 'vitest'
import { SlotReach } from '../../../src/feeds/supervisor/slot-reach.ts'
import type { FeedOutcome } from '../peers/feed-run.ts'
import { replayOf } from '../peers/feed-run.ts'
import { transactionLines } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { runSolana } from '../solana/solana-run.ts'
import { runYellowstone } from '../yellowstone/yellowstone-run.ts'
import { ScriptedSource } from './scripted-source.ts'
import { started } from './started-supervisor.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** A year and more ahead of the chain, and the highest that a number can be. */
const MISTAKES = [2 ** 29, Number.MAX_SAFE_INTEGER]

/** Everything of the chain is there once, and what was said of the other slot shows. */
function expectWhole(name: string, slot: number, lines: readonly string[], outcome: FeedOutcome) {
  const { events, figures, reports } = outcome
  const keysOf = (list: FeedOutcome['events']) =>
    list.map((event) => ('signature' in event ? `${event.slot} ${event.signature}` : '')).sort()
  expect(keysOf(events)).toEqual(keysOf(replayOf(lines).events))
  expect(reports).toEqual([
    `${name}: it speaks of slot ${slot}, where the chain cannot be yet: what it says of such slots is left out`,
  ])
  expect(figures[`feed_${name}_impossible_slots_total`]).toBeGreaterThan(1)
  expect(figures.feed_slots_given_up_total).toBe(0)
}

for (const slot of MISTAKES)
  test(`a server that speaks once of slot ${slot} costs no event`, async () => {
    const chain = syntheticChain(5, 30)
    const lines = transactionLines(chain)
    const given = { chain, mistaken: { block: 12, slot }, blockMs: 200, settleMs: 100 }
    for (const blocks of ['gaps', 'all'] as const) {
      const outcome = await runSolana({ ...given, blocks })
      expectWhole('solana', slot, lines, outcome)
    }
    expectWhole('yellowstone', slot, lines, await runYellowstone(given))
  })

// Until the chain has shown how long its slots are they are taken for 268 ms: 3,358 in a quarter of an hour, and 53,731 in
// an hour four times over.

/** A chain that has come to slot 1,000 just now. */
function at1000() {
  const timers = new VirtualTimers()
  const reach = new SlotReach(timers, null)
  expect(reach.admits(1_000)).toBe(true)
  return { timers, reach }
}

test('while nothing was told the chain may be anywhere, and old slots it has reached', () => {
  expect(new SlotReach(new VirtualTimers(), null).admits(Number.MAX_SAFE_INTEGER)).toBe(true)
  const { reach } = at1000()
  expect(reach.admits(0)).toBe(true)
  expect(reach.admits(4_358)).toBe(true)
})

test('a slot can be as far ahead as the chain comes in the time since, four times over', async () => {
  expect(at1000().reach.admits(4_359)).toBe(false)
  const { timers, reach } = at1000()
  await timers.pass(3_600_000)
  expect(reach.admits(58_090)).toBe(false)
  expect(reach.admits(58_089)).toBe(true)
  expect(reach.admits(61_447)).toBe(true)
})

test('after a restart the time since the newest recovered event counts', () => {
  const timers = new VirtualTimers()
  const reach = new SlotReach(timers, { slot: 1_000, atMs: timers.nowMs() - 3_600_000 })
  expect(reach.admits(58_090)).toBe(false)
  expect(reach.admits(58_089)).toBe(true)
})

test('a feed that goes on an hour later takes the slots that the chain can have come to in that hour', async () => {
  const source = new ScriptedSource()
  const nowSeconds = new VirtualTimers().wallMs() / 1_000
  const { stop } = await started([source], 1_000, 100, [], nowSeconds - 3_600)
  expect(source.receiver.admits(58_090)).toBe(false)
  expect(source.receiver.admits(58_089)).toBe(true)
  await stop()
})

test('a feed that goes on while the clock is behind what was recovered takes the slots of this moment', async () => {
  const source = new ScriptedSource()
  const nowSeconds = new VirtualTimers().wallMs() / 1_000
  const { stop } = await started([source], 1_000, 100, [], nowSeconds + 3_600)
  expect(source.receiver.admits(4_359)).toBe(false)
  expect(source.receiver.admits(4_358)).toBe(true)
  await stop()
})

test('slots far ahead that are all that is told for five seconds are those of the chain', async () => {
  const { timers, reach } = at1000()
  for (let slot = 900_000; slot < 900_012; slot++) {
    expect(reach.admits(slot)).toBe(false)
    await timers.pass(400)
  }
  await timers.pass(200)
  expect(reach.admits(900_012)).toBe(true)
  expect(reach.admits(900_013)).toBe(true)
})

test('slots far ahead beside those of the chain, or each elsewhere, are never believed', async () => {
  const { timers, reach } = at1000()
  for (let n = 1; n < 60; n++) {
    expect(reach.admits(900_000 + n)).toBe(false)
    expect(reach.admits(1_000 + n)).toBe(true)
    await timers.pass(400)
  }
  for (let n = 1; n < 60; n++) {
    expect(reach.admits(900_000 * n + 1_000_000)).toBe(false)
    await timers.pass(400)
  }
})
