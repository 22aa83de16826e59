import { afterEach, expect, test } from 'vitest'
import { isObject } from '../../src/wire/requests/json-body.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'

let service: EngineServer
afterEach(() => service.server.stop())

/** A browser's EventSource, as far as it matters: messages with their ids. */
class EventReader {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body?.getReader()
  }

  static async open(query: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return new EventReader(await fetch(`${service.server.url}/api/v2/stream?${query}`, { headers }))
  }

  /** The next message; comments are passed over. */
  async next(): Promise<{ id: string | null; frame: unknown }> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n')
        this.#text = this.#text.slice(end + 2)
        const data = lines.find((line) => line.startsWith('data: '))
        const id = lines.find((line) => line.startsWith('id: ')) ?? null
        if (data !== undefined)
          return { id: id?.slice(4) ?? null, frame: JSON.parse(data.slice(6)) }
        continue
      }
      const { value, done } = (await this.#reader?.read()) ?? { done: true }
      if (done) throw new Error('the stream has ended')
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  close(): Promise<void> | undefined {
    return this.#reader?.cancel()
  }
}

const trade = (i: number) =>
  swap({ mint: 'A', slot: 10 + i, txIndex: 0, signature: `s${i}`, timestamp: START_SECOND + i })

test('trades come as events whose id is where a browser goes on', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0), trade(1)])
  const reader = await EventReader.open('channel=update_mint_info&mint=A')
  const { status, headers } = reader.response
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(headers.get('x-mintfeed-epoch')).toBe('e1')
  expect((await reader.next()).frame).toMatchObject({ type: 'subscribed', seq: 2 })
  service.feed([trade(2)])
  const live = await reader.next()
  expect(live).toMatchObject({ id: 'e1/3', frame: { seq: 3, data: { signature: 's2' } } })
  await reader.close()
  service.feed([trade(3)])
  const again = await EventReader.open('channel=update_mint_info&mint=A', {
    'last-event-id': live.id ?? '',
  })
  expect((await again.next()).frame).toMatchObject({ type: 'subscribed', seq: 3 })
  expect(await again.next()).toMatchObject({ id: 'e1/4', frame: { seq: 4 } })
  await again.close()
  const old = await EventReader.open('channel=update_mint_info&mint=A', { 'last-event-id': 'e0/3' })
  expect((await old.next()).frame).toMatchObject({ type: 'resync', reason: 'epoch_changed' })
  expect((await old.next()).frame).toMatchObject({ type: 'subscribed' })
  expect(await old.next()).toMatchObject({ id: 'e1/4', frame: { type: 'snapshot', seq: 4 } })
  await old.close()
})

test('tables and candles come as events too', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' }), trade(0)])
  const filter = encodeURIComponent(JSON.stringify({ type: 'new' }))
  const table = await EventReader.open(`channel=meme_tables&filter=${filter}`)
  expect((await table.next()).frame).toMatchObject({ type: 'subscribed', event: 'meme_tables' })
  expect(await table.next()).toMatchObject({ id: null, frame: { type: 'snapshot', step: 1 } })
  const candles = await EventReader.open('channel=candles&mint=A&resolution=1S&countback=3')
  await candles.next()
  expect((await candles.next()).frame).toMatchObject({ data: { t: [START_SECOND] } })
  service.feed([trade(1)])
  expect((await table.next()).frame).toMatchObject({ type: 'delta', step: 2 })
  expect((await candles.next()).frame).toMatchObject({ data: { t: [START_SECOND + 1] } })
  await table.close()
  await candles.close()
})

test.each([
  ['', 'channel'],
  ['channel=update_pools_info', 'channel'],
  ['channel=nope', 'channel'],
  ['channel=update_mint_info', 'mint'],
  ['channel=update_mint_info&mint=A&from_seq=x', 'from_seq'],
  ['channel=update_mint_info&mint=A&mint=B', 'mint'],
  ['channel=meme_tables&filter={', 'filter'],
  ['channel=candles&mint=A&resolution=7', 'resolution'],
])('the query "%s" is a 400 that names %s', async (query, path) => {
  service = await EngineServer.start()
  const response = await fetch(`${service.server.url}/api/v2/stream?${query}`)
  expect(response.status).toBe(400)
  const body: unknown = await response.json()
  expect(isObject(body) && body.details).toMatchObject([{ path }])
})

test('HEAD and other methods of the stream are answered like those of any route', async () => {
  service = await EngineServer.start()
  const url = `${service.server.url}/api/v2/stream`
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(405)
})

test('a stream that is not read is ended, others get everything', async () => {
  service = await EngineServer.start()
  service.feed([created({ slot: 1, mint: 'A' })])
  const query = 'channel=update_mint_info&mint=A'
  const slow = await EventReader.open(query)
  const quick = await EventReader.open(query)
  await slow.next()
  await quick.next()
  const wanted = 15_000
  let seen = 0
  for (let i = 0; i < wanted; i += 200) {
    service.feed(Array.from({ length: 200 }, (_, k) => trade(i + k)))
    while (seen < i + 200) expect((await quick.next()).frame).toMatchObject({ seq: ++seen })
  }
  await expect(
    (async () => {
      for (let i = 0; i < wanted; i += 1) await slow.next()
    })(),
  ).rejects.toThrow()
  await quick.close()
}, 30_000)
