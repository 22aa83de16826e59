import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { SlotsUnavailable, type SlotTransaction } from '../../../src/feeds/supervisor/source.ts'
import { YellowstoneSource } from '../../../src/feeds/yellowstone/yellowstone-source.ts'
import type { TestChain } from '../peers/chain-blocks.ts'
import { FAULTS, type Fault, FaultPlan } from '../peers/faults.ts'
import { isGivenUp, replayOf } from '../peers/feed-run.ts'
import { GeyserPeer } from '../peers/geyser-peer.ts'
import { transactionLines } from '../peers/rpc-forms.ts'
import { everySeed, PATIENCE, SCHEDULES } from '../peers/runs.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { SILENT_RECEIVER } from '../silent-receiver.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { runYellowstone, tls } from './yellowstone-run.ts'

const BLOCKS = 30
const FAULTS_PER_RUN = 7
/** Slots that the engine takes a swap late. */
const LATE_SLOTS = 32
const NEVER = new AbortController().signal

test('a chain over gRPC gives the state of its file', async () => {
  const chain = syntheticChain(1, 60)
  const { digest, events, figures, reports, peer } = await runYellowstone({ chain })
  const replayed = replayOf(transactionLines(chain))
  expect(events).toEqual(replayed.events)
  expect(digest).toBe(replayed.digest)
  expect(new Set(events.map((event) => event.type))).toEqual(
    new Set(['token_created', 'swap', 'completed', 'migrated', 'reserves']),
  )
  expect(figures).toMatchObject({ feed_duplicates_total: 0, feed_gaps_total: 0 })
  expect(reports).toEqual([])
  expect(peer.pongs).toBeGreaterThan(0)
})

test('a stream whose transactions stop while its slots go on is made anew, and what it lacked is told late', async () => {
  const chain = syntheticChain(3, 60)
  const { events, figures, reports } = await runYellowstone({
    ...{ chain, isEmptyFrom: 10, blockMs: 400 },
  })
  expect(reports).toEqual(['yellowstone: slots came without a transaction for 5 s'])
  expect(figures.feed_yellowstone_empty_streams_total).toBe(1)
  expect(figures.feed_late_total).toBeGreaterThan(0)
  const keys = (list: readonly FeedEvent[]) =>
    list.map((event) => ('signature' in event ? `${event.signature} ${event.ordinal}` : '')).sort()
  expect(keys(events)).toEqual(keys(replayOf(transactionLines(chain)).events))
})

test('slots without transactions that last longer than the engine takes late ones lack none in the end', async () => {
  const chain = syntheticChain(3, 140)
  const { events, reports } = await runYellowstone({
    ...{ chain, isEmptyFrom: 10, isEmptyTo: 80, blockMs: 400 },
  })
  expect(reports.slice(0, 2)).toEqual([
    'yellowstone: slots came without a transaction for 5 s',
    'yellowstone: slots came without a transaction for 10 s',
  ])
  expect(missingOf(chain, events)).toEqual([])
  expect(latestBy(events)).toBeLessThanOrEqual(LATE_SLOTS)
})

test('slots without transactions are told again though the stream ends before it is given up', async () => {
  const chain = syntheticChain(3, 40)
  const { events, reports } = await runYellowstone({
    ...{ chain, isEmptyFrom: 10, cutAt: 18, blockMs: 400 },
  })
  expect(reports).toEqual(['yellowstone: 14 UNAVAILABLE: lost'])
  expect(missingOf(chain, events)).toEqual([])
})

test('of a node that executes several versions of each slot those that are its block count', async () => {
  const chain = syntheticChain(2, 40)
  const { events, figures, digest } = await runYellowstone({ chain, hasOtherBanks: true })
  const replayed = replayOf(transactionLines(chain))
  expect(events).toEqual(replayed.events)
  expect(digest).toBe(replayed.digest)
  const { transactions } = chain.blocks.reduce(
    (sum, block) => ({ transactions: sum.transactions + block.transactions.length }),
    { transactions: 0 },
  )
  expect(figures.feed_yellowstone_other_banks_total).toBe(transactions)
  expect(figures.feed_yellowstone_dead_slots_total).toBeGreaterThan(10)
  expect(figures.feed_gaps_total).toBe(0)
})

/** What of the chain was not told. */
function missingOf(chain: TestChain, events: readonly FeedEvent[]): readonly string[] {
  const keyOf = (event: FeedEvent) =>
    'signature' in event ? `${event.slot} ${event.signature} ${event.ordinal}` : ''
  const told = new Set(events.map(keyOf))
  expect(told.size).toBe(events.length)
  return replayOf(transactionLines(chain))
    .events.map(keyOf)
    .filter((key) => !told.has(key))
}

/** How many slots behind the newest one an event came at most. */
function latestBy(events: readonly FeedEvent[]): number {
  let newest = 0
  let most = 0
  for (const event of events) {
    const slot = 'slot' in event ? (event.slot ?? 0) : 0
    newest = Math.max(newest, slot)
    most = Math.max(most, newest - slot)
  }
  return most
}

test.each(['blockMeta', 'slot'] as const)(
  'a stream without updates of the kind %s, by which a slot is whole, is made anew',
  async (kind) => {
    const chain = syntheticChain(4, 90)
    const { digest, reports } = await runYellowstone({
      ...{ chain, withoutFrom: { block: 10, kind }, blockMs: 400 },
    })
    expect(reports).toEqual(['yellowstone: no slot was told whole for 15 s'])
    expect(digest).toBe(replayOf(transactionLines(chain)).digest)
  },
)

test('a back-fill whose stream stands still is given up after five seconds', async () => {
  const chain = syntheticChain(2, 5)
  // It does not play: nothing is there to be told.
  const peer = new GeyserPeer({ chain })
  const url = await peer.start()
  const timers = new VirtualTimers()
  const source = new YellowstoneSource({
    ...{ peer: { url, token: '' }, counters: newFeedCounters(), timers },
  })
  const receiver = { transaction: () => {}, slotComplete: () => {} }
  const { slot } = chain.blocks[0]
  const { signal } = new AbortController()
  const ended = source.backfill(slot, slot + 2, receiver, signal).catch(({ message }) => message)
  await until(() => timers.waiting > 0)
  await timers.pass(5_000)
  expect(await ended).toBe('nothing came for 5 s')
  peer.stop()
})

test('a back-fill tells the slots that it was asked for, whole, and nothing else', async () => {
  const chain = syntheticChain(3, 20)
  const peer = new GeyserPeer({ chain })
  const url = await peer.start()
  const playing = peer.play()
  const source = new YellowstoneSource({ peer: { url, token: '' }, counters: newFeedCounters() })
  const slots: number[] = []
  const told: string[] = []
  const receiver = {
    transaction: ({ signature }: SlotTransaction) => told.push(signature),
    slotComplete: (slot: number) => slots.push(slot),
  }
  const wanted = chain.blocks.slice(5, 9)
  await source.backfill(wanted[0].slot, wanted[3].slot, receiver, NEVER)
  expect(slots).toEqual(wanted.map(({ slot }) => slot))
  const good = wanted.flatMap(({ transactions }) => transactions).filter((one) => !one.hasFailed)
  expect(told.toSorted()).toEqual(good.map(({ signature }) => signature).toSorted())
  peer.stop()
  await playing
})

test('a server that tells slots again from a later one on says to which slot they are lost', async () => {
  const chain = syntheticChain(2, 5)
  const { slot } = chain.blocks[0]
  const peer = new GeyserPeer({ chain, firstAvailable: slot + 3 })
  const url = await peer.start()
  const source = new YellowstoneSource({ peer: { url, token: '' }, counters: newFeedCounters() })
  const receiver = { transaction: () => {}, slotComplete: () => {} }
  const lost = await source.backfill(slot, slot + 9, receiver, NEVER).catch((error) => error)
  expect(lost).toBeInstanceOf(SlotsUnavailable)
  expect(lost).toMatchObject({
    ...{ message: `the server tells slots again from ${slot + 3} on`, to: slot + 2 },
  })
  peer.stop()
})

test.each([
  ['denied', 'the server tells slots again from now on'],
  ['unheard', '4 DEADLINE_EXCEEDED'],
] as const)(
  'a server by which the question for its first slot is %s streams from now on',
  async (replayInfo, reason) => {
    const chain = syntheticChain(2, 30)
    const peer = new GeyserPeer({ chain, replayInfo })
    const url = await peer.start()
    const playing = peer.play()
    const source = new YellowstoneSource({ peer: { url, token: '' }, counters: newFeedCounters() })
    const stopping = new AbortController()
    const slots: number[] = []
    const receiver = {
      ...SILENT_RECEIVER,
      slotComplete: (slot: number) => slots.push(slot),
    }
    const { slot } = chain.blocks[0]
    const ended = source.connect(receiver, slot, stopping.signal)
    await until(() => slots.length > 10)
    stopping.abort()
    await ended
    await expect(source.backfill(slot, slot, receiver, NEVER)).rejects.toThrow(reason)
    peer.stop()
    await playing
  },
)

test('a server that lacks the question for its first slot is asked with from_slot', async () => {
  const chain = syntheticChain(2, 30)
  const { events } = await runYellowstone({ chain, replayInfo: 'unimplemented', cutAt: 10 })
  expect(missingOf(chain, events)).toEqual([])
})

test('a server that refuses every stream from the slots that it says it has is followed from now on', async () => {
  const chain = syntheticChain(3, 40)
  const { events, figures, reports } = await runYellowstone({
    ...{ chain, refusesReplays: status.OUT_OF_RANGE },
  })
  const lost = missingOf(chain, events).map((key) => Number(key.split(' ')[0]))
  expect(lost.filter((slot) => !isGivenUp(reports, slot))).toEqual([])
  expect(figures.feed_slots_given_up_total).toBeGreaterThan(0)
  expect(figures.feed_slots_given_up_total).toBeLessThan(5)
})

/** Where each fault shows. */
const SHOWS: Readonly<Partial<Record<Fault, readonly string[]>>> = {
  drop: ['feed_gap_slots_total', 'feed_yellowstone_replays_total'],
  duplicate: ['feed_duplicates_total'],
  reorder: ['feed_reordered_total'],
  disconnect: ['feed_yellowstone_losses_total'],
  stall: ['feed_yellowstone_watchdog_total'],
  'rate limit': ['feed_yellowstone_refusals_total', 'feed_backfill_errors_total'],
  'wrong slot': ['feed_wrong_slots_total'],
  'huge frame': ['feed_yellowstone_huge_messages_total'],
  garbage: ['feed_yellowstone_bad_messages_total'],
}

test(
  'whatever the connection does, the state is that of the undisturbed chain',
  PATIENCE,
  async () => {
    const seen = new Map<Fault, number>()
    const kinds = FAULTS.filter((fault) => SHOWS[fault] !== undefined)
    await everySeed(async (seed) => {
      const chain = syntheticChain(seed, BLOCKS)
      const plan = new FaultPlan(seed, BLOCKS, kinds, FAULTS_PER_RUN)
      const isSecure = seed % 5 === 0
      // Later slots go on without a gap that is filled behind them.
      const isBehind = seed % 3 === 0
      const { answers, digest, figures, reports } = await runYellowstone({
        ...{ chain, plan },
        ...(isBehind && { gapWaitMs: 0 }),
        ...(isSecure && { tls }),
      })
      const told = `${[...plan.injected].join(' ')} ${JSON.stringify(figures)} ${reports.join('; ')}`
      const undisturbed = replayOf(transactionLines(chain))
      const isSame = isBehind ? answers() === undisturbed.answers() : digest === undisturbed.digest
      if (!isSame) throw new Error(`the state differs: ${told}`)
      for (const [fault, count] of plan.injected) {
        seen.set(fault, (seen.get(fault) ?? 0) + count)
        const shown = (SHOWS[fault] ?? []).reduce((sum, name) => sum + figures[name], 0)
        if (shown === 0) throw new Error(`${fault} shows nowhere: ${told}`)
      }
    })
    console.log(
      `faults of the Yellowstone peer: ${[...seen].map((pair) => pair.join(' ')).join(', ')}`,
    )
    // A few schedules have not every fault.
    if (SCHEDULES > 8) expect(seen.size).toBeGreaterThan(5)
  },
)
