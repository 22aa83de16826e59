import { afterEach, expect, test } from 'vitest'
import { Mintfeed, type TradeUpdate } from '../../client/src/mintfeed.ts'
import { waitUntil } from '../server/raw-http.ts'
import { gathered } from './gathered.ts'
import { askedFrom, ScriptedService, subscribedFrame, tradeFrame } from './scripted-service.ts'

const FROM_START = { from: new Map([['A', { seq: 0, epoch: 'e1' }]]) }
const AT_20 = '"mint":"A","seq":20,"epoch":"e1"'
const SNAPSHOT = `{"channel":"update_mint_info","type":"snapshot",${AT_20},"position":9,"data":null}`
const RESYNC = `{"type":"resync","event":"update_mint_info",${AT_20},"reason":"backlog","message":"m"}`

let service: ScriptedService
let client: Mintfeed

afterEach(async () => {
  client.close()
  await service.stop()
})

/** Follows mint A from its beginning on a service that says `first`, and `then` when it is asked anew. */
async function told(first: readonly string[], then: readonly string[]): Promise<TradeUpdate[]> {
  let asked = 0
  service = await ScriptedService.start((socket, message) => {
    const from = askedFrom(message)
    if (from === null) return
    asked += 1
    for (const frame of [subscribedFrame(from), ...(asked === 1 ? first : then)]) socket.send(frame)
  })
  client = new Mintfeed(service.url, { liveUrl: service.url.replace('http', 'ws') })
  return gathered(client.live.trades('A', FROM_START))
}

const seqsOf = (updates: readonly TradeUpdate[]) =>
  updates.map((update) => (update.kind === 'event' ? update.seq : update.kind))

test('a message of another epoch is no repeat, however low its number, and what is missing is asked for', async () => {
  const stray = tradeFrame(1, { epoch: 'e2', signature: 'other' })
  const updates = await told([tradeFrame(1), tradeFrame(2), stray], [tradeFrame(3)])
  await waitUntil(() => updates.length >= 3)
  expect(seqsOf(updates)).toEqual([1, 2, 3])
  expect(client.live.status).toMatchObject({ gaps: 1, repeats: 0, disconnects: 0 })
})

test('what comes between a loss and its snapshot is in the snapshot', async () => {
  const frames = [tradeFrame(1), RESYNC, tradeFrame(5), SNAPSHOT, tradeFrame(21)]
  const updates = await told(frames, [])
  await waitUntil(() => updates.length >= 4)
  expect(seqsOf(updates)).toEqual([1, 'lost', 'snapshot', 21])
  expect(updates[1]).toMatchObject({ reason: 'backlog', fromSeq: 1, toSeq: 20 })
})

test('a snapshot that nobody asked for passes over nothing', async () => {
  const updates = await told([tradeFrame(1), SNAPSHOT, tradeFrame(2)], [])
  await waitUntil(() => updates.length >= 2)
  expect(seqsOf(updates)).toEqual([1, 2])
  expect(client.live.status).toMatchObject({ gaps: 0, losses: 0 })
})
