import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { isRecord } from '../../../../src/base/json-access.ts'
import type { FeedEvent } from '../../../../src/events/event.ts'
import { TableCopy } from '../../../model/live-copies.ts'
import { price, START_SECOND } from '../../../oracle/fixtures.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { born, trade } from '../../told-events.ts'

/** Limits of the server, private to their files. */
const TABLES_EVERY_MS = 250

const MINTS = Array.from({ length: 50 }, (_, n) => `Mint${n}`)
/** Different tables of nearly the same rows: what changes of all of them passes what a system holds for a socket. */
const LIMITS = [41, 42, 43, 44, 45, 46, 47, 48, 49, 50] as const
/** What would be too much, would it be told. */
const ROUNDS_MORE = 4
/** As long as a link can be. */
const LINK = `https://${'l'.repeat(500)}`

let service: EngineServer
afterEach(() => service.server.stop())

const figures = () => service.server.readiness().fields

/** Something changes in every row, and the tables are told anew. */
async function changeAll(): Promise<void> {
  service.feed(MINTS.map((mint) => trade({ mint })))
  await sleep(TABLES_EVERY_MS)
}

function wideRows(): FeedEvent[] {
  const links = { image: LINK, website: LINK, twitter: LINK, telegram: LINK }
  return MINTS.flatMap((mint, txIndex) => [
    born(mint, { txIndex }),
    { type: 'metadata', timestamp: START_SECOND, mint, ...links },
  ])
}

const filterOf = (limit: number) => ({ type: 'new', limit })

/** Follows the tables; the names of them by their limits. */
async function followAll(client: LiveClient): Promise<Map<unknown, number>> {
  const limits = new Map<unknown, number>()
  for (const limit of LIMITS) {
    const data = { action: 'subscribe', id: 'me', filter: filterOf(limit) }
    const subscribed = await client.ask({ event: 'meme_tables', data })
    limits.set(isRecord(subscribed) ? subscribed.table : null, limit)
    expect(await client.next()).toMatchObject({ type: 'snapshot' })
  }
  return limits
}

/** What a client makes of all frames of a table, and how many of them were whole tables. */
function madeOf(frames: readonly unknown[], table: unknown): { json: string; snapshots: number } {
  const own = frames.filter(isRecord).filter((frame) => frame.table === table && 'channel' in frame)
  const copy = new TableCopy()
  for (const frame of own) copy.take(JSON.stringify(frame))
  return { json: copy.json, snapshots: own.filter(({ type }) => type === 'snapshot').length }
}

async function answerOf(limit: number): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify(filterOf(limit)) }
  return JSON.stringify(await service.json('/api/v2/meme', post))
}

test('who reads slower than tables change gets a whole table instead of changes of long ago, and is not cut off', async () => {
  service = await EngineServer.start()
  service.feed([price(187.61), ...wideRows()])
  const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
  const limits = await followAll(client)
  client.socket.pause()
  const isOver = () => figures().live_slow_readers_total !== 0
  while (figures().live_lagging_tables !== LIMITS.length && !isOver()) await changeAll()
  const published = figures().live_published_total
  for (let round = 0; round < ROUNDS_MORE; round += 1) await changeAll()
  expect(figures()).toMatchObject({ live_slow_readers_total: 0, live_published_total: published })
  client.socket.resume()
  await expect.poll(figures).toMatchObject({ live_lagging_tables: 0 })
  await changeAll()
  for (const [table, limit] of limits) {
    const json = await answerOf(limit)
    await expect.poll(() => madeOf(client.received, table)).toMatchObject({ json })
    expect(madeOf(client.received, table).snapshots).toBeGreaterThan(1)
  }
  client.close()
})
