import { createHash, type Hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { FeedEvent, ReservesReason, TokenCreated } from '../../src/engine/event.ts'
import type { RecordSink } from '../../src/engine/event-sink.ts'
import { USDC_MINT } from '../../src/engine/platform.ts'
import type { RecordBatch } from '../../src/engine/record-batch.ts'
import { SWAP_RECORD_BYTES } from '../../src/engine/swap-record.ts'
import { History, historySwaps } from '../../src/feeds/simulator/history.ts'
import { Market } from '../../src/feeds/simulator/market.ts'
import { Auditor, Names } from './auditor.ts'

const START = 1_790_000_000
const RATE = 50
const DAY = 86_400

class HashSink implements RecordSink {
  readonly hash: Hash = createHash('sha256')

  records(batch: RecordBatch): void {
    batch.walk(
      (from, to) => {
        const bytes = batch.bytes.subarray(from * SWAP_RECORD_BYTES, to * SWAP_RECORD_BYTES)
        this.hash.update(bytes)
      },
      (event) => {
        const text = (_: string, value: unknown): unknown =>
          typeof value === 'bigint' ? `${value}` : value
        this.hash.update(JSON.stringify(event, text))
      },
    )
  }
}

function hashOf(seed: number, startSeconds: number, pauses: boolean): string {
  const sink = new HashSink()
  const tokens = 300
  const market = new Market({ seed, tokens, startSeconds, addressBook: new Names() }, sink)
  const history = new History(market, { tokens, rate: RATE, endSeconds: startSeconds })
  for (let i = 0; !history.step(); i++) if (pauses && i % 97 === 0) market.flushSwaps()
  for (let second = 1; second <= 20; second++) market.run(500, startSeconds + second)
  market.flush()
  return sink.hash.digest('hex')
}

/** History and live trading of a market, audited as it is made. */
function audited(tokens: number, liveSwaps: number, seed = 7): Auditor {
  let now = START
  const auditor = new Auditor(() => now)
  const options = { seed, tokens, startSeconds: START, addressBook: auditor.names }
  const market = new Market(options, auditor)
  const history = new History(market, { tokens, rate: RATE, endSeconds: START })
  while (!history.step());
  for (let made = 0; made < liveSwaps; made += RATE) market.run(RATE, ++now)
  market.flush()
  auditor.close()
  return auditor
}

/** Events of the type, or of the reason. */
function countOf(auditor: Auditor, kind: FeedEvent['type'] | ReservesReason): number {
  const isKind = (event: FeedEvent): boolean =>
    event.type === kind || (event.type === 'reserves' && event.reason === kind)
  return auditor.events_.filter(isKind).length
}

test('the same seed and start give the same bytes, however the work is cut', () => {
  expect(hashOf(1, START, true)).toBe(hashOf(1, START, false))
})

test('another seed or another start gives another market', () => {
  const first = hashOf(1, START, false)
  expect(hashOf(2, START, false)).not.toBe(first)
  expect(hashOf(1, START + 1, false)).not.toBe(first)
})

test('every swap obeys curve, fee, ledger and order rules to the raw unit', () => {
  // The auditor throws at the first swap or event that breaks a rule.
  const auditor = audited(2_000, 300_000)
  const { counts } = auditor
  expect(counts.swaps).toBeGreaterThanOrEqual(historySwaps(2_000, RATE) + 300_000)
  const completed = auditor.events_.filter((event) => event.type === 'completed').length
  const migrated = auditor.events_.filter((event) => event.type === 'migrated').length
  expect(completed).toBeGreaterThan(20)
  expect(completed - migrated).toBeLessThan(3)
  expect(counts.amm / counts.swaps).toBeGreaterThan(0.05)
  expect(countOf(auditor, 'pool_opened')).toBe(migrated)
})

test('the rules hold from any seed', () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.log(`seed ${seed}`)
  expect(audited(500, 30_000, seed).counts.swaps).toBeGreaterThan(30_000)
})

test('a third of the completing buys goes on, and pools open where it left them', () => {
  const tokens = [...audited(10_000, 100_000).tokens.values()]
  const migrated = tokens.filter((token) => token.isMigrated && !token.isMayhem)
  const wentOn = migrated.filter((token) => token.wentOn)
  expect(migrated.length).toBeGreaterThan(60)
  expect(wentOn.length / migrated.length).toBeGreaterThan(0.2)
  expect(wentOn.length / migrated.length).toBeLessThan(0.47)
  expect(tokens.filter((token) => token.isMayhem && token.wentOn)).toHaveLength(0)
})

test('tokens are quoted in others, and traded through them and for them', () => {
  const auditor = audited(2_000, 200_000)
  const { counts } = auditor
  const tokens = [...auditor.tokens.values()]
  const inCoins = tokens.filter((token) => token.quote === 'coin')
  expect(inCoins.length / tokens.length).toBeGreaterThan(0.015)
  expect(inCoins.length / tokens.length).toBeLessThan(0.045)
  expect(new Set(inCoins.map((token) => token.created.quoteMint)).size).toBeGreaterThan(10)
  expect(counts.hops).toBeGreaterThan(1_000)
  expect(counts.paidInCoins).toBeGreaterThan(100)
  // Each route has two hops, and the second one is never missing: the auditor sees to it.
  expect(counts.hops % 2).toBe(0)
})

test('every kind of event that is no trade comes, and only where it may', () => {
  const auditor = audited(2_000, 200_000)
  for (const kind of ['mayhem', 'boost', 'deposit', 'withdraw', 'burn', 'balance'] as const)
    expect(countOf(auditor, kind), kind).toBeGreaterThan(5)
  const isOld = (seconds: number): boolean => seconds < START - DAY
  const cashback = [...auditor.tokens.values()].filter((token) => token.isCashback)
  expect(cashback.length).toBeGreaterThan(10)
  expect(cashback.every((token) => isOld(token.created.timestamp))).toBe(true)
})

test('creators spread what they bought in the transaction of the launch', () => {
  const { events_: events } = audited(2_000, 20_000)
  const creations = new Map<string, TokenCreated>()
  const receivers = new Map<string, Set<string>>()
  for (const event of events) {
    if (event.type === 'token_created') creations.set(event.signature, event)
    if (event.type !== 'balance') continue
    const created = creations.get(event.signature)
    if (created === undefined || created.mint !== event.mint) continue
    const wallets = receivers.get(event.mint) ?? new Set()
    receivers.set(event.mint, wallets.add(event.wallet))
  }
  expect(receivers.size / creations.size).toBeGreaterThan(0.02)
  for (const wallets of receivers.values()) expect(wallets.size).toBeGreaterThanOrEqual(3)
})

test('a slot takes 268 ms', () => {
  const created = audited(500, 20_000).events_.filter((event) => event.type === 'token_created')
  const first = created.find((event) => event.timestamp > START - DAY)
  const last = created.at(-1)
  if (first === undefined || last === undefined) throw new Error('no launches')
  const slots = (last.slot ?? 0) - (first.slot ?? 0)
  expect((last.timestamp - first.timestamp) / slots).toBeCloseTo(0.268, 4)
})

test('the shares of kinds of tokens and trades are near those of the platform', () => {
  const auditor = audited(4_000, 200_000)
  const { counts } = auditor
  const created = auditor.events_.filter((event) => event.type === 'token_created')
  const share = (matches: number, all: number): number => matches / all
  const tokens = [...auditor.tokens.values()]
  expect(share(counts.buys, counts.swaps)).toBeGreaterThan(0.54)
  expect(share(counts.buys, counts.swaps)).toBeLessThan(0.64)
  expect(share(created.filter((e) => e.isMayhemMode).length, created.length)).toBeCloseTo(0.18, 1)
  const usdc = created.filter((e) => e.quoteMint === USDC_MINT)
  expect(share(usdc.length, created.length)).toBeCloseTo(0.05, 1)
  const suffixed = created.filter((e) => e.mint.endsWith('pump')).length
  expect(share(suffixed, created.length)).toBeCloseTo(0.9, 1)
  expect(created.every((e) => /^[1-9A-HJ-NP-Za-km-z]{44}$/.test(e.mint))).toBe(true)
  expect(created.every((e) => /^[1-9A-HJ-NP-Za-km-z]{87,88}$/.test(e.signature))).toBe(true)
  const graduated = tokens.filter((token) => token.isMigrated).length
  expect(share(graduated, tokens.length)).toBeGreaterThan(0.004)
  expect(share(graduated, tokens.length)).toBeLessThan(0.03)
  const sizes = auditor.quotesSol.sort((a, b) => a - b)
  expect(sizes[Math.floor(sizes.length / 2)]).toBeGreaterThan(0.05)
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(0.25)
  for (const count of [counts.agent, counts.chainFees, counts.balances, counts.insiders]) {
    expect(count).toBeGreaterThan(0)
  }
})

test('most tokens see few trades and some see very many', () => {
  const trades = [...audited(4_000, 0).tokens.values()].map((token) => token.trades)
  const few = trades.filter((count) => count < 10).length
  expect(few / trades.length).toBeGreaterThan(0.5)
  expect(Math.max(...trades)).toBeGreaterThan(500)
})

test('the history ends at the start, and its swaps lie in the day before it', () => {
  const auditor = audited(2_000, 0)
  expect(auditor.newestSeconds).toBeGreaterThanOrEqual(START - 30)
  expect(auditor.newestSeconds).toBeLessThanOrEqual(START)
  const created = auditor.events_.filter((event) => event.type === 'token_created')
  expect(created.length).toBe(2_000)
  const old = created.filter((event) => event.timestamp < START - DAY).length
  expect(old / created.length).toBeCloseTo(0.15, 1)
  expect(auditor.events_[0]?.type).toBe('sol_price')
})

test('a market without tokens, or without a rate, starts too', () => {
  const auditor = audited(0, 1_000)
  expect(auditor.counts.swaps).toBeGreaterThanOrEqual(1_000)
  const market = new Market(
    { seed: 1, tokens: 50, startSeconds: START, addressBook: auditor.names },
    new Auditor(() => START),
  )
  const history = new History(market, { tokens: 50, rate: 0, endSeconds: START })
  while (!history.step());
  expect(market.swaps).toBe(0)
})
