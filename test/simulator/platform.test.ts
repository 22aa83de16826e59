import { expect, test } from 'vitest'
import type { FeedEvent, Reserves, TokenCreated } from '../../src/events/event.ts'
import { audited, DAY, START } from './audited-market.ts'

/** Events of the type, or of the reason. */
function countOf(kind: FeedEvent['type'] | Reserves['reason']): number {
  const isKind = (event: FeedEvent): boolean =>
    event.type === kind || (event.type === 'reserves' && event.reason === kind)
  return auditor.events_.filter(isKind).length
}

test('the rules hold from any seed', () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.log(`seed ${seed}`)
  expect(audited(500, 30_000, seed).counts.swaps).toBeGreaterThan(30_000)
})

/** Of all tests that follow: to audit a market takes seconds. */
const auditor = audited(4_000, 150_000)
const tokens = [...auditor.tokens.values()]

test('a third of the completing buys goes on, and pools open where it left them', () => {
  const migrated = tokens.filter((token) => token.isMigrated && !token.isMayhem)
  const wentOn = migrated.filter((token) => token.wentOn)
  expect(migrated.length).toBeGreaterThan(30)
  expect(wentOn.length / migrated.length).toBeGreaterThan(0.18)
  expect(wentOn.length / migrated.length).toBeLessThan(0.5)
  expect(tokens.filter((token) => token.isMayhem && token.wentOn)).toHaveLength(0)
  expect(countOf('pool_opened')).toBe(tokens.filter((token) => token.isMigrated).length)
})

test('tokens are quoted in others, and traded through them and for them', () => {
  const { counts } = auditor
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
  for (const kind of ['mayhem', 'boost', 'deposit', 'withdraw', 'burn', 'balance'] as const)
    expect(countOf(kind), kind).toBeGreaterThan(5)
  const isOld = (seconds: number): boolean => seconds < START - DAY
  const cashback = [...auditor.tokens.values()].filter((token) => token.isCashback)
  expect(cashback.length).toBeGreaterThan(10)
  expect(cashback.every((token) => isOld(token.created.timestamp))).toBe(true)
})

test('creators spread what they bought in the transaction of the launch', () => {
  const creations = new Map<string, TokenCreated>()
  const receivers = new Map<string, Set<string>>()
  for (const event of auditor.events_) {
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
  const created = auditor.events_.filter((event) => event.type === 'token_created')
  const first = created.find((event) => event.timestamp > START - DAY)
  const last = created.at(-1)
  if (first === undefined || last === undefined) throw new Error('no launches')
  const slots = (last.slot ?? 0) - (first.slot ?? 0)
  expect((last.timestamp - first.timestamp) / slots).toBeCloseTo(0.268, 4)
})
