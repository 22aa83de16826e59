import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { WRAPPED_SOL_MINT } from '../../src/events/platform.ts'
import { addressOf } from '../address-of.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'
import { LiveClient } from './live-client.ts'

const IN_SOL = { quote_mint: WRAPPED_SOL_MINT, quote_symbol: 'SOL', priced: true }
const ADDED = { lp_fee: 0.000005, cashback: 0.000003, ...IN_SOL }
const ID = 'bot'
const ALICE = addressOf('alice')

let service: EngineServer
beforeEach(async () => {
  service = await EngineServer.start()
  onTestFinished(() => service.server.stop())
  service.feed([{ type: 'sol_price', timestamp: START_SECOND, usd: 100 }, created({ mint: 'A' })])
})

function trade(): void {
  service.feed([
    swap({
      ...{ mint: 'A', signer: ALICE, source: 'pump_amm', txIndex: 0 },
      ...{ lpFeeRaw: 5_000n, cashbackRaw: 3_000n },
    }),
  ])
}

async function opened(): Promise<LiveClient> {
  const client = await LiveClient.open(`${service.server.wsUrl}?id=${ID}`)
  onTestFinished(() => client.close())
  return client
}

const asked = (event: string, data: object) => ({
  event,
  data: { action: 'subscribe', id: ID, ...data },
})

/** The swap of a frame, as pairs in their order. */
function swapOf(frame: unknown): readonly (readonly [string, unknown])[] {
  if (!isRecord(frame) || !isRecord(frame.data)) throw new Error('no frame of a swap')
  return Object.entries(frame.data)
}

const CHANNELS: readonly (readonly [string, object])[] = [
  ['update_mint_info', { mint: 'A' }],
  ['wallet_trades', { wallet: ALICE }],
  ['all_trades', {}],
]

test.each(CHANNELS)(
  '%s tells more of swaps to those who ask, and to nobody else',
  async (channel, key) => {
    const [plain, more] = [await opened(), await opened()]
    await plain.ask(asked(channel, { ...key, seq: true }))
    expect(await more.ask(asked(channel, { ...key, extra: true }))).toMatchObject({ seq: 0 })
    trade()
    const [told, added] = [await plain.next(), await more.next()]
    expect(swapOf(added)).toEqual([...swapOf(told), ...Object.entries(ADDED)])
    expect(added).toMatchObject({ channel, seq: 1, ordinal: 0 })
  },
)

test.each(CHANNELS)('%s tells them of missed swaps too', async (channel, key) => {
  trade()
  trade()
  const client = await opened()
  await client.ask(
    asked(channel, { ...key, extra: true, from_seq: channel === 'all_trades' ? 2 : 1 }),
  )
  if (channel === 'all_trades') trade()
  expect(Object.fromEntries(swapOf(await client.next()))).toMatchObject(ADDED)
})

test('subscribing again with extra or without replaces the subscription', async () => {
  const client = await opened()
  const first = asked('update_mint_info', { mint: 'A', extra: true })
  await client.ask(first)
  await client.ask(asked('update_mint_info', { mint: 'A', seq: true }))
  trade()
  expect(Object.fromEntries(swapOf(await client.next()))).not.toHaveProperty('priced')
  await client.ask(first)
  trade()
  expect(Object.fromEntries(swapOf(await client.next()))).toMatchObject(ADDED)
  await client.ask(asked('update_mint_info', { mint: 'A' }))
  trade()
  const plain = await client.next()
  expect(plain).not.toHaveProperty('seq')
  expect(Object.fromEntries(swapOf(plain))).not.toHaveProperty('priced')
  await client.ask(first)
  await client.ask({
    event: 'update_mint_info',
    data: { action: 'unsubscribe', id: ID, mint: 'A' },
  })
  trade()
  expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
})

test('trades of a table tell more to those who ask, with its market data', async () => {
  const headers = { 'content-type': 'application/json', 'x-socket-id': ID }
  await service.json('/api/v2/meme', { method: 'POST', headers, body: '{}' })
  const [plain, more] = [await opened(), await opened()]
  await plain.ask(asked('update_pools_info', { seq: true }))
  await more.ask(asked('update_pools_info', { extra: true, snapshot: true }))
  expect(await more.next()).toMatchObject({ type: 'snapshot', data: [{ mint: 'A', ...IN_SOL }] })
  trade()
  const [told, added] = [await plain.next(), await more.next()]
  expect(swapOf(added)).toEqual([...swapOf(told), ...Object.entries(ADDED)])
})

test('a live table with extra is one of its own, with the bytes of the POST answer', async () => {
  const client = await opened()
  const plain = await client.ask(asked('meme_tables', { filter: {} }))
  await client.next()
  const more = await client.ask(asked('meme_tables', { filter: { extra: true } }))
  expect(Object(more).table).not.toBe(Object(plain).table)
  const frame = await client.next()
  const headers = { 'content-type': 'application/json' }
  const body = '{"extra":true}'
  expect(Object(frame).data).toEqual(
    await service.json('/api/v2/meme', { method: 'POST', headers, body }),
  )
  expect(frame).toMatchObject({ data: { new: [IN_SOL] } })
})

test('channels without trades, and values that are no boolean, are refused or as before', async () => {
  const client = await opened()
  expect(await client.ask(asked('mint_migration', { extra: true }))).toEqual({
    type: 'subscribed',
    event: 'mint_migration',
  })
  const refusals = [
    [asked('mint_migration', { extra: true, seq: true }), 'unknown_option'],
    [asked('candles', { mint: 'A', resolution: '1', extra: true }), 'unknown_option'],
    [asked('meme_tables', { filter: {}, extra: true }), 'unknown_option'],
    [asked('meme_tables', { filter: { extra: 1 } }), 'invalid_filter'],
    [asked('update_mint_info', { mint: 'A', extra: 1 }), 'invalid_option'],
    [asked('all_trades', { extra: 'yes' }), 'invalid_option'],
  ] as const
  for (const [message, code] of refusals)
    expect(await client.ask(message)).toMatchObject({ type: 'error', code })
  const plain = await client.ask(asked('update_mint_info', { mint: 'A', extra: false }))
  expect(plain).toEqual({ type: 'subscribed', event: 'update_mint_info', mint: 'A' })
})

test('a stream of server-sent events takes extra=1 for channels of trades', async () => {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const of = (query: string) =>
    fetch(`${service.server.url}/api/v2/stream?${query}`, { signal: stop.signal })
  const response = await of('channel=update_mint_info&mint=A&extra=1')
  trade()
  let text = ''
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString()
    if (text.includes('"lp_fee"')) break
  }
  expect(text).toContain('"lp_fee":0.000005,"cashback":0.000003,"quote_mint"')
  for (const query of ['channel=mint_migration&extra=1', 'channel=all_trades&extra=2'])
    expect((await of(query)).status, query).toBe(400)
})
