import { expect, test } from 'vitest'
import { makeSideFeeds } from '../../../src/app/feeds/feed-list.ts'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { THRESHOLDS } from '../../../src/base/thresholds.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { DexPaid } from '../../../src/feeds/metadata/dex-paid.ts'
import { type Refusal, refusal } from '../../../src/feeds/metadata/safe-fetch.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { until } from '../until.ts'

const APPROVED = '[{"type":"tokenProfile","status":"approved"}]'
const MINTS = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => letter.repeat(40))

function completed(mint: string): FeedEvent {
  const position = { slot: 1, txIndex: 0, ordinal: 0, signature: mint, timestamp: 1 }
  return { type: 'completed', ...position, mint, bondingCurve: 'curve' }
}

function swap(mint: string, realBaseRaw: bigint): Swap {
  return {
    type: 'swap',
    slot: 1,
    txIndex: 0,
    ordinal: 0,
    signature: mint,
    timestamp: 1,
    source: 'pump',
    mint,
    pool: 'curve',
    signer: 'signer',
    direction: 'buy',
    baseRaw: 1n,
    quoteRaw: 1n,
    virtualBaseRaw: 1n,
    virtualQuoteRaw: 1n,
    realBaseRaw,
    realQuoteRaw: 1n,
    platformFeeRaw: 0n,
    creatorFeeRaw: 0n,
  }
}

/** Runs against answers by mint; each question moves the clock on as it is told to. */
class Run {
  readonly asked: { mint: string; atMs: number }[] = []
  readonly paid: string[] = []
  readonly dexPaid: DexPaid
  nowMs = 0
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(answer: (mint: string) => string | Refusal, everyMs: number) {
    this.dexPaid = new DexPaid({
      fetchText: async (url) => {
        const mint = url.slice(url.lastIndexOf('/') + 1)
        this.asked.push({ mint, atMs: performance.now() })
        return answer(mint)
      },
      onPaid: (mint) => this.paid.push(mint),
      clockMs: () => this.nowMs,
      completingPercent: THRESHOLDS.completingPercent,
      everyMs,
    })
    this.#running = this.dexPaid.run(this.#stopping.signal)
  }

  async end(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}

test('one question follows the other after the time between, never sooner', async () => {
  const everyMs = 25
  const run = new Run(() => '[]', everyMs)
  for (const mint of MINTS) run.dexPaid.observe(completed(mint))
  await until(() => run.asked.length === MINTS.length)
  await run.end()
  const gapsMs = run.asked.slice(1).map(({ atMs }, index) => atMs - run.asked[index].atMs)
  // Timers of Node may fire a millisecond early.
  for (const gapMs of gapsMs) expect(gapMs).toBeGreaterThanOrEqual(everyMs - 1)
})

test('a token is asked about from 40 % of its curve on, once until the next time is due', async () => {
  const run = new Run((mint) => (mint === MINTS[1] ? APPROVED : '[]'), 1)
  run.dexPaid.observe(swap(MINTS[0], 475_860_000_000_001n))
  expect(run.dexPaid.figures().dex_paid_waiting).toBe(0)
  run.dexPaid.observe(swap(MINTS[0], 475_860_000_000_000n))
  run.dexPaid.observe(swap(MINTS[1], 0n))
  run.dexPaid.observe(completed(MINTS[1]))
  await until(() => run.asked.length === 2)
  await until(() => run.paid.length === 1)
  expect(run.paid).toEqual([MINTS[1]])
  for (const [index, afterMs] of [600_000, 3_600_000, 21_600_000].entries()) {
    run.nowMs += afterMs
    await until(() => run.asked.length === 3 + index)
  }
  expect(run.asked.slice(2).every(({ mint }) => mint === MINTS[0])).toBe(true)
  await until(() => run.dexPaid.figures().dex_paid_waiting === 0)
  await run.end()
})

test('a profile is paid when its order is approved', async () => {
  const approved = { type: 'tokenProfile', status: 'approved' }
  const isPaid = async (answer: string) => {
    const run = new Run(() => answer, 1)
    run.dexPaid.observe(completed(MINTS[0]))
    await until(() => run.asked.length === 1)
    await run.end()
    return run.paid.length === 1
  }
  expect(await isPaid(JSON.stringify([{ type: 'communityTakeover' }, approved]))).toBe(true)
  expect(await isPaid(JSON.stringify({ orders: [approved], boosts: [] }))).toBe(true)
  for (const value of [[], [{ ...approved, status: 'processing' }], [null], {}, null, 'approved'])
    expect(await isPaid(JSON.stringify(value))).toBe(false)
  expect(await isPaid('<html>')).toBe(false)
})

test('a token that trades in a pool is asked about, whatever the pool holds', async () => {
  const run = new Run(() => '[]', 1)
  const sold = swap(MINTS[0], 900_000_000_000_000n)
  run.dexPaid.observe({ ...sold, source: 'pump_amm', direction: 'sell' })
  expect(run.dexPaid.figures().dex_paid_waiting).toBe(1)
  await until(() => run.asked.length === 1)
  await run.end()
})

test('a token for which there is no room is counted once, however often it trades', async () => {
  const run = new Run(() => '[]', 60_000)
  const address = Buffer.alloc(32, 7)
  for (let index = 0; index < 5_000; index++) {
    address.writeUInt32BE(index)
    run.dexPaid.observe(completed(encodeBase58(address)))
  }
  expect(run.dexPaid.figures()).toMatchObject({
    dex_paid_waiting: 5_000,
    dex_paid_left_out_total: 0,
  })
  for (const mint of [MINTS[1], MINTS[2], MINTS[1], MINTS[1]]) run.dexPaid.observe(swap(mint, 0n))
  expect(run.dexPaid.figures().dex_paid_left_out_total).toBe(2)
  await run.end()
})

test('with COMPLETING_PERCENT it begins where tokens begin to be completing', async () => {
  const side = await makeSideFeeds({
    solPrice: { kind: 'off' },
    metadata: { gateways: ['https://one.hosts.test'] },
    rules: { ...THRESHOLDS, completingPercent: 20 },
  })
  const tell = (mint: string, realBaseRaw: bigint) =>
    side
      .beside(
        { kind: 'stdin' },
        {
          name: 'stub',
          start: async (sink) => sink.events([swap(mint, realBaseRaw)]),
          stop: () => {},
        },
      )
      .start(new CollectingSink())
  const waiting = () => side.feeds[0]?.figures?.().dex_paid_waiting
  await tell(MINTS[0], 634_480_000_000_001n)
  expect(waiting()).toBe(0)
  await tell(MINTS[1], 634_480_000_000_000n)
  expect(waiting()).toBe(1)
})

test('after a refusal the service is left alone', async () => {
  const run = new Run(() => refusal('status', false), 1)
  for (const mint of MINTS) run.dexPaid.observe(completed(mint))
  await until(() => run.asked.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(run.asked).toHaveLength(1)
  await run.end()
})
