import { afterEach, beforeEach, expect, test } from 'vitest'
import { Mintfeed, type TablesUpdate } from '../../client/src/mintfeed.ts'
import { created } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { gathered } from './gathered.ts'

/** Tables that the service lets a connection follow. */
const TABLES_MAX = 10

let service: EngineServer
let client: Mintfeed
beforeEach(async () => {
  service = await EngineServer.start()
  client = new Mintfeed(service.server.url, { backoff: { firstMs: 1, longestMs: 8 } })
})
afterEach(async () => {
  client.close()
  await service.server.stop()
})

let births = 0
function bear(mint: string): void {
  births += 1
  service.feed([created({ slot: births, mint, signature: `create ${mint}` })])
}

/** Waits for a token in the newest state, and fails without it. */
async function expectToShow(updates: readonly TablesUpdate[], mint: string): Promise<void> {
  const isShown = () => {
    const update = updates.at(-1)
    return update?.kind === 'tables' && update.tables.new?.some((row) => row.mint === mint) === true
  }
  await waitUntil(isShown)
  expect(isShown(), `${mint} in ${JSON.stringify(updates.at(-1))}`).toBe(true)
}

/** What was asked for before has been sent; the answer has not come. */
const sent = () => Promise.resolve()

let questions = 0
/** The service has answered everything that was sent before. */
async function answered(): Promise<void> {
  questions += 1
  const question = client.live.trades(`question ${questions}`)
  await question.next()
  question.close()
}

/** Tables that the service computes for anybody. */
const computed = () => service.server.readiness().fields.live_tables

test('a table goes on when an equal one in other words is closed before it was asked for', async () => {
  const updates = gathered(client.live.tables({}))
  await waitUntil(() => updates.length > 0)
  client.live.tables({ type: 'all' }).close()
  await answered()
  bear('A')
  await expectToShow(updates, 'A')
})

test('a table goes on when an equal one in other words is closed before it was answered', async () => {
  const updates = gathered(client.live.tables({}))
  await waitUntil(() => updates.length > 0)
  const equal = client.live.tables({ type: 'all' })
  await sent()
  equal.close()
  await answered()
  bear('A')
  await expectToShow(updates, 'A')
})

test('a table begins and goes on when an equal one in other words is closed before its answer', async () => {
  const first = client.live.tables({})
  await first.next()
  const updates = gathered(client.live.tables({ type: 'all' }))
  await sent()
  first.close()
  await waitUntil(() => updates.length > 0)
  bear('A')
  await expectToShow(updates, 'A')
})

test('equal tables that are closed one by one end on the service with the last', async () => {
  client.live.trades('the connection stays')
  const first = client.live.tables({})
  const second = client.live.tables({ type: 'all' })
  await sent()
  first.close()
  await second.next()
  const third = client.live.tables({ newPools: {} })
  await third.next()
  second.close()
  await answered()
  expect(computed()).toBe(1)
  third.close()
  await waitUntil(() => computed() === 0)
  expect(computed()).toBe(0)
})

test('a table that is closed before its answer ends on the service, another that is asked for stays', async () => {
  const first = client.live.tables({ limit: 1 })
  await first.next()
  const second = client.live.tables({ limit: 2 })
  const third = client.live.tables({ limit: 3 })
  await sent()
  first.close()
  second.close()
  await third.next()
  await waitUntil(() => computed() === 1)
  expect(computed()).toBe(1)
})

test('a table takes the place of one that is closed while another is asked for', async () => {
  const tables = Array.from({ length: TABLES_MAX - 1 }, (_, i) =>
    client.live.tables({ limit: i + 1 }),
  )
  for (const table of tables) await table.next()
  const asked = client.live.tables({ limit: TABLES_MAX })
  await sent()
  tables[0].close()
  const last = client.live.tables({ limit: TABLES_MAX + 1 })
  expect((await last.next()).value).toMatchObject({ kind: 'tables' })
  expect((await asked.next()).value).toMatchObject({ kind: 'tables' })
  expect(computed()).toBe(TABLES_MAX)
  expect(client.live.status.connections).toBe(1)
})
