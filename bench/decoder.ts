/**
 * `make bench ONLY=decoder`: what it costs to read the chain. The measured peak of both programs is 328
 * log frames a second, nine in ten of them failed, and 33 trades among the others.
 */
import { ChainNormaliser } from '../src/feeds/chain/normalise.ts'
import { newFeedCounters } from '../src/feeds/feed-counters.ts'
import { readLogFrame } from '../src/feeds/solana/solana-source.ts'
import { SUBSCRIBE } from '../src/feeds/yellowstone/geyser-client.ts'
import { transactionOfGeyser } from '../src/feeds/yellowstone/geyser-transaction.ts'
import { updateOf } from '../src/feeds/yellowstone/geyser-update.ts'
import type { BlockTransaction } from '../test/feeds/peers/chain-blocks.ts'
import { transactionUpdate } from '../test/feeds/peers/geyser-forms.ts'
import { logsFrame } from '../test/feeds/peers/rpc-forms.ts'
import { syntheticChain } from '../test/feeds/peers/synthetic-chain.ts'
import { atMost, type Line } from './line.ts'
import { median, spreadPercent } from './medians.ts'

const PEAK_FRAMES = 328
const PEAK_TRADES = 33
/** How far above the peak the goal is, and what share of a core it may take there. */
const HEADROOM = 20
const SHARE_PERCENT_MAX = 5
const ROUNDS = 9
const ROUND_FRAMES = 20_000
/** Lines that a bot's failed transaction has beside those of our programs: frames are 3 KB long. */
const PADDING = Array.from(
  { length: 24 },
  (_, n) => `Program ComputeBudget111111111111111111111111111111 consumed ${n} of 1400000 units`,
)

/** Frames and updates of a synthetic chain, in the shares that were measured. */
function workload(): { failed: Buffer[]; good: Buffer[]; mixed: Buffer[]; updates: Buffer[] } {
  const { blocks } = syntheticChain(1, 400)
  const all = blocks.flatMap(({ slot, transactions }) =>
    transactions.map((transaction) => ({ slot, transaction })),
  )
  const good = all.filter(({ transaction }) => transaction.emitted.length > 0)
  const frame = (slot: number, transaction: BlockTransaction) => {
    const { params, ...rest } = JSON.parse(logsFrame(slot, transaction, 1))
    params.result.value.logs.splice(1, 0, ...PADDING)
    return Buffer.from(JSON.stringify({ ...rest, params }))
  }
  const failures = all.filter(({ transaction }) => transaction.hasFailed)
  const failed = failures.map(({ slot, transaction }) => frame(slot, transaction))
  const goodFrames = good.map(({ slot, transaction }) => frame(slot, transaction))
  const mixed = Array.from({ length: 2_000 }, (_, n) =>
    n % 10 === 0 ? goodFrames[n % goodFrames.length] : failed[n % failed.length],
  )
  const updates = good.map(({ slot, transaction }) =>
    SUBSCRIBE.responseSerialize(transactionUpdate(slot, transaction)),
  )
  return { failed, good: goodFrames, mixed, updates }
}

/** Microseconds of CPU time for one, in each round. */
function costs(inputs: readonly Buffer[], read: (bytes: Buffer) => void): number[] {
  const rounds: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage()
    for (let n = 0; n < ROUND_FRAMES; n++) read(inputs[n % inputs.length])
    const { user, system } = process.cpuUsage(before)
    // The first round warms up.
    if (round > 0) rounds.push((user + system) / ROUND_FRAMES)
  }
  return rounds
}

/** What log frames and Yellowstone updates cost, and what is left of a core at 20 times the peak. */
export async function run(): Promise<readonly Line[]> {
  const { failed, good, mixed, updates } = workload()
  const normaliser = new ChainNormaliser(newFeedCounters())
  const readFrame = (bytes: Buffer) => {
    const frame = readLogFrame(bytes)
    if (frame.kind === 'logs') normaliser.events(frame.transaction)
  }
  const readUpdate = (bytes: Buffer) => {
    const told = updateOf(SUBSCRIBE.responseDeserialize(bytes))?.transaction
    if (told !== undefined) normaliser.events(transactionOfGeyser(told.slot ?? 0, told.transaction))
  }
  const perFrame = costs(mixed, readFrame)
  const perUpdate = costs(updates, readUpdate)
  const share = (us: number, rate: number) => (us * rate * HEADROOM) / 1e4
  const line = (what: string, rounds: readonly number[], unit: string): Line => ({
    ...{ what, unit },
    ours: median(rounds),
    spreadPercent: spreadPercent(rounds),
  })
  return [
    line('a failed log frame', costs(failed, readFrame), 'µs of CPU'),
    line(
      'the same through JSON.parse',
      costs(failed, (bytes) => JSON.parse(String(bytes))),
      'µs of CPU',
    ),
    line('a log frame with events, to events', costs(good, readFrame), 'µs of CPU'),
    line('log frames, nine in ten failed', perFrame, 'µs of CPU'),
    line('a Yellowstone transaction, to events', perUpdate, 'µs of CPU'),
    {
      what: `logs at ${HEADROOM} × ${PEAK_FRAMES} frames/s`,
      ours: share(median(perFrame), PEAK_FRAMES),
      unit: '% of a core',
      goal: atMost(SHARE_PERCENT_MAX),
    },
    {
      what: `Yellowstone at ${HEADROOM} × ${PEAK_TRADES} trades/s`,
      ours: share(median(perUpdate), PEAK_TRADES),
      unit: '% of a core',
      goal: atMost(SHARE_PERCENT_MAX),
    },
  ]
}
