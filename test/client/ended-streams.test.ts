import { afterEach, expect, test } from 'vitest'
import { Mintfeed, type Problem } from '../../client/src/mintfeed.ts'
import { isRecord } from '../../src/base/json-access.ts'
import { Engine } from '../../src/engine/engine.ts'
import { addressOf } from '../address-of.ts'
import { START_SECOND } from '../oracle/fixtures.ts'
import { BreakableArchive } from '../server/breakable-archive.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { trade } from '../server/told-events.ts'
import { gathered } from './gathered.ts'
import { isSubscription, ScriptedService } from './scripted-service.ts'

const SWAPS = 400
const DAMAGED = { code: 'history_unreadable' }

let service: { stop(): Promise<void> }
let client: Mintfeed
afterEach(async () => {
  client.close()
  await service.stop()
})

function problemsOf({ live }: Mintfeed): Problem[] {
  const problems: Problem[] = []
  live.onProblem((problem) => problems.push(problem))
  return problems
}

test('a mint whose history cannot be read is refused, and the streams beside it go on', async () => {
  const C = addressOf('C')
  const engine = new Engine({ clock: 'event', identities: 1 << 10, tapeChunkRecords: 64 })
  const running = await EngineServer.start('e1', engine)
  service = running.server
  const swapOf = (mint: string, i: number) =>
    trade({ mint, slot: 10 + i * 10, signature: `${mint} ${i}`, timestamp: START_SECOND + i })
  for (let i = 0; i < SWAPS; i++) running.feed([swapOf('A', i), swapOf('B', i)])
  const archive = new BreakableArchive()
  archive.takeFrom(engine)
  archive.isBroken = true
  client = new Mintfeed(running.server.url)
  const problems = problemsOf(client)
  const others = gathered(client.live.trades(C))
  await waitUntil(() => others.length === 1)
  const refused = gathered(client.live.trades('A'))
  await waitUntil(() => refused.length === 1)
  expect(refused).toMatchObject([{ kind: 'refused', key: 'A', problem: DAMAGED }])
  running.feed([swapOf(C, SWAPS)])
  await waitUntil(() => others.length === 2)
  expect(others[1]).toMatchObject({ kind: 'event', key: C, seq: 1 })
  expect(problems).toMatchObject([DAMAGED])
  archive.isBroken = false
  const again = client.live.trades('A')
  expect((await again.next()).value).toMatchObject({ kind: 'snapshot', seq: SWAPS })
  expect(client.live.status).toMatchObject({ connections: 1, disconnects: 0 })
})

const TABLE = '0123456789abcdef'
const CANDLES = { event: 'candles', mint: 'A', resolution: '1' }
const STEP = { step: 1, seq: 0, epoch: 'e1', time: 1 }

/** Begins tables, candles and trades of A, and ends each of them when trades of B are asked for. */
async function endingService(): Promise<ScriptedService> {
  return await ScriptedService.start((socket, message) => {
    if (!isSubscription(message) || !isRecord(message) || !isRecord(message.data)) return
    const say = (frame: object) => socket.send(JSON.stringify(frame))
    const { event } = message
    const { mint } = message.data
    if (event === 'meme_tables' || event === 'trending') {
      say({ type: 'subscribed', event, table: TABLE, ...STEP })
      const data = event === 'trending' ? { window: '5m', by: 'volume', items: [] } : {}
      say({ channel: event, type: 'snapshot', table: TABLE, ...STEP, data })
      return
    }
    say({ type: 'subscribed', ...CANDLES, event, mint, ...STEP })
    if (mint !== 'B') return
    const ended = { type: 'error', code: 'history_unreadable', message: 'm' }
    for (const what of [{ event: 'meme_tables', table: TABLE }, CANDLES]) say({ ...ended, ...what })
  })
}

test('tables and candles that cannot go on are refused, and nothing else is', async () => {
  const scripted = await endingService()
  service = scripted
  client = new Mintfeed(scripted.url, { liveUrl: scripted.url.replace('http', 'ws') })
  const problems = problemsOf(client)
  // Two filters in different words that the service knows as one table.
  const ended = [client.live.tables({}), client.live.tables({ type: 'all' })].map(gathered)
  // Another channel's list, of the same name.
  const trending = gathered(client.live.trending())
  const candles = gathered(client.live.candles('A', '1'))
  const other = gathered(client.live.candles('A', '5'))
  await waitUntil(() => ended.every((updates) => updates.length > 0))
  const trades = gathered(client.live.trades('B', { snapshot: false }))
  await waitUntil(() => candles.length === 1)
  expect(candles).toMatchObject([{ kind: 'refused', key: 'A', problem: DAMAGED }])
  for (const updates of ended)
    expect(updates.at(-1)).toMatchObject({ kind: 'refused', problem: DAMAGED })
  expect([other, trades]).toEqual([[], []])
  expect(trending).toMatchObject([{ kind: 'trending', trending: { items: [] } }])
  expect(problems).toMatchObject([DAMAGED, DAMAGED])
  // There is nothing to leave.
  expect(JSON.stringify(scripted.heard)).not.toContain('unsubscribe')
  expect(client.live.status).toMatchObject({ connections: 1, disconnects: 0 })
})

test('what has ended while it was being left costs nothing', async () => {
  const error = { type: 'error', code: 'history_unreadable', message: 'm' }
  const scripted = await ScriptedService.start((socket, message) => {
    if (!isRecord(message) || !('event' in message)) return
    const say = (frame: object) => socket.send(JSON.stringify(frame))
    const { event } = message
    if (event === 'candles') say({ ...error, code: 'invalid_mint' })
    else if (isSubscription(message))
      say({ type: 'subscribed', event, seqs: { A: 0, B: 0 }, epoch: 'e1' })
    else for (const frame of [error, { type: 'unsubscribed' }]) say({ ...frame, event, mint: 'A' })
  })
  service = scripted
  client = new Mintfeed(scripted.url, { liveUrl: scripted.url.replace('http', 'ws') })
  const problems = problemsOf(client)
  client.live.trades('B')
  const left = client.live.trades('A')
  await waitUntil(() => scripted.heard.some(isSubscription))
  left.close()
  expect((await client.live.candles('A', '1').next()).value).toMatchObject({ kind: 'refused' })
  expect(problems).toMatchObject([{ code: 'invalid_mint' }])
  expect(client.live.status).toMatchObject({ connections: 1, disconnects: 0 })
})
