import { afterEach, expect, test } from 'vitest'
import { price } from '../../oracle/fixtures.ts'
import { engineOf } from '../../store/restoring.ts'
import { EngineServer } from '../engine-server.ts'
import { LiveClient } from '../live-client.ts'
import { born, trade } from '../told-events.ts'

let service: EngineServer
afterEach(() => service.server.stop())

/** The same token with trades before those that the service has seen. */
function withHistory() {
  const engine = engineOf('event', 1 << 14)
  const earlier = [1, 2, 3].map((n) =>
    trade({ mint: 'A', slot: 1_002, txIndex: n, signature: `h${n}` }),
  )
  engine.events([price(150), born('A'), ...earlier, trade({ mint: 'A', slot: 1_010 })])
  return engine
}

const FOLLOWED = [
  { event: 'update_mint_info', data: { action: 'subscribe', id: 'me', mint: 'A', seq: true } },
  { event: 'meme_tables', data: { action: 'subscribe', id: 'me', filter: { type: 'new' } } },
  { event: 'candles', data: { action: 'subscribe', id: 'me', mint: 'A', resolution: '1' } },
]

async function following(): Promise<{ client: LiveClient; snapshots: string[] }> {
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const snapshots: string[] = []
  for (const followed of FOLLOWED) {
    expect(await client.ask(followed), followed.event).toMatchObject({ type: 'subscribed' })
    if (followed.event !== 'update_mint_info') snapshots.push(JSON.stringify(await client.next()))
  }
  return { client, snapshots }
}

test('when another engine takes its place, followers are closed with 1012 and begin with its state', async () => {
  service = await EngineServer.start('e1')
  service.feed([price(150), born('A'), trade({ mint: 'A', slot: 1_010 })])
  const before = await following()
  const table = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"type":"new"}',
  }
  const shown = JSON.stringify(await service.json('/api/v2/meme', table))
  service.replaced(withHistory(), 'e2')
  expect((await before.client.closed).code).toBe(1012)
  expect(JSON.stringify(await service.json('/api/v2/meme', table))).not.toBe(shown)
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const resumed = { mint: 'A', seq: true, from_seq: 1, epoch: 'e1', snapshot: true }
  const data = { action: 'subscribe', id: 'me', ...resumed }
  expect(await client.ask({ event: 'update_mint_info', data })).toMatchObject({
    ...{ type: 'resync', reason: 'epoch_changed', epoch: 'e2' },
  })
  client.close()
  const after = await following()
  expect(after.snapshots).not.toEqual(before.snapshots)
  expect(after.snapshots[1]).toContain('"epoch":"e2"')
  service.feed([trade({ mint: 'A', slot: 1_020, signature: 'next' })])
  expect(await after.client.next()).toMatchObject({
    channel: 'update_mint_info',
    seq: 5,
    epoch: 'e2',
  })
  after.client.close()
})

test('a stream of server-sent events ends too, for its browser to come back', async () => {
  service = await EngineServer.start('e1')
  service.feed([price(150), born('A'), trade({ mint: 'A', slot: 1_010 })])
  const response = await fetch(
    `${service.server.url}/api/v2/stream?channel=update_mint_info&mint=A`,
  )
  service.replaced(withHistory(), 'e2')
  const text = await response.text()
  expect(text).toContain('"epoch":"e1"')
})
