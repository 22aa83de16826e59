import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { waitUntil } from '../server/raw-http.ts'
import { isSubscription, ScriptedService } from './scripted-service.ts'

const BACKOFF = { firstMs: 20, longestMs: 20 }

let service: ScriptedService
let client: Mintfeed
afterEach(async () => {
  client.close()
  await service.stop()
})

test('what is followed from the moment a connection was lost comes on the next one, of which there is one', async () => {
  const asked: unknown[] = []
  service = await ScriptedService.start((socket, message, connection) => {
    if (!isSubscription(message)) return
    const { event } = Object(message)
    asked.push([connection, event])
    if (connection === 1) socket.terminate()
    else socket.send(JSON.stringify({ type: 'subscribed', event, seq: 0, epoch: 'e1' }))
  })
  const liveUrl = service.url.replace('http', 'ws')
  client = new Mintfeed(service.url, { liveUrl, backoff: BACKOFF })
  const stop = client.live.onChange(({ disconnects }) => {
    if (disconnects === 0) return
    stop()
    client.live.migrations({ snapshot: false })
  })
  client.live.launches({ snapshot: false })
  await waitUntil(() => asked.length === 3)
  await pause(3 * BACKOFF.longestMs)
  expect(service.connections).toBe(2)
  expect(asked).toEqual([
    [1, 'new_launched_pool'],
    [2, 'new_launched_pool'],
    [2, 'mint_migration'],
  ])
})

test('what is followed because no socket can be opened waits for the next attempt', async () => {
  service = await ScriptedService.start(() => {})
  let attempts = 0
  const openSocket = () => {
    attempts += 1
    throw new Error('none')
  }
  client = new Mintfeed(service.url, { openSocket, backoff: { firstMs: 60_000 } })
  client.live.onProblem(() => client.live.trades(`Mint${attempts}`))
  client.live.launches()
  expect(attempts).toBe(1)
})

test('who follows more whenever a connection goes is refused once the client is closed, and ends it all the same', async () => {
  service = await ScriptedService.start(() => {})
  client = new Mintfeed(service.url, { liveUrl: service.url.replace('http', 'ws') })
  const followed = [client.live.launches()]
  client.live.onChange(() => {
    // Without an end it would hang the test.
    if (followed.length < 100) followed.push(client.live.launches())
  })
  client.close()
  expect(followed.length).toBe(2)
  expect(await followed[0].next()).toEqual({ done: true, value: undefined })
  expect(await followed[1].next()).toMatchObject({ value: { problem: { code: 'closed' } } })
})
