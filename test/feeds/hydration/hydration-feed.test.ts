import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import {
  associatedTokenAddress,
  bondingCurveAddress,
  metadataAddress,
} from '../../../src/feeds/chain/layouts/program-address.ts'
import { created, START_SECOND } from '../../oracle/fixtures.ts'
import {
  curve,
  extendedMint,
  LEGACY,
  legacyMint,
  metaplex,
  TOKEN_2022,
  tokenAccount,
} from '../peers/chain-accounts.ts'
import type { AccountsServer } from './accounts-server.ts'
import {
  address,
  bought,
  CURVE,
  DEV,
  hydrating,
  MINT,
  SLOT,
  SUPPLY,
  TEXTS,
  WHALE,
} from './hydrating.ts'

/** Where nothing hangs on what is asked within it. */
const LONG_STEP_MS = 500

/** All that the chain knows of a mint: a whale has 10 %, its second account 5 %, the creator 2 %. */
function tellMint(server: AccountsServer, mint: string, isLegacy = false): void {
  const { accounts, largest } = server.known
  const program = isLegacy ? LEGACY : TOKEN_2022
  const own = bondingCurveAddress(mint) ?? ''
  accounts.set(mint, isLegacy ? legacyMint(SUPPLY) : extendedMint(mint, SUPPLY, TEXTS))
  if (isLegacy) accounts.set(metadataAddress(mint) ?? '', metaplex(mint, TEXTS))
  accounts.set(own, curve(DEV))
  const held = [
    [own, 5n * 10n ** 14n],
    [WHALE, 10n ** 14n],
    [WHALE, 5n * 10n ** 13n],
    ...Array.from({ length: 12 }, (_, n) => [address(100 + n), 10n ** 13n] as const),
  ] as const
  const addresses = held.map(([owner, amount], n) => {
    const account = encodeBase58(
      Buffer.concat([Buffer.from([mint.length, n]), Buffer.alloc(30, 9)]),
    )
    const at = `${account.slice(0, 30)}${mint.slice(-10)}`
    accounts.set(at, tokenAccount(mint, owner, amount, program))
    return at
  })
  largest.set(mint, addresses)
  const ofDev = associatedTokenAddress(DEV, program, mint) ?? ''
  accounts.set(ofDev, tokenAccount(mint, DEV, 2n * 10n ** 13n, program))
}

/** Ten largest: the whale's 15 %, the creator's 2 % and eight of 1 %. */
const KNOWN = { top_10_percent: 25, creator_holding_pct: 2, creator: DEV, ...TEXTS, uri: undefined }

test.each([
  [false, 'Token-2022'],
  [true, 'legacy'],
])(
  'a trade of an unseen mint brings name, creator, supply and largest holders (legacy: %s)',
  async (isLegacy) => {
    const { server, live, pass, token, found, answers, feed } = await hydrating()
    tellMint(server, MINT, isLegacy)
    server.slot = SLOT
    live(bought(MINT))
    expect(token()).toMatchObject({ name: '', top_10_percent: expect.closeTo(0, 3) })
    await pass(2_000)
    const { uri: _, ...known } = KNOWN
    expect(token()).toMatchObject(known)
    expect(found('toad')).toMatchObject({ uri: TEXTS.uri, bonding_curve: CURVE, mint: MINT })
    expect(JSON.parse(answers.detail(MINT) ?? '')).toMatchObject({ history_complete: false })
    // The curve's own half is nobody's, the whale's accounts are one, and the trader is known by its trade.
    expect(token()).toMatchObject({ holders: 1 + 1 + 12 + 1, insiders_holding: 0 })
    expect(feed.figures()).toMatchObject({
      ...{ hydration_waiting: 0, hydration_errors_total: 0, hydration_stale_total: 0 },
      hydration_states_total: isLegacy ? 3 : 2,
      hydration_questions_total: isLegacy ? 4 : 3,
    })
  },
)

test('a mint that is known whole is not asked for, nor one a second time', async () => {
  const { server, live, pass } = await hydrating()
  tellMint(server, MINT)
  server.slot = SLOT
  const other = address(20)
  live(created({ mint: other, slot: SLOT, timestamp: START_SECOND + SLOT }), bought(other))
  await pass(2_000)
  expect(server.asked).toEqual([])
  live(bought(MINT))
  await pass(2_000)
  const { length } = server.asked
  expect(length).toBe(3)
  for (let n = 1; n < 5; n++) {
    live(bought(MINT, SLOT + n))
    await pass(61_000, LONG_STEP_MS)
  }
  expect(server.asked).toHaveLength(length)
}, 60_000)

test('no more questions a second than are allowed are asked, whatever waits', async () => {
  const { server, live, pass } = await hydrating({ perSecond: 4 })
  server.slot = SLOT
  for (let n = 0; n < 100; n++) {
    const mint = address(100 + n)
    tellMint(server, mint)
    live(bought(mint))
  }
  await pass(5_000)
  const times = server.asked.map(({ atMs }) => atMs)
  expect(times.length).toBeGreaterThan(10)
  for (const [n, atMs] of times.entries())
    if (n > 0) expect(atMs - times[n - 1]).toBeGreaterThanOrEqual(250)
  for (const { params } of server.askedBy('getMultipleAccounts'))
    expect(params[0]).toHaveProperty(
      'length',
      expect.toSatisfy((count) => count <= 100),
    )
})

test('names and holders take turns, and what clients follow comes first', async () => {
  const followed = address(150)
  const { server, live, pass, token } = await hydrating({ followed: [followed] })
  server.slot = SLOT
  const mints = [followed, ...Array.from({ length: 60 }, (_, n) => address(160 + n))]
  for (const mint of mints) {
    tellMint(server, mint)
    live(bought(mint))
  }
  await pass(3_000)
  for (const mint of mints) expect(token(mint)).toMatchObject({ name: 'Toad' })
  expect(server.askedBy('getTokenLargestAccounts')[0].params[0]).toBe(followed)
  expect(server.asked.slice(0, 3).map(({ method }) => method)).toEqual([
    ...['getMultipleAccounts', 'getTokenLargestAccounts', 'getMultipleAccounts'],
  ])
})

test('what was asked for is asked of the chain before what trades', async () => {
  const { server, answers, live, pass } = await hydrating()
  server.slot = SLOT
  const mints = Array.from({ length: 60 }, (_, n) => address(160 + n))
  for (const mint of mints) {
    tellMint(server, mint)
    live(bought(mint))
  }
  answers.detail(mints[0])
  await pass(1_000)
  expect(server.askedBy('getTokenLargestAccounts')[0].params[0]).toBe(mints[0])
})

test('an answer ahead of the feed waits for it, and one that is too far behind is asked for again', async () => {
  const { server, live, pass, token, feed, handedOver } = await hydrating()
  tellMint(server, MINT)
  server.slot = SLOT + 10
  live(bought(MINT))
  await pass(2_000)
  expect(token()).toMatchObject({ name: '' })
  live(bought(address(20), SLOT + 10))
  await pass(300)
  expect(token()).toMatchObject({ name: 'Toad' })
  expect(handedOver[0]).toMatchObject({ slot: SLOT + 10, timestamp: START_SECOND + SLOT + 10 })
  server.slot = SLOT
  live(bought(address(20), SLOT + 100))
  await pass(3_000)
  expect(feed.figures().hydration_stale_total).toBeGreaterThan(0)
  server.slot = SLOT + 100
  await pass(61_000, LONG_STEP_MS)
  expect(token()).toMatchObject({ top_10_percent: 25 })
}, 60_000)

test('while the feed is far behind the chain little is asked, and all once it has come there', async () => {
  const { server, live, pass, token, feed } = await hydrating()
  const mints = Array.from({ length: 60 }, (_, n) => address(160 + n))
  server.slot = SLOT + 5_000
  for (const mint of mints) {
    tellMint(server, mint)
    live(bought(mint))
  }
  await pass(300_000, LONG_STEP_MS)
  expect(server.asked.length).toBeLessThan(40)
  live(bought(address(20), SLOT + 5_000))
  await pass(60_000, LONG_STEP_MS)
  for (const mint of mints) expect(token(mint)).toMatchObject({ name: 'Toad', creator: DEV })
  expect(feed.figures()).toMatchObject({ hydration_gave_up_total: 0, hydration_errors_total: 0 })
}, 60_000)

test('beside a feed without slots answers have none either', async () => {
  const { server, live, pass, token, handedOver } = await hydrating()
  tellMint(server, MINT)
  server.slot = SLOT
  live({ ...bought(MINT), slot: null, txIndex: null })
  await pass(2_000)
  expect(token()).toMatchObject({ name: 'Toad', top_10_percent: 25 })
  expect(handedOver.every((event) => 'slot' in event && event.slot === null)).toBe(true)
})

test('a server that answers 429 is left alone, and then asked for the same again', async () => {
  const { server, live, pass, token, feed } = await hydrating()
  tellMint(server, MINT)
  server.slot = SLOT
  server.refuse = () => ({ status: 429 })
  live(bought(MINT))
  await pass(20_000, LONG_STEP_MS)
  // 0.5, 1, 2 and then 4 s.
  expect(server.asked.length).toBeLessThanOrEqual(9)
  server.refuse = () => null
  await pass(6_000)
  expect(token()).toMatchObject({ name: 'Toad', top_10_percent: 25 })
  expect(feed.figures()).toMatchObject({ hydration_errors_total: 0, hydration_gave_up_total: 0 })
}, 30_000)

test('a server that refuses everything is asked ever less often, live trades go on, and the log says so once', async () => {
  const { server, live, pass, reports, feed, engine } = await hydrating()
  server.refuse = () => ({ code: -32_601 })
  live(bought(MINT))
  await pass(120_000, LONG_STEP_MS)
  expect(server.asked.length).toBeLessThanOrEqual(3)
  live(bought(MINT, SLOT + 1), bought(address(20), SLOT + 2))
  expect(engine.counts.swaps).toBe(3)
  expect(reports.length).toBeLessThanOrEqual(2)
  expect(reports[0]).toContain('not from this node')
  expect(feed.figures().hydration_errors_total).toBe(server.asked.length)
}, 60_000)

test('a server without the largest accounts is asked for the names alone, and again ten minutes later', async () => {
  const { server, live, pass, token } = await hydrating()
  const mints = [MINT, address(20), address(21), address(22)]
  server.slot = SLOT
  server.refuse = (method) => (method === 'getTokenLargestAccounts' ? { code: -32_601 } : null)
  for (const mint of mints) {
    tellMint(server, mint)
    live(bought(mint))
  }
  await pass(20_000, LONG_STEP_MS)
  for (const mint of mints) expect(token(mint)).toMatchObject({ name: 'Toad', creator: DEV })
  expect(server.askedBy('getTokenLargestAccounts')).toHaveLength(2)
  const { length } = server.asked
  for (const mint of mints) live(bought(mint, SLOT + 1))
  await pass(70_000, LONG_STEP_MS)
  expect(server.asked).toHaveLength(length)
}, 60_000)

test('a mint whose account is none is tried three times and then left, and others go on', async () => {
  const { server, live, pass, token, feed } = await hydrating()
  const wrong = address(20)
  server.slot = SLOT
  tellMint(server, MINT)
  server.known.accounts.set(wrong, tokenAccount(MINT, DEV, 1n))
  live(bought(wrong), bought(MINT))
  await pass(70_000, LONG_STEP_MS)
  expect(token()).toMatchObject({ name: 'Toad', top_10_percent: 25 })
  expect(token(wrong)).toMatchObject({ name: '' })
  expect(feed.figures()).toMatchObject({
    ...{ hydration_gave_up_total: 1, hydration_unreadable_accounts_total: 3 },
    hydration_waiting: 0,
  })
}, 60_000)

test('a stopped feed asks nothing any more', async () => {
  const { server, live, feed, timers } = await hydrating()
  feed.stop()
  live(bought(MINT))
  await timers.pass(5_000)
  await sleep(5)
  expect(server.asked).toEqual([])
})
