import { createHash, type Hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RecordSink } from '../../src/events/event-sink.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import { type RecordBatch, SWAP_RECORD_BYTES } from '../../src/events/swap-record.ts'
import { Market } from '../../src/feeds/simulator/market.ts'
import { History, historySwaps } from '../../src/feeds/simulator/simulator.ts'
import { audited, DAY, RATE, START } from './audited-market.ts'
import { Auditor, Names } from './auditor.ts'

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
