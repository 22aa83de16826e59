import { afterEach, expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { waitUntil } from '../server/raw-http.ts'
import { isSubscription, ScriptedService } from './scripted-service.ts'

const MINTS = Array.from({ length: 50 }, (_, index) => `Mint${index}`)
/** The client asks for five mints a message. */
const MESSAGES = MINTS.length / 5
const ROUNDS = 3

let service: ScriptedService
let client: Mintfeed
afterEach(async () => {
  client.close()
  await service.stop()
})

test('a service that starts is told of once each time it is asked, not for every request that it refuses', async () => {
  service = await ScriptedService.start((socket, message) => {
    if (isSubscription(message)) socket.send('{"type":"error","code":"starting","message":"m"}')
  })
  client = new Mintfeed(service.url, { liveUrl: service.url.replace('http', 'ws') })
  let told = 0
  client.live.onProblem(({ code }) => {
    expect(code).toBe('starting')
    told += 1
  })
  void client.live.trades(MINTS)
  await waitUntil(() => service.heard.filter(isSubscription).length >= ROUNDS * MESSAGES)
  expect(told).toBeGreaterThanOrEqual(1)
  expect(told).toBeLessThanOrEqual(ROUNDS)
})
