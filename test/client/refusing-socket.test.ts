import { expect, onTestFinished, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { addressOf } from '../address-of.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { gathered } from './gathered.ts'

/** The client asks for five mints a message. */
const MINTS = Array.from({ length: 12 }, (_, i) => addressOf(`mint ${i}`))

test('a socket that refuses a message among several is left, and what comes on the next one is heard by whom it is for', async () => {
  const service = await EngineServer.start()
  onTestFinished(() => service.server.stop())
  let opened = 0
  const openSocket = (url: string) => {
    const socket = new WebSocket(url)
    opened += 1
    if (opened > 1) return socket
    let sent = 0
    const send = socket.send.bind(socket)
    // As one that is being closed does on some platforms.
    socket.send = (text) => {
      sent += 1
      if (sent > 1) throw new Error('closing')
      send(text)
    }
    return socket
  }
  const client = new Mintfeed(service.server.url, { openSocket, backoff: { firstMs: 1 } })
  onTestFinished(() => client.close())
  const problems: string[] = []
  client.live.onProblem(({ code }) => problems.push(code))
  const updates = gathered(client.live.trades(MINTS))
  await waitUntil(() => updates.length >= MINTS.length)
  service.feed(
    MINTS.map((mint, i) => swap({ mint, slot: 10 + i, txIndex: 0, timestamp: START_SECOND + i })),
  )
  await waitUntil(() => updates.length >= 2 * MINTS.length)
  const told = updates.map(({ kind, key }) => `${kind} ${key}`)
  expect(told).toEqual(
    ['snapshot', 'event'].flatMap((kind) => MINTS.map((mint) => `${kind} ${mint}`)),
  )
  expect(problems).toEqual(['network'])
})
