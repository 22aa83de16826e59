import { expect, test } from 'vitest'
import { newConnection, type Outlet } from '../../../../src/server/live/connection/connection.ts'
import { Subscriptions } from '../../../../src/server/live/hub/subscriptions.ts'
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
const OWN_NAME = /^[mn]\/\d+$/

test('a topic is never named by the text of a client: not that of a mint, a wallet, candles or a table', () => {
  const [one, other] = [outlet(), outlet()]
  const published: string[] = []
  const publish = (topic: string) => published.push(topic)
  const app = { ws: () => {}, publish }
  const topics = new Topics(
    app,
    () => {},
    () => {},
  )
  const subscriptions = new Subscriptions()
  const mints = ['one', 'other', 'm/1', 'n/1', '__proto__']
  for (const mint of mints) {
    subscriptions.follow(one.connection, mint)
    for (const topic of [`update_mint_info/${mint}`, `wallet_trades/${mint}`, `candles/1/${mint}`])
      topics.join(one.connection, topic)
  }
  for (const name of one.told) expect(name).toMatch(OWN_NAME)
  expect(one.told.size).toBe(4 * mints.length)
  // Who comes later is in the same topics.
  subscriptions.follow(other.connection, 'm/1')
  topics.join(other.connection, 'candles/1/one')
  expect([...other.joined].every((name) => one.joined.has(name))).toBe(true)
  expect(other.joined.has(subscriptions.followersOf('m/1')?.topic ?? '')).toBe(true)
  topics.publish('candles/1/one', '{}')
  expect(other.joined.has(published[0])).toBe(true)
  for (const mint of mints) subscriptions.unfollow(one.connection, mint)
  for (const topic of [...one.connection.topics]) topics.leave(one.connection, topic)
  expect([...one.joined]).toEqual([])
  expect(subscriptions.followersOf('one')).toBe(null)
  expect(other.joined.has(subscriptions.followersOf('m/1')?.topic ?? '')).toBe(true)
})
