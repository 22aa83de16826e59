import { afterEach, expect, test } from 'vitest'
import { isRecord } from '../../../../src/base/json-access.ts'
import type { FeedEvent } from '../../../../src/events/event.ts'
import { migrated } from '../../../oracle/fixtures.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { born, trade } from '../../told-events.ts'

let service: EngineServer
afterEach(() => service.server.stop())

const NUMBERED = { seq: true }
const PLAIN = {}
/** What a client asks for, one after the other, on one connection. */
const ASKED = [PLAIN, NUMBERED, NUMBERED, PLAIN, PLAIN, NUMBERED, { snapshot: true }, PLAIN]

const MINTS = ASKED.map((_, i) => `mint-${i}`)

type Make = (mint: string) => FeedEvent

test.each<[event: string, words: object, make: Make]>([
  ['update_mint_info', { mint: 'A' }, () => trade({ mint: 'A' })],
  ['update_mint_info', { mints: ['A', 'B'] }, () => trade({ mint: 'B' })],
  ['update_pools_info', {}, () => trade({ mint: 'A' })],
  ['mint_migration', {}, (mint) => migrated({ mint, signature: mint, slot: 5_000 })],
  ['new_launched_pool', {}, (mint) => born(mint, { slot: 5_000 })],
])(
  'who subscribes again to %s %j gets each message once, as was asked last',
  async (event, words, make) => {
    service = await EngineServer.start()
    service.feed([born('A'), born('B', { txIndex: 1 })])
    if (event === 'mint_migration')
      service.feed(MINTS.map((mint, i) => born(mint, { txIndex: 2 + i })))
    await service.json('/api/v2/meme', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Socket-Id': 'me' },
      body: '{"type":"new"}',
    })
    const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
    const asked = (options: object, action = 'subscribe') =>
      client.ask({ event, data: { action, id: 'me', ...words, ...options } })
    for (const [i, options] of ASKED.entries()) {
      expect(await asked(options)).toMatchObject({ type: 'subscribed', event })
      service.feed([make(MINTS[i] ?? '')])
      const frames: unknown[] = []
      for (let frame = await client.ask({ type: 'ping' }); ; frame = await client.next()) {
        if (isRecord(frame) && frame.type === 'pong') break
        // A snapshot that was asked for.
        if (isRecord(frame) && frame.type === undefined) frames.push(frame)
      }
      const isNumbered = options !== PLAIN
      expect(frames.map((frame) => isRecord(frame) && [frame.channel, 'seq' in frame])).toEqual([
        [event, isNumbered],
      ])
    }
    await asked(NUMBERED)
    expect(await asked({}, 'unsubscribe')).toMatchObject({ type: 'unsubscribed', event })
    service.feed([make('mint-last')])
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    client.close()
  },
)
