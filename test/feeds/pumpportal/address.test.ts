import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { PumpPortalSource } from '../../../src/feeds/pumpportal/pumpportal-source.ts'
import { SILENT_RECEIVER } from '../silent-receiver.ts'

/** The path with which a source comes to a server. */
async function askedFor(path: string, key: string | null): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `ws://127.0.0.1:${port}${path}`
  const source = new PumpPortalSource({ url, key, mints: [], followsNew: false })
  const stopping = new AbortController()
  const ended = source.connect(SILENT_RECEIVER, null, stopping.signal).catch(() => {})
  const [, request] = await once(server, 'connection')
  stopping.abort()
  await ended
  server.close()
  return request.url
}

test('the key is sent with the address, and nothing is where there is none', async () => {
  expect(await askedFor('/api/data', 'a key&more')).toBe('/api/data?api-key=a+key%26more')
  expect(await askedFor('/api/data?from=here', 'secret')).toBe('/api/data?from=here&api-key=secret')
  expect(await askedFor('/api/data', null)).toBe('/api/data')
})
