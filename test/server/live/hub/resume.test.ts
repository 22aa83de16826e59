import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { FeedEvent } from '../../../../src/events/event.ts'
import { addressOf } from '../../../address-of.ts'
import { created, START_SECOND, swap } from '../../../oracle/fixtures.ts'
import { Random } from '../../../oracle/random.ts'
import { swapLate, trades } from '../../../properties/late-trades.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { NumberedClient } from '../../numbered-client.ts'
import { waitUntil } from '../../raw-http.ts'

const DISCONNECTS = Number(process.env.RUNS ?? 150)
/** Long form: RUNS=100000. */
const LONG_MS = 3_600_000
const MINTS = ['mint A', 'mint B', 'mint C'] as const
const CLIENTS = 8
const FAR_BEHIND = 2_000

let running: EngineServer | null = null
afterEach(() => running?.server.stop())

/** What was told, in order: the witness. */
class Told {
  readonly byMint = new Map<string, string[]>()

  listen(service: EngineServer): void {
    service.wired.live.onTrade((trade) => {
      const { signature }: { signature: string } = JSON.parse(trade.data(false))
      const list = this.byMint.get(trade.mint) ?? []
      this.byMint.set(trade.mint, list)
      list.push(`${signature}/${trade.ordinal}`)
    })
    service.wired.live.attach()
  }
}

/** Late trades of three mints, each with signatures of its own. */
function* market(random: Random): Generator<FeedEvent> {
  for (let part = 0; ; part++) {
    const events = swapLate(trades(part + 1, 300), random).map((event) =>
      event.type === 'swap'
        ? {
            ...event,
            mint: random.pick(MINTS),
            slot: (event.slot ?? 0) + part * 1_000,
            signature: `${event.signature} ${part}`,
          }
        : event,
    )
    for (const event of events) if (event.type === 'swap') yield event
  }
}

test(
  'readers that are cut at any frame get every trade once, in order, over restarts too',
  async () => {
    const random = new Random(Number(process.env.SEED ?? 20_261_121))
    const told = new Told()
    let service = await EngineServer.start()
    running = service
    told.listen(service)
    const events = market(random)
    const clients = Array.from({ length: CLIENTS }, () => new NumberedClient(MINTS))
    const cuts = () => clients.reduce((sum, client) => sum + client.cuts, 0)
    while (cuts() < DISCONNECTS) {
      const wanted = random.chance(0.01) ? 400 : random.chance(0.3) ? random.integer(0, 12) : 0
      // A reader further behind than what is kept would rightly be told to resynchronise.
      const burst = clients.some((client) => isFarBehind(client, told)) ? 0 : wanted
      service.feed(Array.from({ length: burst }, () => next(events)))
      for (const client of clients)
        if (!client.isConnected && random.chance(0.5))
          void client.connect(service.server.wsUrl, framesUntilCut(random), random.chance(0.1))
      if (random.chance(0.01)) {
        service = await service.restarted()
        running = service
        told.listen(service)
      }
      await turn()
    }
    for (const client of clients) {
      client.cut()
      await client.connect(service.server.wsUrl, Number.MAX_SAFE_INTEGER, false)
    }
    const isWhole = () =>
      clients.every((client) =>
        MINTS.every((mint) => client.got.get(mint)?.length === told.byMint.get(mint)?.length),
      )
    await waitUntil(isWhole)
    for (const client of clients) {
      expect(client.faults).toEqual([])
      expect(client.resyncs).toEqual([])
      for (const mint of MINTS) expect(client.got.get(mint)).toEqual(told.byMint.get(mint))
      client.cut()
    }
  },
  LONG_MS,
)

/** Mostly a few; now and then enough to catch up with all mints. */
function framesUntilCut(random: Random): number {
  return random.chance(0.15) ? random.integer(500, 5_000) : random.integer(1, 60)
}

function isFarBehind(client: NumberedClient, told: Told): boolean {
  const lag = (mint: string) =>
    (told.byMint.get(mint)?.length ?? 0) - (client.got.get(mint)?.length ?? 0)
  return MINTS.some((mint) => lag(mint) > FAR_BEHIND)
}

function next(events: Generator<FeedEvent>): FeedEvent {
  const { value } = events.next()
  return value
}

const follow = (data: object) => ({
  event: 'update_mint_info',
  data: { action: 'subscribe', id: 'me', ...data },
})

async function withTrades(count: number): Promise<{ service: EngineServer; client: LiveClient }> {
  const service = await EngineServer.start()
  running = service
  service.feed([created({ slot: 1, mint: 'A' })])
  for (let i = 0; i < count; i += 1) service.feed([trade(i)])
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  return { service, client }
}

const trade = (i: number) =>
  swap({ mint: 'A', slot: 10 + i, txIndex: 0, signature: `s${i}`, timestamp: START_SECOND + i })

test('missed trades come before live ones, and the acknowledgement says from where', async () => {
  const { service, client } = await withTrades(5)
  const about = { type: 'subscribed', event: 'update_mint_info', mint: 'A' }
  const answer = await client.ask(follow({ mint: 'A', from_seq: 3, epoch: 'e1' }))
  expect(answer).toEqual({ ...about, seq: 3, epoch: 'e1' })
  service.feed([trade(5)])
  for (const seq of [4, 5, 6])
    expect(await client.next()).toMatchObject({
      channel: 'update_mint_info',
      pool: 'curve',
      seq,
      epoch: 'e1',
      ordinal: 0,
      data: { signature: `s${seq - 1}` },
    })
  client.close()
})

test('a snapshot is the detail at its seq, and the next trade has the next seq', async () => {
  const { service, client } = await withTrades(5)
  expect(await client.ask(follow({ mint: 'A', snapshot: true }))).toMatchObject({ seq: 5 })
  const detail = await service.json('/api/v2/tokens/A')
  expect(await client.next()).toEqual({
    channel: 'update_mint_info',
    type: 'snapshot',
    mint: 'A',
    seq: 5,
    epoch: 'e1',
    position: service.engine.seq,
    data: detail,
  })
  service.feed([trade(5)])
  expect(await client.next()).toMatchObject({ seq: 6 })
  client.close()
})

test.each([
  ['an old epoch', { from_seq: 3, epoch: 'e0' }, 'epoch_changed'],
  ['a seq from the future', { from_seq: 6, epoch: 'e1' }, 'seq_ahead'],
])('%s is told to resynchronise, and followed only with a snapshot', async (_, data, reason) => {
  const { service, client } = await withTrades(5)
  const resync = {
    type: 'resync',
    event: 'update_mint_info',
    mint: 'A',
    reason,
    seq: 5,
    epoch: 'e1',
  }
  expect(await client.ask(follow({ mint: 'A', ...data }))).toMatchObject(resync)
  expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  service.feed([trade(7)])
  expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  const again = await client.ask(
    follow({ mint: 'A', from_seq: 9, epoch: data.epoch, snapshot: true }),
  )
  expect(again).toMatchObject({ ...resync, seq: 6 })
  expect(await client.next()).toMatchObject({ type: 'subscribed', mint: 'A', seq: 6 })
  expect(await client.next()).toMatchObject({ type: 'snapshot', seq: 6 })
  service.feed([trade(8)])
  expect(await client.next()).toMatchObject({ seq: 7 })
  client.close()
})

test('who leaves a stream while the missed messages come is told none behind the answer', async () => {
  const { service, client } = await withTrades(0)
  service.feed(Array.from({ length: 9_000 }, (_, i) => ({ ...trade(i), slot: 10 })))
  const leave = { ...follow({}).data, action: 'unsubscribe', mint: 'A' }
  client.socket.send(JSON.stringify(follow({ mint: 'A', from_seq: 0 })))
  client.socket.send(JSON.stringify({ event: 'update_mint_info', data: leave }))
  const isLast = (type: string) => Object(client.received.at(-1)).type === type
  await waitUntil(() => isLast('unsubscribed'))
  // The next slices would come now.
  for (let i = 0; i < 200; i += 1) await turn()
  service.feed([trade(9_000)])
  client.socket.send('{"type":"ping"}')
  await waitUntil(() => isLast('pong'))
  expect(client.received.slice(-2)).toMatchObject([{ type: 'unsubscribed' }, { type: 'pong' }])
  client.close()
})

test('more than is kept is told to resynchronise', async () => {
  const { service, client } = await withTrades(0)
  service.feed(Array.from({ length: 10_001 }, (_, i) => ({ ...trade(i), slot: 10 })))
  expect(await client.ask(follow({ mint: 'A', from_seq: 0 }))).toMatchObject({
    type: 'resync',
    reason: 'too_old',
    seq: 10_001,
  })
  // A replay of many slices whose last one is short.
  expect(await client.ask(follow({ mint: 'A', from_seq: 199 }))).toMatchObject({ seq: 199 })
  for (let seq = 200; seq <= 10_001; seq += 1) expect(await client.next()).toMatchObject({ seq })
  client.close()
})

test('as much as is kept is resumed, of one stream and of five together', async () => {
  const { service, client } = await withTrades(0)
  const source = service.wired.streams.sources.update_mint_info
  source.head = () => 10_000
  source.since = (_, after) => (after === 0 ? ['{"missed":1}'] : [])
  const mints = ['A', ...['B', 'C', 'D', 'E', 'F'].map(addressOf)]
  const from = (keys: readonly string[]) => Object.fromEntries(keys.map((mint) => [mint, 0]))
  expect(await client.ask(follow({ mint: 'A', from_seq: 0 }))).toMatchObject({ seq: 0 })
  expect(await client.next()).toEqual({ missed: 1 })
  const five = mints.slice(0, 5)
  const resumed = await client.ask(follow({ mints: five, from_seq: from(five) }))
  expect(resumed).toMatchObject({ type: 'subscribed', seqs: from(five) })
  for (const _ of five) expect(await client.next()).toEqual({ missed: 1 })
  const refused = await client.ask(follow({ mints, from_seq: from(mints) }))
  expect(refused).toMatchObject({ type: 'resync', reason: 'too_old' })
  client.close()
})

test('of hundreds of streams whose history takes long to look at each is resumed, in many turns', async () => {
  const service = await EngineServer.start()
  running = service
  const mints = Array.from({ length: 200 }, (_, i) => `mint ${i}`)
  service.feed(mints.map((mint, i) => ({ ...trade(i), mint, slot: 10 })))
  const source = service.wired.streams.sources.update_mint_info
  const since = source.since.bind(source)
  let admit = 0
  let mostInTurn = 0
  source.since = (key, after, max) => {
    if (admit === 0) setImmediate(() => (admit = 0))
    admit += 1
    mostInTurn = Math.max(mostInTurn, admit)
    const endMs = performance.now() + 1
    while (performance.now() < endMs);
    return since(key, after, max)
  }
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const from_seq = Object.fromEntries(mints.map((mint) => [mint, 0]))
  expect(await client.ask(follow({ mints, from_seq }))).toMatchObject({ type: 'subscribed', mints })
  for (const _ of mints) expect(await client.next()).toMatchObject({ seq: 1 })
  expect(mostInTurn).toBeLessThan(20)
  client.close()
})

test(
  'a reader too slow for the live stream is cut with 4009 and goes on where it was',
  async () => {
    const service = await EngineServer.start()
    running = service
    service.feed([created({ slot: 1, mint: 'A' })])
    const slow = new NumberedClient(['A'])
    await slow.connect(service.server.wsUrl, Number.MAX_SAFE_INTEGER, false)
    await waitUntil(() => slow.isSubscribed)
    slow.pause()
    let told = 0
    const metrics = () => service.text('/metrics')
    while (!/live_slow_readers_total 1/.test(await metrics())) {
      service.feed(Array.from({ length: 500 }, () => trade(told++)))
      await turn()
    }
    slow.resume()
    await waitUntil(() => !slow.isConnected)
    const gotBefore = slow.got.get('A')?.length ?? 0
    expect(gotBefore).toBeLessThan(told)
    expect(slow.closeCode).toBe(4009)
    await slow.connect(service.server.wsUrl, Number.MAX_SAFE_INTEGER, false)
    await waitUntil(() => slow.got.get('A')?.length === told)
    expect([slow.faults, slow.resyncs]).toEqual([[], []])
    slow.cut()
  },
  LONG_MS,
)
