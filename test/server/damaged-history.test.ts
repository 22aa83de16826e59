import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { START_SECOND } from '../oracle/fixtures.ts'
import { BreakableArchive } from './breakable-archive.ts'
import { EngineServer } from './engine-server.ts'
import { errorOf } from './error-json.ts'
import { LiveClient } from './live-client.ts'
import { trade } from './told-events.ts'

const SWAPS = 400
const ask = (event: string, data: object) => ({
  event,
  data: { action: 'subscribe', id: 'me', ...data },
})

let service: EngineServer
let archive: BreakableArchive
let logged: string[]

const swapOf = (mint: string, i: number) =>
  trade({ mint, slot: 10 + i * 10, signature: `${mint} ${i}`, timestamp: START_SECOND + i })

beforeEach(async () => {
  logged = []
  const log = (_facts: object, text: string) => logged.push(text)
  const engine = new Engine({ clock: 'event', identities: 1 << 10, tapeChunkRecords: 64 })
  service = await EngineServer.start('e1', engine, { log: { info: log, warn: log, error: log } })
  for (let i = 0; i < SWAPS; i++) service.feed([swapOf('A', i), swapOf('B', i)])
  archive = new BreakableArchive()
  archive.takeFrom(engine)
  expect(engine.state.tape.firstInMemory).toBeGreaterThan(SWAPS)
})

afterEach(() => service.server.stop())

/** The lines of the metrics. */
async function metricLines(): Promise<readonly string[]> {
  return (await (await fetch(`${service.server.url}/metrics`)).text()).split('\n')
}

const DAMAGED = { type: 'error', code: 'history_unreadable' }

test('a request for history that the disk does not give is refused with a reason', async () => {
  archive.isBroken = true
  for (const path of [
    '/api/v2/search/tokens/A/swaps?page=4&limit=100',
    '/api/v2/search/tokens/A/swaps?cursor=start&limit=200',
    '/api/v2/meme/chart/ohlcv?mint=A&from=0&to=9999999999&resolution=1S',
    '/api/v2/tokens/A',
  ]) {
    const response = await fetch(service.server.url + path)
    expect([path, response.status]).toEqual([path, 503])
    expect(await errorOf(response)).toMatchObject({ code: 'history_unreadable' })
  }
  const history = '/udf/history?symbol=A&from=0&to=9999999999&resolution=1S'
  expect(await service.json(history)).toMatchObject({ s: 'error' })
})

test('requests for it are answered each time, and do not fill the log', async () => {
  archive.isBroken = true
  const beganMs = performance.now()
  const ids: (string | null)[] = []
  for (let i = 0; i < 100; i++) {
    const response = await fetch(`${service.server.url}/api/v2/tokens/A?i=${i}`)
    expect(response.status).toBe(503)
    ids.push(response.headers.get('x-request-id'))
  }
  const seconds = (performance.now() - beganMs) / 1000
  const lines = logged.filter((text) => text === 'A route threw')
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThanOrEqual(20 + Math.ceil(seconds))
  // An id is that of a line.
  expect(ids.filter((id) => id !== null)).toHaveLength(lines.length)
})

test('a live client that asks for it is told, and its connection goes on', async () => {
  archive.isBroken = true
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const candles = { mint: 'A', resolution: '1S' }
  expect(await client.ask(ask('candles', candles))).toMatchObject(DAMAGED)
  await client.ask(ask('update_mint_info', { mint: 'A', snapshot: true }))
  const ended = { event: 'update_mint_info', mint: 'A' }
  expect(await client.next()).toMatchObject({ ...DAMAGED, ...ended })
  archive.isBroken = false
  // What has ended tells nothing more.
  service.feed([swapOf('A', SWAPS)])
  expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  expect(await client.ask(ask('candles', candles))).toMatchObject({ type: 'subscribed' })
  expect(await client.next()).toMatchObject({ type: 'snapshot' })
  expect(logged).toEqual(['A live request threw', 'A live request threw'])
  // The disk's fault is none of the program.
  expect(await metricLines()).toContain('mintfeed_live_defects_total 0')
})

test('of several streams those are resumed whose history can be read', async () => {
  service.feed([swapOf('C', SWAPS)])
  archive.isBroken = true
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const resumed = { mints: ['C', 'A', 'B'], from_seq: { C: 0, A: 0, B: 0 } }
  // Of keys that time is up for it is told behind the acknowledgement: here there is time for all.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => clock.mockRestore())
  for (const mint of ['A', 'B'])
    expect(
      await (mint === 'A' ? client.ask(ask('update_mint_info', resumed)) : client.next()),
    ).toMatchObject({ type: 'resync', reason: 'history_unreadable', mint })
  expect(await client.next()).toMatchObject({ type: 'subscribed', mints: ['C'], seqs: { C: 0 } })
  expect(await client.next()).toMatchObject({ channel: 'update_mint_info', seq: 1 })
})

test('who asks for it again and again is answered each time, and does not fill the log', async () => {
  archive.isBroken = true
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const candles = ask('candles', { mint: 'A', resolution: '1S' })
  const beganMs = performance.now()
  for (let i = 0; i < 500; i++) expect(await client.ask(candles)).toMatchObject(DAMAGED)
  const seconds = (performance.now() - beganMs) / 1000
  const lines = logged.filter((text) => text === 'A live request threw')
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThanOrEqual(20 + Math.ceil(seconds))
  expect(await metricLines()).toContain('mintfeed_live_defects_total 0')
})

test('those who follow what cannot be brought up to now are told, once', async () => {
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const other = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  for (const one of [client, other]) {
    await one.ask(ask('candles', { mint: 'A', resolution: '1S' }))
    await one.next()
  }
  // All of it is in memory.
  service.feed([swapOf('C', SWAPS)])
  await other.ask(ask('candles', { mint: 'C', resolution: '1D' }))
  await other.next()
  // What was copied of their trades is forgotten.
  service.engine.chartTrades.drop()
  archive.isBroken = true
  service.feed([swapOf('A', SWAPS)])
  const ended = { ...DAMAGED, event: 'candles', mint: 'A', resolution: '1S' }
  for (const one of [client, other]) expect(await one.next()).toMatchObject(ended)
  archive.isBroken = false
  service.feed([swapOf('A', SWAPS + 1), swapOf('C', SWAPS + 1)])
  expect(await other.next()).toMatchObject({ channel: 'candles', type: 'delta', mint: 'C' })
})

test('a stream of events is told too', async () => {
  archive.isBroken = true
  const response = await fetch(
    `${service.server.url}/api/v2/stream?channel=candles&mint=A&resolution=1S`,
  )
  const { value } = (await response.body?.getReader().read()) ?? {}
  expect(new TextDecoder().decode(value)).toContain('"code":"history_unreadable"')
})

test('a defect closes the connection that met it, and no other', async () => {
  vi.spyOn(service.wired.answers, 'beginChart').mockImplementation(() => {
    throw new Error('a defect')
  })
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const other = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  client.socket.send(JSON.stringify(ask('candles', { mint: 'A', resolution: '1S' })))
  expect((await client.closed).code).toBe(1011)
  expect(logged).toEqual(['A live request threw'])
  expect(await metricLines()).toContain('mintfeed_live_defects_total 1')
  service.feed([swapOf('A', SWAPS)])
  await other.ask(ask('update_mint_info', { mint: 'A' }))
  service.feed([swapOf('A', SWAPS + 1)])
  expect(await other.next()).toMatchObject({ channel: 'update_mint_info' })
})
