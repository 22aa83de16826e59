import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import type { TestChain } from '../peers/chain-blocks.ts'
import { FAULTS, type Fault, FaultPlan } from '../peers/faults.ts'
import { isGivenUp, replayOf } from '../peers/feed-run.ts'
import { transactionLines } from '../peers/rpc-forms.ts'
import { everySeed, PATIENCE, SCHEDULES } from '../peers/runs.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { runSolana } from './solana-run.ts'

const BLOCKS = 30
const FAULTS_PER_RUN = 7

test('a chain read block by block gives the state of its file', async () => {
  const chain = syntheticChain(1, 60)
  const { digest, events, figures, reports } = await runSolana({ chain, blocks: 'all' })
  const replayed = replayOf(transactionLines(chain))
  expect(events).toEqual(replayed.events)
  expect(digest).toBe(replayed.digest)
  expect(figures).toMatchObject({ feed_slots_given_up_total: 0, feed_late_total: 0 })
  expect(reports).toEqual([])
})

test('a block is read once, however late frames of its slot come', async () => {
  const chain = syntheticChain(8, 60)
  const plan = new FaultPlan(8, 60, ['late frames'], 12)
  const { digest, peer } = await runSolana({ chain, plan, blocks: 'all' })
  expect(plan.count('late frames')).toBeGreaterThan(5)
  expect(digest).toBe(replayOf(transactionLines(chain)).digest)
  expect(peer.askedBlocks.length).toBe(new Set(peer.askedBlocks).size)
})

test.for([-1, 1])(
  'a slot for which the server gives the block that is %i from it is read again',
  async (by) => {
    const chain = syntheticChain(6, 30)
    const { digest, figures } = await runSolana({
      chain,
      blocks: 'all',
      mixedUp: { block: 12, by },
    })
    expect(digest).toBe(replayOf(transactionLines(chain)).digest)
    expect(figures).toMatchObject({ feed_slots_given_up_total: 0, feed_wrong_slots_total: 0 })
  },
)

test('a chain read from its logs has every event, without fee and exact index', async () => {
  const chain = syntheticChain(2, 60)
  const { events, figures } = await runSolana({ chain, blocks: 'gaps', cursor: null })
  const replayed = replayOf(transactionLines(chain))
  expect(events.map(asOfLogs)).toEqual(replayed.events.map(asOfLogs))
  expect(
    events.filter((event) => event.type === 'swap' && event.chainFeeRaw !== undefined),
  ).toEqual([])
  expect(figures.feed_solana_failed_frames_total).toBeGreaterThan(10)
  expect(figures.feed_solana_pools_resolved_total).toBe(1)
})

/** Without what logs do not carry. */
function asOfLogs(event: FeedEvent): object {
  const { txIndex: _txIndex, ...known } = { txIndex: 0, ...event }
  if (known.type !== 'swap') return known
  const {
    chainFeeRaw: _fee,
    baseBalanceBeforeRaw: _before,
    baseBalanceAfterRaw: _after,
    ...swap
  } = known
  return swap
}

test('swaps of a pool that cannot be looked up are read from the blocks of their slots', async () => {
  const chain = { ...syntheticChain(2, 60), accounts: new Map<string, Buffer>() }
  const { events, figures } = await runSolana({ chain, blocks: 'gaps', cursor: null })
  expect(sorted(events)).toEqual(sorted(replayOf(transactionLines(chain)).events))
  expect(figures.feed_solana_pools_unresolved_total).toBeGreaterThan(0)
  expect(figures.feed_slots_given_up_total).toBe(0)
})

test('transactions with cut logs that cannot be fetched are read from the blocks of their slots', async () => {
  const chain = syntheticChain(3, 30)
  const { events, figures } = await runSolana({
    ...{ chain, blocks: 'gaps', cursor: null, hidesTransactions: true },
    plan: new FaultPlan(3, 30, ['truncate'], 5),
  })
  expect(sorted(events)).toEqual(sorted(replayOf(transactionLines(chain)).events))
  expect(figures.feed_solana_not_fetched_total).toBeGreaterThan(0)
})

/** Where each fault shows when slots are read from their blocks. */
const SHOWS: Readonly<Partial<Record<Fault, readonly string[]>>> = {
  drop: ['feed_solana_frames_missed_total', 'feed_gap_slots_total'],
  duplicate: ['feed_solana_frames_repeated_total'],
  reorder: ['feed_solana_slots_disordered_total'],
  disconnect: ['feed_solana_losses_total'],
  stall: ['feed_solana_watchdog_total'],
  'rate limit': ['feed_solana_rpc_rate_limited_total'],
  'wrong slot': ['feed_solana_frames_misplaced_total'],
  'huge frame': ['feed_solana_huge_frames_total'],
  garbage: ['feed_solana_bad_frames_total'],
  'late frames': [],
}

test(
  'slots read from their blocks give the undisturbed state, whatever the frames do',
  PATIENCE,
  async () => {
    const seen = await faultRuns('all', SHOWS, (seed, outcome) => {
      const chain = syntheticChain(seed, BLOCKS)
      const undisturbed = replayOf(transactionLines(chain))
      return isBehind(seed)
        ? outcome.answers() === undisturbed.answers()
        : outcome.digest === undisturbed.digest
    })
    console.log(
      `faults of the RPC peer, all blocks: ${[...seen].map((pair) => pair.join(' ')).join(', ')}`,
    )
    // A few schedules have not every fault.
    if (SCHEDULES > 8) expect(seen.size).toBeGreaterThan(5)
  },
)

/** The same for logs; that two have changed places shows nowhere, because logs have no index. */
const SHOWS_IN_LOGS: Readonly<Partial<Record<Fault, readonly string[]>>> = {
  ...SHOWS,
  drop: ['feed_gap_slots_total'],
  duplicate: ['feed_duplicates_total'],
  reorder: [],
  truncate: ['feed_solana_fetched_total', 'feed_duplicates_total'],
  'wrong slot': ['feed_wrong_slots_total'],
}

test(
  'logs with blocks for what they lack hold every event once, whatever the frames do',
  PATIENCE,
  async () => {
    const seen = await faultRuns('gaps', SHOWS_IN_LOGS, (seed, outcome) => {
      const { events } = replayOf(transactionLines(syntheticChain(seed, BLOCKS)))
      return JSON.stringify(sorted(outcome.events)) === JSON.stringify(sorted(events))
    })
    console.log(
      `faults of the RPC peer, logs: ${[...seen].map((pair) => pair.join(' ')).join(', ')}`,
    )
    // A few schedules have not every fault.
    if (SCHEDULES > 8) expect(seen.size).toBeGreaterThan(5)
  },
)

function keyOf(event: FeedEvent): string {
  return JSON.stringify(asOfLogs(event), (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

const sorted = (events: readonly FeedEvent[]) => events.map(keyOf).sort()

/** Events of a chain that were not told. */
function missingOf(chain: TestChain, events: readonly FeedEvent[]): readonly FeedEvent[] {
  const told = new Set(events.map(keyOf))
  return replayOf(transactionLines(chain)).events.filter((event) => !told.has(keyOf(event)))
}

test('a subscription that dies while the other goes on is noticed, and what it missed is told late', async () => {
  // Long enough for the look-ups to be over before the chain is.
  const chain = syntheticChain(4, 100)
  const { events, figures, reports } = await runSolana({
    chain,
    blocks: 'gaps',
    deafFrom: 10,
    blockMs: 200,
  })
  expect(reports).toEqual(['solana: the subscription of pump_amm has gone silent'])
  expect(figures.feed_solana_silent_subscriptions_total).toBe(1)
  expect(figures.feed_late_total).toBeGreaterThan(0)
  expect(missingOf(chain, events)).toEqual([])
  expect(new Set(events.map(keyOf)).size).toBe(events.length)
})

test('a connection with a subscription that is never answered is made anew', async () => {
  const chain = syntheticChain(6, 60)
  const { events, reports } = await runSolana({
    ...{ chain, blocks: 'gaps', forgetsOne: true, blockMs: 400 },
  })
  expect(reports).toEqual(['solana: the server has not answered both logsSubscribe for 5 s'])
  expect(missingOf(chain, events)).toEqual([])
})

test('slots before the first frame of either subscription are not whole, whenever it was answered', async () => {
  const chain = syntheticChain(7, 40)
  const { events, reports } = await runSolana({
    ...{ chain, blocks: 'gaps', lateBlocks: 8, blockMs: 400 },
  })
  expect(missingOf(chain, events)).toEqual([])
  expect(new Set(events.map(keyOf)).size).toBe(events.length)
  expect(reports).toEqual([])
})

test('a subscription of slots that tells nothing keeps no event back', async () => {
  const chain = syntheticChain(5, 100)
  const { events, figures } = await runSolana({
    chain,
    blocks: 'gaps',
    isMuteFrom: 30,
    blockMs: 400,
  })
  expect(missingOf(chain, events)).toEqual([])
  expect(figures).toMatchObject({
    feed_solana_silent_subscriptions_total: 1,
    feed_solana_losses_total: 1,
    feed_slots_given_up_total: 0,
  })
})

test.each([
  ['keeps no transactions', { method: 'getBlock', code: -32_011 }],
  ['does not know the method', { method: 'getBlocks', code: -32_601 }],
])(
  'a node that %s loses what nobody else has, is said to, and is followed on',
  async (_, refuses) => {
    const chain = syntheticChain(3, 60)
    const { events, figures, reports } = await runSolana({
      ...{ chain, blocks: 'gaps', cursor: null, refuses },
      plan: new FaultPlan(3, 30, ['disconnect'], 3),
    })
    const first = Math.min(...events.map((event) => ('slot' in event && event.slot) || 0))
    const lost = missingOf(chain, events).filter(
      (event) => 'slot' in event && (event.slot ?? 0) > first,
    )
    expect(
      lost.filter((event) => !isGivenUp(reports, ('slot' in event && event.slot) || 0)),
    ).toEqual([])
    expect(figures.feed_slots_given_up_total).toBeGreaterThan(0)
  },
)

/** Do later slots go on without a gap, which is filled behind them? */
function isBehind(seed: number): boolean {
  return seed % 3 === 0
}

async function faultRuns(
  blocks: 'gaps' | 'all',
  shows: Readonly<Partial<Record<Fault, readonly string[]>>>,
  isRight: (seed: number, outcome: Awaited<ReturnType<typeof runSolana>>) => boolean,
): Promise<ReadonlyMap<Fault, number>> {
  const seen = new Map<Fault, number>()
  const kinds = FAULTS.filter((fault) => shows[fault] !== undefined)
  await everySeed(async (seed) => {
    const chain = syntheticChain(seed, BLOCKS)
    const plan = new FaultPlan(seed, BLOCKS, kinds, FAULTS_PER_RUN)
    const outcome = await runSolana({
      ...{ chain, plan, blocks, losesFrames: blocks === 'all' },
      ...(isBehind(seed) && { gapWaitMs: 0 }),
    })
    const { figures, reports } = outcome
    const told = `${[...plan.injected].join(' ')} ${JSON.stringify(figures)} ${reports.join('; ')}`
    if (!isRight(seed, outcome)) throw new Error(`the state differs: ${told}`)
    for (const [fault, count] of plan.injected) {
      seen.set(fault, (seen.get(fault) ?? 0) + count)
      const names = shows[fault] ?? []
      const shown = names.reduce((sum, name) => sum + figures[name], 0)
      if (names.length > 0 && !(shown > 0)) throw new Error(`${fault} shows nowhere: ${told}`)
    }
  })
  return seen
}
