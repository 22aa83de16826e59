import { expect, test } from 'vitest'
import { newConnection, type Outlet } from '../../../../src/server/live/connection/connection.ts'
import { Topics } from '../../../../src/server/live/hub/topics.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'

/** A socket that keeps the names of the topics it is in, and every name it was told. */
function outlet() {
  const joined = new Set<string>()
  const told = new Set<string>()
  const socket: Outlet = {
    ...SILENT_OUTLET,
    subscribe: (topic) => joined.add(topic) && told.add(topic),
    unsubscribe: (topic) => joined.delete(topic),
  }
  const about = { id: 'me', isLocal: false, client: '9.9.9.9', isSocket: true, load: null }
  return { joined, told, connection: newConnection({ ...about, socket }, 0, 1000) }
}

/** Numbers behind a letter: of a text that a client chose the hash would be the client's choice too. */
const OWN_NAME = /^t\/\d+$/

test('a topic is never named by the text of a client: not that of a mint, a wallet, candles or a table', () => {
  const [one, other] = [outlet(), outlet()]
  const published: string[] = []
  const publish = (topic: string) => published.push(topic)
  const app = { publish }
  const topics = new Topics(
    app,
    () => {},
    () => {},
  )
  const mints = ['one', 'other', 't/1', '__proto__']
  for (const mint of mints) {
    topics.join(one.connection, `update_mint_info/${mint}`, 'plain')
    for (const topic of [`wallet_trades/${mint}`, `candles/1/${mint}`])
      topics.join(one.connection, topic)
  }
  for (const name of one.told) expect(name).toMatch(OWN_NAME)
  expect(one.told.size).toBe(3 * mints.length)
  // Who comes later is in the same topics.
  topics.join(other.connection, 'update_mint_info/t/1', 'plain')
  topics.join(other.connection, 'candles/1/one')
  expect([...other.joined].every((name) => one.joined.has(name))).toBe(true)
  const plain = () => topics.find('update_mint_info', 't/1')?.plain
  expect(other.joined.has(plain()?.name ?? '')).toBe(true)
  topics.publish('candles/1/one', '{}')
  expect(other.joined.has(published[0])).toBe(true)
  for (const topic of [...one.connection.topics]) topics.leave(one.connection, topic)
  expect([...one.joined]).toEqual([])
  expect(topics.has('update_mint_info/one')).toBe(false)
  expect(other.joined.has(plain()?.name ?? '')).toBe(true)
})

test('who leaves a topic leaves it in whichever form it was followed', () => {
  const { joined, connection } = outlet()
  const topics = new Topics(
    { publish: () => {} },
    () => {},
    () => {},
  )
  const topic = 'update_mint_info/one'
  for (const form of ['plain', 'numbered', 'extra'] as const) {
    topics.join(connection, topic, form)
    expect([...joined]).toEqual([topics.find('update_mint_info', 'one')?.[form]?.name])
    topics.leave(connection, topic)
  }
  expect([joined.size, topics.numberedCount, topics.countOf('update_mint_info', 'plain')]).toEqual([
    0, 0, 0,
  ])
})
