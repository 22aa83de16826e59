import { createConnection, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { created } from '../oracle/fixtures.ts'
import { listening } from '../process/free-port.ts'
import { EngineServer } from '../server/engine-server.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Bytes of a TCP segment on an ordinary network; loopback has far larger ones. */
const SEGMENT_BYTES = 1_448
/** Between two segments, so that the service reads them one by one, in ms. */
const APART_MS = 5

/** A network that carries what a client sends in segments; its address. */
async function networkTo(port: number): Promise<string> {
  const network = createServer((client) => {
    const service = createConnection(port, '127.0.0.1').setNoDelay(true)
    const end = () => {
      client.destroy()
      service.destroy()
    }
    for (const socket of [client, service]) socket.on('error', end).on('close', end)
    service.pipe(client)
    let sent = Promise.resolve()
    client.on('data', (bytes) => {
      for (let at = 0; at < bytes.length; at += SEGMENT_BYTES)
        sent = sent.then(() => {
          service.write(bytes.subarray(at, at + SEGMENT_BYTES))
          return new Promise((resolve) => setTimeout(resolve, APART_MS))
        })
    })
    ends.unshift(end)
  })
  const url = `http://127.0.0.1:${await listening(network)}`
  ends.push(() => network.close())
  return url
}

test('market data of a list whose line ends at the border of two segments comes, as that of any other length', async () => {
  const service = await EngineServer.start()
  // Of what was told as a creator there is no market data.
  const creators = [1, 2, 3, 4].map((length) => 'x'.repeat(length))
  service.feed(creators.map((creator, slot) => created({ slot, mint: 'ABCD'[slot], creator })))
  const client = new Mintfeed(await networkTo(service.server.port), {
    backoff: { firstMs: 1, longestMs: 4 },
  })
  ends.push(
    () => client.close(),
    () => service.server.stop(),
  )
  const line = 'GET /api/v2/search/tokens/many/market-data?mints=A%2C'
  const filled = SEGMENT_BYTES - line.length
  for (let over = -12; over <= 2; over += 1) {
    const answer = await client.read.marketData(['A', ...listOf(filled + over)])
    expect({ over, answer }).toMatchObject({ answer: { ok: true, data: [{ mint: 'A' }] } })
  }
})

/** Names of one to four characters that have so many as a list, with a `%2C` between two of them. */
function listOf(characters: number): readonly string[] {
  const short = Math.ceil(characters / 4) - 1
  const names = Array.from({ length: short }, () => 'x')
  return [...names, 'x'.repeat(characters - 4 * short)]
}
