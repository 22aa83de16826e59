import { afterEach, expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TokenReader } from '../../../src/engine/read/token-reader.ts'
import { eventLineText, type Swap } from '../../../src/events/event.ts'
import { parseEventLine } from '../../../src/events/event-lines.ts'
import { MAYHEM_AGENT, USDC_MINT } from '../../../src/events/platform.ts'
import {
  bondingCurveAddress,
  canonicalPoolAddress,
} from '../../../src/feeds/chain/layouts/program-address.ts'
import { WRAPPED_SOL_MINT, ZERO_ADDRESS } from '../../../src/feeds/chain/layouts/programs.ts'
import { PortalEvents } from '../../../src/feeds/pumpportal/portal-events.ts'
import { FollowedMints, NEW_MINTS_MAX } from '../../../src/feeds/pumpportal/pumpportal-source.ts'
import { dataLines, hasData, withData } from '../data-folder.ts'
import { SeededRandom } from '../seeded-random.ts'
import { bogusCreate, portalMarket } from './portal-market.ts'
import { PortalRun, STALL_MS } from './portal-run.ts'

const MINT = 'BzqYzBGydDrwjnYVtWfupr8GFoSxpCQdTkjRppBKpump'
const TRADER = 'ENskGQev2bXPjaCYPV9bUcPLv3635Y18BWzLN95x4soC'
const SIGNATURE = '5'.repeat(88)
const CURVE = bondingCurveAddress(MINT) ?? ''
const SECONDS = 1_790_000_000

const runs: PortalRun[] = []
afterEach(async () => {
  for (const run of runs.splice(0)) await run.end()
})

async function started(mints: readonly string[] = [], followsNew = false): Promise<PortalRun> {
  const run = await PortalRun.start(mints, followsNew)
  runs.push(run)
  return run
}

const create = {
  txType: 'create',
  pool: 'pump',
  signature: SIGNATURE,
  mint: MINT,
  traderPublicKey: TRADER,
  bondingCurveKey: CURVE,
  initialBuy: 51095238.095238,
  solAmount: 1.5,
  vTokensInBondingCurve: 1021904761.904762,
  vSolInBondingCurve: 31.499999999999996,
  name: 'Toad',
  symbol: 'TOAD',
  uri: 'https://example.com/toad',
  is_mayhem_mode: false,
}

const buy = {
  txType: 'buy',
  pool: 'pump',
  signature: SIGNATURE,
  mint: MINT,
  traderPublicKey: TRADER,
  bondingCurveKey: CURVE,
  tokenAmount: 1_000_000.5,
  solAmount: 0.25,
  newTokenBalance: 2_000_000,
  vTokensInBondingCurve: 1020904761.404762,
  vSolInBondingCurve: 31.75,
}

function decode(...frames: unknown[]) {
  const portal = new PortalEvents()
  const events = frames.flatMap((frame) => portal.events(frame, SECONDS))
  return { events, counters: portal.counters }
}

test('a creation is a token and its creator’s buy', () => {
  const { events } = decode(create)
  expect(events).toMatchObject([
    {
      type: 'token_created',
      slot: null,
      txIndex: null,
      timestamp: SECONDS,
      mint: MINT,
      creator: TRADER,
      virtualBaseRaw: 1_073_000_000_000_000n,
      virtualQuoteRaw: 30_000_000_000n,
      realBaseRaw: 793_100_000_000_000n,
    },
    {
      type: 'swap',
      slot: null,
      source: 'pump',
      pool: CURVE,
      signer: TRADER,
      direction: 'buy',
      baseRaw: 51_095_238_095_238n,
      quoteRaw: 1_500_000_000n,
      virtualBaseRaw: 1_021_904_761_904_762n,
      virtualQuoteRaw: 31_500_000_000n,
      realBaseRaw: 742_004_761_904_762n,
      realQuoteRaw: 1_500_000_000n,
      baseBalanceAfterRaw: 51_095_238_095_238n,
    },
  ])
  expect(decode({ ...create, initialBuy: 0, solAmount: 0 }).events).toHaveLength(1)
})

test('a creation says everything of its token that its frame does', () => {
  const signature = { signature: SIGNATURE, ordinal: 0 }
  const { name, symbol, uri, is_mayhem_mode, ...without } = create
  expect(decode({ ...create, is_mayhem_mode: true }).events[0]).toMatchObject({
    ...{ ...signature, name, symbol, uri, bondingCurve: CURVE, isMayhemMode: true, decimals: 6 },
  })
  expect(decode(without).events[0]).toMatchObject({
    ...{ ...signature, name: '', symbol: '', uri: '', isMayhemMode: false },
  })
})

test('two tokens of one transaction are two, in their creation and in their migration', () => {
  const mint = portalMarket(new SeededRandom(1))[0].mint
  const bondingCurveKey = bondingCurveAddress(mint)
  const migrate = { signature: SIGNATURE, mint: MINT, txType: 'migrate', pool: 'pump-amm' }
  const ofBoth = [create, { ...create, mint, bondingCurveKey }, migrate, { ...migrate, mint }]
  const { events, counters } = decode(...ofBoth, ...ofBoth)
  const told = ['token_created', 'swap', 'token_created', 'swap', 'migrated', 'migrated']
  expect(events.map(({ type }) => type)).toEqual(told)
  expect(counters).toMatchObject({ creates: 2, migrations: 2, duplicateFrames: 4 })
})

test('a curve with less than it has virtually from its start has nothing really', () => {
  const drained = { ...buy, vTokensInBondingCurve: 279_899_999, vSolInBondingCurve: 4.5 }
  expect(decode(drained).events).toMatchObject([
    { virtualQuoteRaw: 4_500_000_000n, realBaseRaw: 0n, realQuoteRaw: 0n },
  ])
})

test('what PumpPortal does not say is absent or 0, and the journal can hold it', () => {
  const { events } = decode(create, buy)
  const swap = events[2] as Swap
  expect(swap).toMatchObject({ slot: null, txIndex: null, platformFeeRaw: 0n, creatorFeeRaw: 0n })
  for (const key of ['chainFeeRaw', 'baseBalanceBeforeRaw', 'supplyRaw', 'solPriceUsd'])
    expect(swap).not.toHaveProperty(key)
  for (const event of events) expect(parseEventLine(eventLineText(event))).toEqual(event)
})

test('two trades of one signature are two, the same one twice is one', () => {
  const second = { ...buy, vTokensInBondingCurve: 1019904760.904762, vSolInBondingCurve: 32 }
  const { events, counters } = decode(buy, second, buy, second)
  expect(events).toHaveLength(2)
  expect(new Set(events.map((event) => (event as Swap).ordinal)).size).toBe(2)
  expect(counters).toMatchObject({ trades: 2, duplicateFrames: 2 })
  // In the other order they keep their numbers.
  expect(decode(second, buy).events).toEqual([...events].reverse())
})

test('a migration names neither curve nor pool: both are derived', () => {
  const { events } = decode({
    signature: SIGNATURE,
    mint: MINT,
    txType: 'migrate',
    pool: 'pump-amm',
  })
  expect(events).toMatchObject([
    { type: 'migrated', bondingCurve: CURVE, poolAmm: canonicalPoolAddress(MINT) },
  ])
})

test('a trade on the pool has the reserves of the pool', () => {
  const { vTokensInBondingCurve, vSolInBondingCurve, bondingCurveKey, ...rest } = buy
  const trade = { ...rest, txType: 'sell', pool: 'pump-amm', tokensInPool: 200e6, solInPool: 85.5 }
  expect(decode(trade).events).toMatchObject([
    {
      source: 'pump_amm',
      direction: 'sell',
      pool: canonicalPoolAddress(MINT),
      virtualBaseRaw: 200_000_000_000_000n,
      realQuoteRaw: 85_500_000_000n,
    },
  ])
  expect(decode({ ...trade, tokensInPool: undefined }).counters.unusableFrames).toBe(1)
})

test('a creation whose mint is the quote’s, or any other curve’s, is dropped', () => {
  const random = new SeededRandom(1)
  const other = portalMarket(random)[0].mint
  const { events, counters } = decode(JSON.parse(bogusCreate(random)), { ...create, mint: other })
  expect(events).toEqual([])
  expect(counters.bogusFrames).toBe(2)
})

test('no frame is about what coins are quoted in, whatever stands in place of the curve', () => {
  const { vTokensInBondingCurve, vSolInBondingCurve, bondingCurveKey, ...rest } = buy
  const ofPool = { ...rest, pool: 'pump-amm', tokensInPool: 200e6, solInPool: 85.5 }
  const migrated = { txType: 'migrate', pool: 'pump-amm', signature: SIGNATURE }
  for (const mint of [USDC_MINT, WRAPPED_SOL_MINT, ZERO_ADDRESS]) {
    const ofCurve = [create, buy].map((frame) => ({ ...frame, bondingCurveKey: MAYHEM_AGENT }))
    const frames = [...ofCurve, ofPool, migrated].map((frame) => ({ ...frame, mint }))
    const { events, counters } = decode(...frames)
    expect(events).toEqual([])
    expect(counters).toMatchObject({ bogusFrames: 4, unusableFrames: 0 })
  }
})

test('a mayhem coin reported with its agent in place of the curve keeps its own curve', () => {
  const bondingCurveKey = 'BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s'
  const created = { ...create, bondingCurveKey, is_mayhem_mode: true }
  const { events } = decode(created, { ...buy, bondingCurveKey })
  expect(events).toMatchObject([{ bondingCurve: CURVE }, { pool: CURVE }, { pool: CURVE }])
})

test('the agent in place of the curve is believed of a new mint that is called mayhem, and of no other', () => {
  const agent = { bondingCurveKey: MAYHEM_AGENT }
  const other = { signature: '6'.repeat(88), is_mayhem_mode: true, ...agent }
  const wrong: readonly unknown[][] = [
    [{ ...create, ...agent }],
    [{ ...buy, ...agent }],
    // The quote of a mayhem coin: a mint that was told of before.
    [create, { ...create, ...other }],
    [buy, { ...create, ...other }],
  ]
  for (const frames of wrong) {
    const { events, counters } = decode(...frames)
    expect(events).toEqual(frames.length === 1 ? [] : decode(frames[0]).events)
    expect(counters).toMatchObject({ bogusFrames: 1, wrongCurves: 1 })
  }
  const mayhem = { ...create, ...agent, is_mayhem_mode: true }
  expect(decode(mayhem, mayhem).counters).toMatchObject({ duplicateFrames: 1, wrongCurves: 0 })
  expect(decode({ ...buy, ...agent, is_mayhem_mode: true }).events).toHaveLength(1)
  const ofPump = { ...mayhem, mint: 'pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn' }
  expect(decode(ofPump).counters).toMatchObject({ bogusFrames: 1, wrongCurves: 0, creates: 0 })
})

const { pool, bondingCurveKey, vTokensInBondingCurve, vSolInBondingCurve, ...bare } = buy

test('a trade of a graduated coin without pool and reserves is one on its canonical pool, at its own price', () => {
  const { events, counters } = decode(bare)
  expect(events).toMatchObject([
    {
      ...{ type: 'swap', source: 'pump_amm', pool: canonicalPoolAddress(MINT), direction: 'buy' },
      ...{ baseRaw: 1_000_000_500_000n, quoteRaw: 250_000_000n },
    },
  ])
  const { virtualBaseRaw, virtualQuoteRaw } = events[0] as Swap
  expect(Number(virtualQuoteRaw) / Number(virtualBaseRaw)).toBeCloseTo(0.25e9 / 1_000_000.5e6, 12)
  expect(counters).toMatchObject({ trades: 1, bareTrades: 1, unusableFrames: 0 })
  expect(decode(bare, bare).counters).toMatchObject({ trades: 1, duplicateFrames: 1 })
})

test('the reserves of such a trade keep the depth that its pool was told to have', () => {
  const ofPool = { ...bare, pool: 'pump-amm', tokensInPool: 100e6, solInPool: 400 }
  const { events } = decode(ofPool, { ...bare, signature: '6'.repeat(88) })
  const { virtualBaseRaw, virtualQuoteRaw } = events[1] as Swap
  const depth = Number(virtualBaseRaw) * Number(virtualQuoteRaw)
  expect(depth / (100e12 * 400e9)).toBeCloseTo(1, 6)
  // What follows has reserves of its own, which do not follow on from those that nobody told.
  const next = { ...ofPool, signature: '7'.repeat(88) }
  expect(decode(ofPool, { ...bare, signature: '6'.repeat(88) }, next).counters.gaps).toBe(0)
})

test('such a trade below 0.01 SOL, of nothing, or at a price that no reserves have, is a trade and no price', () => {
  const unpriced = [
    { ...bare, solAmount: 0.0099999 },
    { ...bare, tokenAmount: 0 },
    { ...bare, tokenAmount: 0.000001, solAmount: 9_000_000_000 },
    { ...bare, solAmount: 0 },
  ]
  for (const frame of unpriced)
    expect(decode(frame).events, JSON.stringify(frame)).toMatchObject([
      { virtualBaseRaw: 0n, virtualQuoteRaw: 0n },
    ])
  expect((decode({ ...bare, solAmount: 0.01 }).events[0] as Swap).virtualQuoteRaw).not.toBe(0n)
  // With curve reserves and no pool it is nothing that is known.
  expect(decode({ ...buy, pool: undefined }).events).toEqual([])
})

test('the price of the engine follows trades without reserves, and stays where they make none', () => {
  const engine = new Engine({ clock: 'event', lateSlots: 32 })
  const migrate = { signature: SIGNATURE, mint: MINT, txType: 'migrate', pool: 'pump-amm' }
  const tiny = { ...bare, signature: '6'.repeat(88), tokenAmount: 1, solAmount: 0.009 }
  engine.events(decode(create, migrate, bare, tiny).events)
  const token = new TokenReader(engine.state, engine.top, engine.links)
  const { priceSol } = token.at(engine.order.graduated.tokens[0])
  expect(token.mint).toBe(MINT)
  expect(priceSol).toBeCloseTo(0.25 / 1_000_000.5, 15)
})

test('a key that no frame was known to have is told once and counted once', () => {
  const keys: string[] = []
  const portal = new PortalEvents((key) => keys.push(key))
  const { counters } = portal
  for (const frame of [create, buy, bare, { ...buy, depth: 1 }, { ...create, depth: 2, tax: 3 }])
    portal.events(frame, SECONDS)
  for (let key = 0; key < 200; key++) portal.events({ ...buy, [`k${key}`]: 1 }, SECONDS)
  expect(keys.slice(0, 3)).toEqual(['depth', 'tax', 'k0'])
  expect(keys).toHaveLength(64)
  expect(counters.unknownKeys).toBe(64)
})

const REFUSED =
  "'subscribeTokenTrade' and 'subscribeAccountTrade' methods are only available when connecting " +
  'with an API key funded with at least 0.02 SOL.'

test('a message that acknowledges nothing is a refusal', () => {
  for (const message of [
    ...['Successfully subscribed to token creation events.', "Subscribed to 'migration' events."],
    'Successfully unsubscribed from keys.',
  ])
    expect(decode({ message }).counters.refusedSubscriptions, message).toBe(0)
  for (const message of [REFUSED, 'Invalid API key.', ''])
    expect(decode({ message }).counters.refusedSubscriptions, message).toBe(1)
})

test('trades that were asked for and are refused are told in the log, in a figure and in readiness', async () => {
  const run = await started([MINT])
  run.send(JSON.stringify({ message: 'Successfully subscribed to token creation events.' }))
  run.send(JSON.stringify({ message: REFUSED }))
  await run.settled()
  expect(run.reports).toEqual([`it refuses a subscription: ${REFUSED}`])
  expect(run.figure('refused_subscriptions_total')).toBe(1)
  expect(run.figure('connected')).toBe(1)
  expect(run.supervisor.notLive()).toBe(
    `The feed lacks what was asked for (pumpportal: it refuses a subscription: ${REFUSED}).`,
  )
  run.server.cut()
  await run.connected(2)
  run.send(JSON.stringify({ message: 'Subscribed to keys.' }))
  await run.settled()
  expect(run.supervisor.notLive()).toBeNull()
})

test('halves of characters in a creation are replaced, so that every export can be read', () => {
  const half = { name: 'a\ud83d', symbol: '\udc00', uri: 'https://a.b/\ud800' }
  const [created] = decode({ ...create, ...half }).events
  expect(created).toMatchObject({ name: 'a\ufffd', symbol: '\ufffd', uri: 'https://a.b/\ufffd' })
})

test('trades that do not follow on from each other are counted as gaps', () => {
  const { vTokensInBondingCurve: base } = buy
  const next = (signature: string, tokens: number) => ({
    ...buy,
    signature: signature.repeat(88),
    tokenAmount: 10,
    vTokensInBondingCurve: base - tokens,
  })
  const { counters } = decode(
    create,
    buy,
    next('6', 10),
    next('7', 20),
    next('8', 50),
    next('9', 60),
  )
  expect(counters).toMatchObject({ continuousTrades: 5, gaps: 1 })
  // The pool begins with reserves of its own.
  const { vTokensInBondingCurve, vSolInBondingCurve, bondingCurveKey, ...rest } = buy
  const ofPool = { ...rest, pool: 'pump-amm', tokensInPool: 200e6, solInPool: 85.5 }
  const migrate = { signature: SIGNATURE, mint: MINT, txType: 'migrate', pool: 'pump-amm' }
  expect(decode(buy, migrate, ofPool).counters).toMatchObject({ trades: 2, gaps: 0 })
  // Doubles of such reserves are some raw units off.
  const { counters: rounded } = decode(buy, next('6', 10.000003))
  expect(rounded).toMatchObject({ continuousTrades: 1, gaps: 0 })
})

test('frames of any other shape are counted and give nothing', () => {
  const wrong = [
    { ...buy, tokenAmount: -1 },
    { ...buy, tokenAmount: 1e300 },
    { ...buy, solAmount: null },
    { ...buy, mint: 'not an address' },
    { ...buy, mint: '__proto__' },
    { ...buy, txType: 'swap' },
    { ...buy, signature: '' },
    { ...create, bondingCurveKey: undefined },
    null,
    [],
    'text',
    7,
    {},
  ]
  const { events, counters } = decode(...wrong)
  expect(events).toEqual([])
  expect(counters.unusableFrames).toBe(wrong.length)
  expect(decode({ txType: 'create', pool: 'bonk' }).counters.otherPlatforms).toBe(1)
  expect(decode({ errors: 'no funds' }).counters.refusedSubscriptions).toBe(1)
  expect(decode({ message: 'Successfully subscribed' }).counters.unusableFrames).toBe(0)
})

test('asks for creations, migrations and the trades of the mints named, again after a loss', async () => {
  const run = await started([MINT])
  const asked = [
    { method: 'subscribeNewToken' },
    { method: 'subscribeMigration' },
    { method: 'subscribeTokenTrade', keys: [MINT] },
  ]
  await run.server.until(() => run.server.received.length === 3)
  run.server.cut()
  await run.connected(2)
  await run.server.until(() => run.server.received.length === 6)
  expect(run.server.received.map((text) => JSON.parse(text))).toEqual([...asked, ...asked])
})

test('follows the trades of tokens as they are created when asked to', async () => {
  const run = await started([], true)
  await run.server.until(() => run.server.received.length === 2)
  run.send(JSON.stringify(create))
  await run.server.until(() => run.server.received.length === 3)
  expect(JSON.parse(run.server.received[2])).toEqual({
    method: 'subscribeTokenTrade',
    keys: [MINT],
  })
  expect(run.figure('followed_mints')).toBe(1)
})

test('of new mints the newest thousand are followed, and many keys go in several messages', () => {
  const followed = new FollowedMints({
    mints: Array.from({ length: 450 }, (_, i) => `m${i}`),
    followsNew: true,
  })
  expect(
    followed
      .greetings()
      .slice(2)
      .map((text) => JSON.parse(text).keys.length),
  ).toEqual([200, 200, 50])
  for (let index = 0; index < NEW_MINTS_MAX; index++)
    expect(followed.created(`n${index}`)).toHaveLength(1)
  expect(followed.created('n0')).toEqual([])
  expect(followed.created('m3')).toEqual([])
  expect(followed.created('next').map((text) => JSON.parse(text))).toEqual([
    { method: 'subscribeTokenTrade', keys: ['next'] },
    { method: 'unsubscribeTokenTrade', keys: ['n0'] },
  ])
  expect(followed.count).toBe(450 + NEW_MINTS_MAX)
  const quiet = new FollowedMints({ mints: [], followsNew: false })
  expect(quiet.created('x')).toEqual([])
})

test('the quality is told: gaps, and what every event lacks', async () => {
  const run = await started()
  for (const { text } of portalMarket(new SeededRandom(3)).filter((_, index) => index !== 10))
    run.send(text)
  await run.settled()
  const events = run.sink.all.length
  expect(run.figure('without_slot_total')).toBe(events)
  expect(run.figure('without_fees_total')).toBe(run.sink.swaps.length)
  expect(run.figure('degraded')).toBe(1)
  expect(run.figure('continuity_percent')).toBeLessThan(100)
})

test.skipIf(!hasData)(
  `a recorded session: 187 creations, 10 of them with a quote mint dropped, 1 of another platform, 7 migrations${withData}`,
  () => {
    const frames = dataLines('jouleka-memecoin-bot', 'session1.jsonl')
    const { events, counters } = decode(...frames.map((line) => JSON.parse(JSON.parse(line).raw)))
    expect(counters).toMatchObject({
      frames: 208,
      creates: 187,
      bogusFrames: 10,
      otherPlatforms: 1,
      migrations: 7,
      unusableFrames: 0,
      duplicateFrames: 0,
      gaps: 0,
    })
    expect(events.filter(({ type }) => type === 'token_created')).toHaveLength(187)
    for (const event of events)
      if (event.type === 'token_created')
        expect(event).toMatchObject({
          virtualBaseRaw: 1_073_000_000_000_000n,
          virtualQuoteRaw: 30_000_000_000n,
        })
  },
)

test('a subscription that is refused is said once a connection, with the reason and without the key', async () => {
  const run = await started([MINT])
  run.send(JSON.stringify({ message: 'Successfully subscribed to token creation events.' }))
  const refusal = { errors: 'The API key secret has no funds.' }
  run.send(JSON.stringify(refusal))
  run.send(JSON.stringify(refusal))
  run.send(JSON.stringify(create))
  await run.settled()
  expect(run.reports).toEqual(['it refuses a subscription: The API key … has no funds.'])
  expect(run.figure('refused_subscriptions_total')).toBe(2)
  expect(run.figure('creates_total')).toBe(1)
})

test('a service that refuses everything is none that is connected', async () => {
  const run = await started()
  run.send(JSON.stringify({ errors: ['You are not let in.'] }))
  await run.settled()
  expect(run.reports).toEqual(['it refuses a subscription: ["You are not let in."]'])
  expect(run.figure('connected')).toBe(0)
  await run.timers.pass(10_000)
  expect(run.supervisor.notLive()).toMatch('No feed is connected')
})

test('a service that is quiet and answers pings is kept for as long as it may be, from its last frame on', async () => {
  const run = await started()
  const quiet = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_500) {
      await run.timers.pass(1_500)
      // The answer to the feed's own ping lies before the second of these.
      for (let round = 0; round < 2; round++) await run.server.heard()
    }
  }
  run.server.cut()
  await run.connected(2)
  for (const frame of [create, buy]) {
    run.send(JSON.stringify(frame))
    await run.settled()
    await quiet(STALL_MS - 2_000)
  }
  expect(run.server.connections).toBe(2)
  expect(run.figure('stalls_total')).toBe(0)
  await quiet(3_000)
  expect(run.reports.at(-1)).toBe('nothing but pings came for 20 s')
  expect(run.figure('stalls_total')).toBe(1)
})
