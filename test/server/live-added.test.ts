import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { Budget, OutOfTime } from '../../src/base/budget.ts'
import { isRecord } from '../../src/base/json-access.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import { RECENT_ARRIVALS_MAX } from '../../src/protocol/queries.ts'
import { addressOf } from '../address-of.ts'
import { price, START_SECOND } from '../oracle/fixtures.ts'
import { ROOT } from '../tidy/source-files.ts'
import { EngineServer } from './engine-server.ts'
import { LiveClient } from './live-client.ts'
import { waitUntil } from './raw-http.ts'
import { born, trade } from './told-events.ts'

let service: EngineServer
afterEach(() => service.server.stop())

const ask = (event: string, data: object = {}, action = 'subscribe') => ({
  event,
  data: { action, id: 'me', ...data },
})
const open = (options = {}) => LiveClient.open(`${service.server.wsUrl}?id=me`, options)

/** Subscriptions of one connection, and how many of them are sent before answers are read. */
const FLOOD = 100_000
const FLOOD_PART = 2_000

const migrated = (mint: string, slot: number) => ({
  type: 'migrated' as const,
  ...{ slot, txIndex: 0, ordinal: 0, signature: `migrate ${mint}`, timestamp: START_SECOND },
  ...{ mint, bondingCurve: 'curve', poolAmm: `pool ${mint}` },
})

const tradeOfA = (second: number, slot: number) =>
  trade({ mint: 'A', timestamp: START_SECOND + second, slot })

test.each([
  ['mint_migration', (mint: string): FeedEvent[] => [migrated(mint, 20)]],
  ['new_launched_pool', (mint: string): FeedEvent[] => [born(mint)]],
])(
  '%s is numbered, resumed in the order it was told, over a restart too',
  async (channel, make) => {
    service = await EngineServer.start()
    if (channel === 'mint_migration') service.feed(['A', 'B', 'C', 'D'].map((mint) => born(mint)))
    const client = await open()
    expect(await client.ask(ask(channel, { seq: true }))).toEqual({
      type: 'subscribed',
      event: channel,
      seq: 0,
      epoch: 'e1',
    })
    service.feed(['B', 'A', 'C'].flatMap(make))
    const live = [await client.next(), await client.next(), await client.next()]
    expect(live).toMatchObject([1, 2, 3].map((seq) => ({ channel, seq, epoch: 'e1' })))
    expect(live.map((frame) => isRecord(frame) && isRecord(frame.data) && frame.data.mint)).toEqual(
      ['B', 'A', 'C'],
    )
    service = await service.restarted()
    const again = await open()
    expect(await again.ask(ask(channel, { from_seq: 1, epoch: 'e1' }))).toMatchObject({ seq: 1 })
    expect([await again.next(), await again.next()]).toEqual(live.slice(1))
    service.feed(make('D'))
    expect(await again.next()).toMatchObject({ seq: 4, data: { mint: 'D' } })
    const third = await open()
    await third.ask(ask(channel, { snapshot: true }))
    const about = { channel, type: 'snapshot', seq: 4, epoch: 'e1', position: service.engine.seq }
    expect(await third.next()).toMatchObject({
      ...about,
      data: ['B', 'A', 'C', 'D'].map((mint) => ({ mint })),
    })
    expect(await third.ask(ask(channel, {}, 'unsubscribe'))).toEqual({
      type: 'unsubscribed',
      event: channel,
    })
    service.feed(make('E'))
    expect(await third.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  },
)

test('trades of a wallet over all mints are numbered and resumed', async () => {
  service = await EngineServer.start()
  service.feed([trade({ mint: 'A', signer: 'x' }), trade({ mint: 'B', signer: 'y' })])
  const client = await open()
  const about = { event: 'wallet_trades', wallet: 'x' }
  expect(await client.ask(ask('wallet_trades', { wallet: 'x', snapshot: true }))).toEqual({
    type: 'subscribed',
    ...about,
    seq: 1,
    epoch: 'e1',
  })
  const records = await service.json('/api/v2/search/traders/x/tokens?order_by=last_active_ts')
  expect(await client.next()).toEqual({
    channel: 'wallet_trades',
    type: 'snapshot',
    wallet: 'x',
    seq: 1,
    epoch: 'e1',
    position: 2,
    data: records,
  })
  service.feed([trade({ mint: 'B', signer: 'x' }), trade({ mint: 'A', signer: 'y' })])
  service.feed([trade({ mint: 'C', signer: 'x' })])
  const live = [await client.next(), await client.next()]
  expect(live).toMatchObject([
    {
      channel: 'wallet_trades',
      wallet: 'x',
      pool: 'curve',
      seq: 2,
      data: { mint: 'B', signer: 'x' },
    },
    { channel: 'wallet_trades', wallet: 'x', seq: 3, data: { mint: 'C' } },
  ])
  const again = await open()
  await again.ask(ask('wallet_trades', { wallets: ['x', 'y'], from_seq: { x: 1, y: 2 } }))
  expect([await again.next(), await again.next()]).toEqual(live)
  service = await service.restarted()
  const later = await open()
  expect(await later.ask(ask('wallet_trades', { wallet: 'x', from_seq: 3 }))).toMatchObject({
    seq: 3,
  })
  expect(await later.ask(ask('wallet_trades', { wallet: 'x', from_seq: 2 }))).toMatchObject({
    type: 'resync',
    ...about,
    reason: 'too_old',
    seq: 3,
  })
})

test('the snapshot of a wallet has its records by their last trade, the newest first', async () => {
  service = await EngineServer.start()
  const amounts = [5n, 900n, 20n].map((tokens) => tokens * 10n ** 6n)
  service.feed(
    ['A', 'B', 'C'].map((mint, i) => trade({ mint, signer: 'x', baseRaw: amounts[i] ?? 0n })),
  )
  const client = await open()
  await client.ask(ask('wallet_trades', { wallet: 'x', snapshot: true }))
  expect(await client.next()).toMatchObject({
    data: { items: [{ mint: 'C' }, { mint: 'B' }, { mint: 'A' }] },
  })
})

test('a wallet and a mint that never traded are resumed at 0, and their first trade has seq 1', async () => {
  service = await EngineServer.start()
  service.feed([trade({ mint: 'B', signer: 'other' })])
  const client = await open()
  for (const [channel, key] of [
    ['wallet_trades', { wallet: addressOf('x') }],
    ['update_mint_info', { mint: addressOf('A') }],
  ] as const) {
    const answer = await client.ask(ask(channel, { ...key, from_seq: 0, epoch: 'e1' }))
    expect(answer).toEqual({ type: 'subscribed', event: channel, ...key, seq: 0, epoch: 'e1' })
  }
  service.feed([trade({ mint: addressOf('A'), signer: addressOf('x') })])
  const told = [await client.next(), await client.next()]
  expect(told).toMatchObject([{ seq: 1 }, { seq: 1 }])
  client.close()
})

test.each([
  ['all_trades', {}],
  ['wallet_trades', { wallet: 'x' }],
])('%s is resumed as far back as its trades are kept, and no further', async (channel, key) => {
  service = await EngineServer.start()
  const head = RECENT_ARRIVALS_MAX + 1
  const one = trade({ mint: 'A', signer: 'x' })
  const missed = Array.from({ length: head }, (_, i) => ({
    ...one,
    txIndex: i,
    signature: `s${i}`,
  }))
  service.feed(missed)
  const client = await open()
  expect(await client.ask(ask(channel, { ...key, from_seq: 0 }))).toMatchObject({
    type: 'resync',
    reason: 'too_old',
    seq: head,
  })
  expect(await client.ask(ask(channel, { ...key, from_seq: 1 }))).toMatchObject({ seq: 1 })
  for (let seq = 2; seq < 500; seq += 1) expect(await client.next()).toMatchObject({ channel, seq })
  client.close()
})

test('all trades come to a program on this machine, not through a proxy on it', async () => {
  service = await EngineServer.start()
  service.feed([trade({ mint: 'A' })])
  const client = await open()
  expect(await client.ask(ask('all_trades', { snapshot: true }))).toMatchObject({ seq: 1 })
  expect(await client.next()).toMatchObject({
    type: 'snapshot',
    seq: 1,
    data: { swaps: 1, tokens: 1 },
  })
  // A late one comes when it arrives, behind those that were told.
  service.feed([
    trade({ mint: 'B', slot: 50 }),
    trade({ mint: 'A', slot: 40 }),
    trade({ mint: 'C', slot: 60 }),
  ])
  const live = [await client.next(), await client.next(), await client.next()]
  expect(live).toMatchObject(
    ['B', 'A', 'C'].map((mint, i) => ({ channel: 'all_trades', seq: i + 2, data: { mint } })),
  )
  const again = await open()
  await again.ask(ask('all_trades', { from_seq: 1, epoch: 'e1' }))
  expect([await again.next(), await again.next(), await again.next()]).toEqual(live)
  const proxied = await open({ headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect(await proxied.ask(ask('all_trades'))).toMatchObject({ type: 'error', code: 'not_local' })
})

test('trades of the last table carry the numbers of their mints', async () => {
  service = await EngineServer.start()
  service.feed([born('A'), trade({ mint: 'A' }), trade({ mint: 'A' })])
  const headers = { 'content-type': 'application/json', 'x-socket-id': 'me' }
  await service.json('/api/v2/meme', { method: 'POST', headers, body: '{}' })
  const client = await open()
  const channel = 'update_pools_info'
  expect(await client.ask(ask(channel, { snapshot: true }))).toEqual({
    type: 'subscribed',
    event: channel,
    epoch: 'e1',
  })
  const market = await service.json('/api/v2/search/tokens/A/market-data')
  expect(await client.next()).toEqual({
    channel,
    type: 'snapshot',
    seqs: { A: 2 },
    epoch: 'e1',
    position: 3,
    data: market,
  })
  service.feed([trade({ mint: 'A' })])
  expect(await client.next()).toMatchObject({ channel, seq: 3, epoch: 'e1', ordinal: 0 })
  expect(await client.ask(ask(channel, { from_seq: 2 }))).toMatchObject({ code: 'invalid_option' })
  await client.ask(ask(channel))
  service.feed([trade({ mint: 'A' })])
  expect(Object.keys(Object(await client.next()))).toEqual(['channel', 'pool', 'data'])
})

test('candles whose trades lie on the disk are begun in pieces, and what is asked behind them waits', async () => {
  service = await EngineServer.start()
  service.feed([trade({ mint: 'A', timestamp: START_SECOND + 1, slot: 100 })])
  let goes = 0
  const { answers } = service.wired
  const begin = answers.beginChart.bind(answers)
  vi.spyOn(answers, 'beginChart').mockImplementation((query, budget) => {
    if (++goes < 30) throw new OutOfTime()
    return begin(query, budget)
  })
  const client = await open()
  const subject = { mint: 'A', resolution: '1' }
  client.socket.send(JSON.stringify(ask('candles', subject)))
  client.socket.send(JSON.stringify(ask('candles', subject, 'unsubscribe')))
  const told = [await client.next(), await client.next(), await client.next()]
  expect(told).toMatchObject([
    { type: 'subscribed' },
    { type: 'snapshot', data: { t: [START_SECOND] } },
    { type: 'unsubscribed' },
  ])
  expect(goes).toBeGreaterThanOrEqual(30)
})

test('the chart that candles begin with is written in pieces, and has what was traded meanwhile', async () => {
  service = await EngineServer.start()
  const at = (second: number) => ({ mint: 'A', timestamp: START_SECOND + second, slot: 100 })
  service.feed([trade(at(1))])
  const { answers } = service.wired
  const begin = answers.beginChart.bind(answers)
  let goes = 0
  vi.spyOn(answers, 'beginChart').mockImplementation((query) => {
    const chart = begin(query)
    return {
      isCurrent: () => chart.isCurrent(),
      column: (name) => chart.column(name),
      write: (budget) => {
        goes += 1
        if (goes === 10) service.feed([trade(at(65))])
        if (goes < 30) throw new OutOfTime()
        return chart.write(budget)
      },
    }
  })
  const client = await open()
  const subject = { mint: 'A', resolution: '1' }
  client.socket.send(JSON.stringify(ask('candles', subject)))
  expect(await client.next()).toMatchObject({ type: 'subscribed' })
  expect(await client.next()).toMatchObject({
    type: 'snapshot',
    data: { t: [START_SECOND, START_SECOND + 60] },
  })
  expect(goes).toBeGreaterThanOrEqual(30)
})

test('a table whose columns are read for all tokens is begun in pieces, and what is asked behind it waits', async () => {
  service = await EngineServer.start()
  service.feed([trade({ mint: 'A' })])
  let goes = 0
  const { answers } = service.wired
  const read = answers.tableAnswer.bind(answers)
  vi.spyOn(answers, 'tableAnswer').mockImplementation((query, budget) => {
    if (budget === undefined || budget === Budget.unlimited) return read(query)
    if (++goes < 30) throw new OutOfTime()
    return read(query, budget)
  })
  const client = await open()
  const subject = { filter: { type: 'new', newPools: { xReuses: { max: 0 } } } }
  client.socket.send(JSON.stringify(ask('meme_tables', subject)))
  client.socket.send(JSON.stringify(ask('meme_tables', subject, 'unsubscribe')))
  const told = [await client.next(), await client.next(), await client.next()]
  expect(told).toMatchObject([
    { type: 'subscribed' },
    { type: 'snapshot', data: { new: [{ mint: 'A' }] } },
    { type: 'unsubscribed' },
  ])
  expect(goes).toBe(30)
})

test('candles begin with the chart and tell the forming bar', async () => {
  service = await EngineServer.start()
  service.feed([tradeOfA(1, 100)])
  const client = await open()
  const subject = { mint: 'A', resolution: '1' }
  expect(await client.ask(ask('candles', { ...subject, countback: 5 }))).toMatchObject({
    event: 'candles',
    ...subject,
  })
  expect(await client.next()).toMatchObject({
    type: 'snapshot',
    data: { t: [START_SECOND] },
    final: [false],
  })
  service.feed([tradeOfA(61, 250), tradeOfA(62, 251)])
  expect(await client.next()).toMatchObject({
    type: 'delta',
    data: { t: [START_SECOND + 60] },
    final: [false],
  })
  service.feed([tradeOfA(300, 900), tradeOfA(301, 950)])
  expect(await client.next()).toMatchObject({
    data: { t: [START_SECOND, START_SECOND + 60, START_SECOND + 300] },
    final: [true, true, false],
  })
  // Bars that were told as final are not told again.
  for (const second of [302, 303]) {
    service.feed([tradeOfA(second, second * 4)])
    expect(await client.next()).toMatchObject({
      data: { t: [START_SECOND + 300] },
      final: [false],
    })
  }
})

test('a late trade that tells a price of SOL changes the bars of other mints, and they are told', async () => {
  service = await EngineServer.start()
  const at = (mint: string, slot: number, over = {}) =>
    trade({ mint, slot, timestamp: START_SECOND, ...over })
  service.feed([at('B', 100, { solPriceUsd: 150 }), at('A', 102)])
  const client = await open()
  await client.ask(ask('candles', { mint: 'A', resolution: '1' }))
  const before = Object(await client.next()).data
  service.feed([at('B', 101, { solPriceUsd: 300 })])
  const { type, data } = Object(await client.next())
  expect(type).toBe('delta')
  expect(data.c[0]).toBeCloseTo(2 * before.c[0])
  expect(data.c_sol).toEqual(before.c_sol)
})

test('candles whose number nobody names begin with the newest 300', async () => {
  service = await EngineServer.start()
  const seconds = Array.from({ length: 302 }, (_, i) => START_SECOND + i)
  service.feed(
    seconds.map((timestamp, i) => trade({ mint: 'A', timestamp, signature: `second ${i}` })),
  )
  const client = await open()
  await client.ask(ask('candles', { mint: 'A', resolution: '1S' }))
  expect(await client.next()).toMatchObject({ type: 'snapshot', data: { t: seconds.slice(-300) } })
  client.close()
})

test('candles of a mint go on when those of another width are left', async () => {
  service = await EngineServer.start()
  service.feed([tradeOfA(1, 100)])
  const client = await open()
  for (const resolution of ['1', '5']) {
    await client.ask(ask('candles', { mint: 'A', resolution }))
    await client.next()
  }
  await client.ask(ask('candles', { mint: 'A', resolution: '5' }, 'unsubscribe'))
  // In the same bar: it is told because of the trade, not because it has become final.
  service.feed([tradeOfA(2, 101)])
  expect(await client.next()).toMatchObject({
    ...{ type: 'delta', resolution: '1' },
    ...{ data: { t: [START_SECOND] }, final: [false] },
  })
})

test.each([
  ['a creation told late with another quote mint', born('A', { quoteMint: USDC_MINT })],
  ['a creation told late with other decimals', born('A', { decimals: 9 })],
  ['a trade that names another quote mint', { ...tradeOfA(300, 901), quoteMint: USDC_MINT }],
])(
  '%s tells all bars anew, final ones too',
  async (_, telling) => {
    service = await EngineServer.start()
    service.feed([price(150), tradeOfA(0, 100), tradeOfA(60, 250), tradeOfA(300, 900)])
    const client = await open()
    await client.ask(ask('candles', { mint: 'A', resolution: '1' }))
    const before = await client.next()
    expect(before).toMatchObject({ type: 'snapshot', final: [true, false, false] })
    // Nobody follows launches: the hook of candles is not theirs.
    service.feed([telling])
    const after = await client.next()
    const query = `mint=A&from=0&to=${START_SECOND + 400}&resolution=1`
    const chart = await service.json(`/api/v2/meme/chart/ohlcv?${query}`)
    const about = { type: 'delta', step: 1, seq: 5, final: [true, false, false] }
    expect(after).toMatchObject({ ...about, data: chart })
    expect(Object(after).data.o).not.toEqual(Object(before).data.o)
  },
  15_000,
)

test('a creation told late that changes no price tells no bars', async () => {
  service = await EngineServer.start()
  service.feed([tradeOfA(0, 100), tradeOfA(60, 250), tradeOfA(300, 900)])
  const client = await open()
  await client.ask(ask('candles', { mint: 'A', resolution: '1' }))
  expect(await client.next()).toMatchObject({ final: [true, false, false] })
  service.feed([born('A'), tradeOfA(360, 910)])
  expect(await client.next()).toMatchObject({ step: 1, data: { t: [START_SECOND + 360] } })
})

const REFUSED = [
  [ask('wallet_trades'), 'missing_wallet'],
  [ask('wallet_trades', { wallet: 7 }), 'invalid_wallet'],
  [ask('update_mint_info', { mint: 'A', seq: 1 }), 'invalid_option'],
  [ask('update_mint_info', { mint: 'A', from_seq: -1 }), 'invalid_option'],
  [ask('update_mint_info', { mint: 'A', from_seq: '7' }), 'invalid_option'],
  [ask('update_mint_info', { mints: ['A'], from_seq: 7 }), 'invalid_option'],
  [ask('update_mint_info', { mints: ['A'], from_seq: { B: 7 } }), 'invalid_option'],
  [ask('update_mint_info', { mints: ['A', 'B'], from_seq: { A: 7, B: 0.5 } }), 'invalid_option'],
  [ask('update_mint_info', { mints: ['A'], from_seq: [7] }), 'invalid_option'],
  [ask('update_mint_info', { mints: ['A\nB'], from_seq: { 'A\nB': '7' } }), 'invalid_option'],
  [ask('wallet_trades', { wallets: ['A\u2028'], from_seq: { 'A\u2028': -1 } }), 'invalid_option'],
  [ask('update_mint_info', { mint: 'A', snapshot: 'yes' }), 'invalid_option'],
  [ask('update_mint_info', { mint: 'A', from_seq: 1, epoch: '' }), 'invalid_option'],
  [ask('update_mint_info', { mint: 'A', seq: true, sqe: true }), 'unknown_option'],
  [ask('all_trades', { mint: 'A' }), 'unknown_option'],
  [ask('meme_tables', { filter: { type: 'old' } }), 'invalid_filter'],
  [ask('meme_tables', { filter: 7 }), 'invalid_filter'],
  [ask('meme_tables'), 'invalid_filter'],
  [ask('meme_tables', { table: 'x' }, 'unsubscribe'), 'invalid_filter'],
  [ask('meme_tables', { table: '0'.repeat(16) }), 'invalid_filter'],
  [ask('meme_tables', { table: '0'.repeat(16), filter: {} }), 'invalid_filter'],
  [ask('meme_tables', { filter: {}, from_seq: 3 }), 'invalid_option'],
  [ask('meme_tables', { filter: {}, epoch: 'e1' }), 'invalid_option'],
  [ask('meme_tables', { filter: {}, from_seq: true }), 'invalid_option'],
  [ask('meme_tables', { filter: {}, epoch: true }), 'invalid_option'],
  [ask('meme_tables', { filter: {}, snapshot: false }), 'invalid_option'],
  [ask('meme_tables', { filter: {}, sqe: true }), 'unknown_option'],
  [ask('candles', { mint: 'A', resolution: '1', from_seq: 0 }), 'invalid_option'],
  [ask('candles', { mint: 'A', resolution: '1', seq: false }), 'invalid_option'],
  [ask('candles', { resolution: '1' }), 'invalid_mint'],
  [ask('candles', { mint: 'A', resolution: '2' }), 'invalid_resolution'],
  [ask('candles', { mint: 'A', resolution: '1', countback: 0 }), 'invalid_countback'],
] as const

test('unknown keys are passed over on the four plain channels as long as no option is there, and refused on all others', async () => {
  service = await EngineServer.start()
  const client = await open()
  const text = readFileSync(join(ROOT, 'docs/live.md'), 'utf8').replaceAll(/\s+/g, ' ')
  const [, named = ''] =
    /On (`[^.]*) unknown keys of `data` are ignored as long as no option/.exec(text) ?? []
  const plain = ['mint_migration', 'new_launched_pool', 'update_mint_info', 'update_pools_info']
  expect([...named.matchAll(/`(\w+)`/g)].map(([, channel]) => channel)).toEqual(plain)
  const [mint, wallet] = [addressOf('mint'), addressOf('wallet')]
  const keys = { wallet_trades: { wallet }, meme_tables: { filter: {} } }
  const others = { ...keys, all_trades: {}, candles: { mint, resolution: '1' } }
  for (const event of plain) {
    const words = { ...(event === 'update_mint_info' && { mint }), sqe: true }
    expect(await client.ask(ask(event, words))).toMatchObject({ type: 'subscribed', event })
    const refused = await client.ask(ask(event, { ...words, seq: true }))
    expect(refused).toMatchObject({ type: 'error', code: 'unknown_option' })
    expect(await client.ask(ask(event, words, 'unsubscribe'))).toMatchObject({ event })
  }
  for (const [event, words] of Object.entries(others))
    expect(await client.ask(ask(event, { ...words, sqe: true }))).toMatchObject({
      code: 'unknown_option',
    })
})

test('to leave a table by its name and its filter at once is refused with a sentence that says so', async () => {
  service = await EngineServer.start()
  const client = await open()
  const both = { table: '0'.repeat(16), filter: {} }
  expect(await client.ask(ask('meme_tables', both, 'unsubscribe'))).toMatchObject({
    ...{ type: 'error', code: 'invalid_filter' },
    message: 'data.filter or data.table is allowed, not both.',
  })
  expect(await client.ask(ask('meme_tables', both))).toMatchObject({
    message: 'data.table comes with unsubscribe alone.',
  })
})

test('state channels take the options that say what they do', async () => {
  service = await EngineServer.start()
  const client = await open()
  const options = { seq: true, snapshot: true }
  for (const [channel, named] of [
    ['meme_tables', { filter: {} }],
    ['candles', { mint: addressOf('A'), resolution: '1' }],
  ] as const) {
    const answer = await client.ask(ask(channel, { ...named, ...options }))
    expect(answer).toMatchObject({ type: 'subscribed', event: channel })
    expect(await client.next()).toMatchObject({ channel, type: 'snapshot' })
  }
})

test('an epoch alone makes a subscription a numbered one', async () => {
  service = await EngineServer.start()
  const client = await open()
  const answer = await client.ask(ask('mint_migration', { epoch: 'of another time' }))
  expect(answer).toMatchObject({ type: 'subscribed', seq: 0, epoch: 'e1' })
  const longest = 'e'.repeat(128)
  for (const [epoch, said] of [
    [longest, { type: 'subscribed' }],
    [`${longest}e`, { type: 'error', code: 'invalid_option' }],
  ] as const)
    expect(await client.ask(ask('mint_migration', { epoch }))).toMatchObject(said)
})

test.each([
  ['from_seq', { from_seq: 2 }],
  ['epoch', { epoch: 'e1' }],
])('the refusal of %s for the trades of a table names what came', async (option, words) => {
  service = await EngineServer.start()
  const client = await open()
  expect(await client.ask(ask('update_pools_info', words))).toEqual({
    type: 'error',
    code: 'invalid_option',
    message: `data.${option} is not allowed for update_pools_info: follow its mints by update_mint_info.`,
  })
})

test('what is not right is refused with a code and a sentence, and the connection stays', async () => {
  service = await EngineServer.start()
  service.feed([...['A', 'B', 'A\nB'].map((mint) => born(mint)), trade({ signer: 'A\u2028' })])
  const client = await open()
  for (const [message, code] of REFUSED) {
    const said = JSON.stringify(message)
    const answer = await client.ask(message)
    expect(answer, said).toMatchObject({ type: 'error', code })
    expect(isRecord(answer) && String(answer.message), said).toMatch(/^[A-Za-z].*\.$/)
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  }
})

test.each([
  {
    ...{ event: 'meme_tables', code: 'too_many_tables', ofConnection: 10, ofAddress: 100 },
    dataOf: (n: number) => ({ filter: { limit: 1 + (n % 200), type: n < 200 ? 'new' : 'all' } }),
  },
  {
    ...{ event: 'candles', code: 'too_many_candles', ofConnection: 100, ofAddress: 1000 },
    dataOf: (n: number) => ({ mint: addressOf(`n${n}`), resolution: '1' }),
  },
])(
  'one address has its share of all that can be followed, and no more ($event)',
  async (channel) => {
    const { event, code, ofConnection, ofAddress, dataOf } = channel
    service = await EngineServer.start('e1', undefined, { trustProxy: ['127.0.0.1'] })
    const from = (address: string) => open({ headers: { 'X-Forwarded-For': address } })
    const follow = async (client: LiveClient, n: number) => {
      const answer = await client.ask(ask(event, dataOf(n)))
      if (isRecord(answer) && answer.type === 'subscribed') await client.next()
      return answer
    }
    const [neighbour, first] = [await from('9.9.9.8'), await from('9.9.9.9')]
    expect(await follow(neighbour, 5000)).toMatchObject({ type: 'subscribed' })
    const others: LiveClient[] = []
    for (let n = 0; n < ofAddress; n++) {
      if (n > 0 && n % ofConnection === 0) others.push(await from('9.9.9.9'))
      expect(await follow(others.at(-1) ?? first, n)).toMatchObject({ type: 'subscribed' })
    }
    const last = await from('9.9.9.9')
    expect(await follow(last, ofAddress)).toMatchObject({ code })
    // What is followed already takes no place, and another address has its own.
    for (const n of [0, 5000]) expect(await follow(last, n)).toMatchObject({ type: 'subscribed' })
    expect(await follow(neighbour, ofAddress)).toMatchObject({ type: 'subscribed' })
    others.at(-1)?.close()
    await expect.poll(() => follow(last, ofAddress + 1)).toMatchObject({ type: 'subscribed' })
  },
)

test.each([
  {
    ...{ event: 'meme_tables', code: 'too_many_tables', ofConnection: 10, inAll: 500 },
    dataOf: (n: number) => ({
      filter: { limit: 1 + (n % 200), type: ['new', 'all', 'completing'][Math.floor(n / 200)] },
    }),
  },
  {
    ...{ event: 'candles', code: 'too_many_candles', ofConnection: 100, inAll: 5000 },
    dataOf: (n: number) => ({ mint: addressOf(`n${n}`), resolution: '1' }),
  },
])(
  'so many can be followed in all and no more, and what nobody follows any more makes room ($event)',
  async ({ event, code, ofConnection, inAll, dataOf }) => {
    service = await EngineServer.start()
    const clients: LiveClient[] = []
    for (let n = 0; n < inAll; n += 1) {
      if (n % ofConnection === 0) clients.push(await open())
      clients.at(-1)?.socket.send(JSON.stringify(ask(event, dataOf(n))))
    }
    const figure = event === 'candles' ? 'live_candles' : 'live_tables'
    const followed = () => service.server.readiness().fields[figure]
    await expect.poll(followed).toBe(inAll)
    const last = await open()
    expect(await last.ask(ask(event, dataOf(inAll)))).toMatchObject({
      code,
      message: expect.stringContaining(`At most ${inAll} different`),
    })
    // What others follow already can be followed by anybody.
    expect(await last.ask(ask(event, dataOf(7)))).toMatchObject({ type: 'subscribed' })
    await last.next()
    clients[0].socket.send(JSON.stringify(ask(event, dataOf(0), 'unsubscribe')))
    await expect.poll(followed).toBe(inAll - 1)
    expect(await last.ask(ask(event, dataOf(inAll)))).toMatchObject({ type: 'subscribed' })
    await last.next()
    clients[1].socket.terminate()
    await expect.poll(followed).toBe(inAll - ofConnection)
    expect(await last.ask(ask(event, dataOf(inAll + 1)))).toMatchObject({ type: 'subscribed' })
  },
  60_000,
)

test('100,000 subscriptions are refused by the limits one by one, with bounded work', async () => {
  // How fast they may come is another limit, with tests of its own; a ping would be one answer more.
  const limits = { messagesPerSecond: FLOOD * 10 }
  const liveTimes = { pingMs: 3_600_000, silenceMs: 3_600_000 }
  service = await EngineServer.start('e1', undefined, { limits, liveTimes })
  service.feed([born('A')])
  const client = await open()
  const names = Array.from({ length: 1001 }, (_, i) => addressOf(`n${i}`))
  expect(await client.ask(ask('update_mint_info', { mints: names, seq: true }))).toMatchObject({
    code: 'too_many_mints',
  })
  expect(await client.ask(ask('wallet_trades', { wallets: names }))).toMatchObject({
    code: 'too_many_wallets',
  })
  const wallets = names.slice(0, 1000)
  expect(await client.ask(ask('wallet_trades', { wallets }))).toMatchObject({ type: 'subscribed' })
  await client.ask(ask('wallet_trades', { wallets }, 'unsubscribe'))
  await client.ask(ask('update_mint_info', { mints: names.slice(0, 500) }))
  await client.ask(ask('update_mint_info', { mints: names.slice(500, 1000), seq: true }))
  expect(
    await client.ask(ask('update_mint_info', { mint: addressOf('one more'), seq: true })),
  ).toMatchObject({
    code: 'too_many_mints',
  })
  expect(await client.ask(ask('update_mint_info', { mint: names[0], seq: true }))).toMatchObject({
    type: 'subscribed',
  })
  for (let i = 0; i < 10; i += 1) {
    await client.ask(ask('meme_tables', { filter: { limit: i + 1 } }))
    await client.next()
  }
  expect(await client.ask(ask('meme_tables', { filter: { limit: 11 } }))).toMatchObject({
    code: 'too_many_tables',
  })
  for (let i = 0; i < 100; i += 1) {
    await client.ask(ask('candles', { mint: names[i], resolution: '1' }))
    await client.next()
  }
  expect(await client.ask(ask('candles', { mint: 'A', resolution: '1' }))).toMatchObject({
    code: 'too_many_candles',
  })
  const flood = JSON.stringify(ask('update_mint_info', { mint: addressOf('over'), seq: true }))
  for (let sent = 0; sent < FLOOD; sent += FLOOD_PART) {
    const before = client.received.length
    for (let i = 0; i < FLOOD_PART; i += 1) client.socket.send(flood)
    await waitUntil(() => client.received.length >= before + FLOOD_PART)
    const answers = client.received.splice(before)
    expect(answers).toHaveLength(FLOOD_PART)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ code: 'too_many_mints' })
  }
  const ready = await service.json('/readyz')
  expect(ready).toMatchObject({ live_connections: 1, live_tables: 10, live_candles: 100 })
  // 500 of the mints and n0, and the tables and candles.
  expect(ready).toMatchObject({ live_numbered_topics: 501 + 10 + 100 })
})
