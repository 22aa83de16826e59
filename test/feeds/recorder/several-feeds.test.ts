import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { frameLine } from '../../../src/feeds/raw-frames.ts'
import { RecordedValues } from '../../../src/feeds/replay/recorded-value.ts'
import { StdinFeed } from '../../../src/feeds/replay/replay.ts'
import { SUBSCRIBE } from '../../../src/feeds/yellowstone/geyser-client.ts'
import { CollectingSink } from '../collecting-sink.ts'
import type { Block, BlockTransaction } from '../peers/chain-blocks.ts'
import { replayOf } from '../peers/feed-run.ts'
import { transactionUpdate } from '../peers/geyser-forms.ts'
import { logsFrame } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'

const START_MS = 1_790_000_000_000

interface Told {
  readonly block: Block
  readonly transaction: BlockTransaction
  readonly timeMs: number
}

/** The transactions of a chain as they arrive, twenty a second. */
function transactions(): Told[] {
  const { blocks } = syntheticChain(17, 30)
  return blocks
    .flatMap((block) => block.transactions.map((transaction) => ({ block, transaction })))
    .map((told, n) => ({ ...told, timeMs: START_MS + n * 50 }))
}

function line(feed: string, raw: string | Uint8Array, timeMs: number): string {
  return JSON.stringify(frameLine(feed, raw, timeMs))
}

function ofYellowstone({ block, transaction, timeMs }: Told): string {
  const update = SUBSCRIBE.responseSerialize(transactionUpdate(block.slot, transaction))
  return line('yellowstone', update, timeMs)
}

function ofSolana({ block, transaction, timeMs }: Told): string {
  return line('solana', logsFrame(block.slot, transaction, 1), timeMs)
}

function ofSolanaSlot(timeMs: number): string {
  const result = { slot: 430_000_000, parent: 429_999_999, root: 429_999_968 }
  const frame = { jsonrpc: '2.0', method: 'slotNotification', params: { result, subscription: 3 } }
  return line('solana', JSON.stringify(frame), timeMs)
}

/** The trades on curves among the events, as PumpPortal words them. */
function ofPumpPortal(events: readonly FeedEvent[], timeMs: number): string[] {
  return events.filter(isCurveTrade).map((swap) => line('pumpportal', portalText(swap), timeMs))
}

function isCurveTrade(event: FeedEvent): event is Swap {
  return event.type === 'swap' && event.source === 'pump'
}

/** What trades are known by, whoever tells them. */
function contents(events: readonly FeedEvent[]): string[] {
  return events
    .filter(isCurveTrade)
    .map(({ signature, mint, direction, baseRaw }) =>
      [signature, mint, direction, baseRaw].join(' '),
    )
    .sort()
}

function portalText(swap: Swap): string {
  const frame = {
    ...{ signature: swap.signature, mint: swap.mint, traderPublicKey: swap.signer },
    ...{ txType: swap.direction, tokenAmount: Number(swap.baseRaw) / 1e6 },
    ...{ solAmount: Number(swap.quoteRaw) / 1e9, bondingCurveKey: swap.pool, pool: 'pump' },
    ...{ newTokenBalance: 1, marketCapSol: 30 },
    vTokensInBondingCurve: Number(swap.virtualBaseRaw) / 1e6,
    vSolInBondingCurve: Number(swap.virtualQuoteRaw) / 1e9,
  }
  return JSON.stringify(frame)
}

test('a recording of two feeds of the chain replays to the state of the one that knows the places', () => {
  const [first, ...others] = transactions()
  const alone = replayOf([first, ...others].map(ofYellowstone))
  const lines = others.flatMap((told) => [ofSolana(told), ofYellowstone(told)])
  expect(replayOf([ofYellowstone(first), ...lines]).digest).toBe(alone.digest)
})

test('a trade that PumpPortal tells beside the chain is one trade in a replay, whoever was first', () => {
  const told = transactions()
  const alone = replayOf(told.map(ofYellowstone))
  const trades = alone.events.filter(isCurveTrade)
  expect(trades.length).toBeGreaterThan(20)
  const portal = told.map(({ transaction, timeMs }) =>
    ofPumpPortal(
      trades.filter(({ signature }) => signature === transaction.signature),
      timeMs,
    ),
  )
  for (const lines of [
    told.flatMap((one, n) => [...portal[n], ofYellowstone(one)]),
    told.flatMap((one, n) => [ofYellowstone(one), ...portal[n]]),
    [...told.map(ofYellowstone), ...portal.flat()],
    [...portal.flat(), ...told.map(ofYellowstone)],
    // A stream that is made anew tells its last slots again.
    [...portal.flat(), ...told.map(ofYellowstone), ...told.map(ofYellowstone)],
  ])
    expect(contents(replayOf(lines).events)).toEqual(contents(trades))
})

test('what only one feed tells while the others are silent counts', () => {
  const told = transactions()
  const half = told.length >> 1
  const late = told.slice(half).map((one) => ({ ...one, timeMs: one.timeMs + 10_000 }))
  const lines = [...told.slice(0, half).map(ofYellowstone), ...late.map(ofSolana)]
  const signatures = (events: readonly FeedEvent[]) =>
    new Set(events.flatMap((event) => ('signature' in event ? [event.signature] : [])))
  expect(signatures(replayOf(lines).events)).toEqual(
    signatures(replayOf(told.map(ofYellowstone)).events),
  )
})

test('what one feed of the chain tells while the other one is being lost counts, and once', () => {
  const told = transactions()
  const half = told.length >> 1
  const [before, after] = [told.slice(0, half), told.slice(half)]
  const swaps = (lines: readonly string[]) =>
    replayOf(lines).events.flatMap((event) =>
      event.type === 'swap' ? [`${event.signature} ${event.ordinal}`] : [],
    )
  const alone = swaps(told.map(ofYellowstone)).toSorted()
  const both = before.flatMap((one) => [ofSolana(one), ofYellowstone(one)])
  const resumed = told.slice(half + 30).map((one) => ({ ...one, timeMs: one.timeMs + 1_000 }))
  // The first frame is that of the feed that was there first.
  for (const lines of [
    [...both, ...after.map(ofSolana)],
    // A recording that ends soon behind the loss.
    [...both, ...after.map((one) => ofSolana({ ...one, timeMs: before[half - 1].timeMs + 1_000 }))],
    // One transaction is lost by the better feed alone.
    told.flatMap((one, n) => (n === half ? [ofSolana(one)] : [ofSolana(one), ofYellowstone(one)])),
    // The better feed comes back, later than the other one.
    [...both, ...after.map(ofSolana), ...resumed.map(ofYellowstone)],
  ])
    expect(swaps([ofYellowstone(told[0]), ...lines]).toSorted()).toEqual(alone)
})

test('what one feed of the chain tells stands before what PumpPortal tells once both are lost', () => {
  const [first, ...others] = transactions()
  const waiting = others.slice(0, 20)
  const trades = replayOf(others.slice(20).map(ofYellowstone)).events.filter(isCurveTrade)
  const lines = [first].map(ofYellowstone).concat(waiting.map(ofSolana))
  const both = [...lines, ...ofPumpPortal(trades, START_MS + 20_000)]
  expect(replayOf(both).events.slice(0, replayOf(lines).events.length)).toEqual(
    replayOf(lines).events,
  )
})

test('what waits whether the better feed tells it too waits for no other trade', () => {
  const [first, second] = transactions().filter(({ transaction }) => !transaction.hasFailed)
  const values = new RecordedValues(newFeedCounters())
  values.eventsOf(JSON.parse(ofYellowstone(first)))
  for (const text of [ofSolana(second), ofSolanaSlot(START_MS + 2_000)])
    expect(values.eventsOf(JSON.parse(text))).toEqual([])
  expect(values.eventsOf(JSON.parse(ofSolanaSlot(second.timeMs + 2_001)))).not.toEqual([])
})

test('a transaction that the better feed tells late has the place that this one knows', () => {
  const told = transactions()
    .filter(({ transaction }) => !transaction.hasFailed)
    .map((one, n) => ({ ...one, timeMs: START_MS + n * 3_000 }))
  const lines = told.flatMap((one, n) => [
    ...(n === 0 ? [] : [ofSolana({ ...one, timeMs: one.timeMs - 2_900 })]),
    ofYellowstone(one),
  ])
  expect(replayOf(lines).digest).toBe(replayOf(told.map(ofYellowstone)).digest)
})

test('what waits whether the better feed tells it too is handed over where the recording ends', async () => {
  // A second of them.
  const [first, ...others] = transactions().slice(0, 20)
  const lines = [ofYellowstone(first), ...others.map(ofSolana)]
  const input = Readable.from([Buffer.from(lines.join('\n'))])
  const sink = new CollectingSink()
  const report = () => {}
  await new StdinFeed({ report, counters: newFeedCounters(), input }).start(sink)
  const expected = replayOf([first, ...others].map(ofYellowstone)).events
  expect(contents(expected).length).toBeGreaterThan(5)
  expect(contents(sink.all)).toEqual(contents(expected))
})
