import {
  ensure,
  isRecord,
  type Json,
  keysAre,
  num,
  record,
  same,
  skipUnless,
  steady,
  text,
} from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { jsonHeaders, tablePath } from '../http.ts'
import { swapsPath } from '../paths.ts'
import { checkShape } from '../shape.ts'
import { connect, order, type Socket, withSocket } from '../socket.ts'
import { migrationEvent, swap, tokenSearchDetailed } from '../spec-tables.ts'
import { getPage } from '../walk.ts'

const test = about('live')

const tradeChannel = 'update_mint_info'

const on =
  (channel: string) =>
  (message: Json): boolean =>
    message.channel === channel

async function follow(world: World, socket: Socket): Promise<void> {
  const mints = (await world.known()).busiest.slice(0, 1000)
  socket.send(order(socket, tradeChannel, 'subscribe', { mints }))
  await socket.next((message) => message.type === 'subscribed')
}

async function waitFor(world: World, socket: Socket, channel: string): Promise<Json> {
  const message = await socket.maybe(on(channel), world.settings.liveSeconds * 1000)
  const reason = `no ${channel} in ${world.settings.liveSeconds} s: the market is still`
  skipUnless(message !== null, reason)
  return message
}

function checkTrade(message: Json, channel: string): Json {
  keysAre(message, ['channel', 'pool', 'data'], 'the message')
  same(message.channel, channel, 'channel')
  const data = record(message.data, 'data')
  checkShape(data, swap, 'data')
  same(message.pool, data.pool, 'pool')
  return data
}

async function inHistory(world: World, trade: Json): Promise<void> {
  const mint = text(trade, 'mint')
  const { items } = await getPage(world.http, swapsPath(mint, 'limit=200'))
  const twins = items.filter(
    (item) => item.signature === trade.signature && item.slot === trade.slot,
  )
  ensure(twins.length > 0, `the trade ${trade.signature} is not in the history of ${mint}`)
  const equal = twins.some((twin) => JSON.stringify(twin) === JSON.stringify(trade))
  if (!equal) same(trade, twins[0], 'the trade from the socket against the history')
}

const live = (sentence: string, work: (socket: Socket, world: World) => Promise<void>): Case =>
  test(sentence, (world) => withSocket(world.settings.ws, (socket) => work(socket, world)))

/** Channels that may stay silent for long: the shape is checked when something comes. */
const rare: [string, string[], (data: Json) => void][] = [
  ['mint_migration', ['channel', 'data'], (data) => checkShape(data, migrationEvent, 'data')],
  [
    'new_launched_pool',
    ['channel', 'pool', 'data'],
    (data) => checkShape(data, tokenSearchDetailed, 'data'),
  ],
]

const rareCases = rare.map(([channel, keys, check]) =>
  live(`a message of ${channel} has exactly its fields`, async (socket, world) => {
    socket.send(order(socket, channel, 'subscribe'))
    const message = await waitFor(world, socket, channel)
    keysAre(message, keys, 'the message')
    check(record(message.data, 'data'))
  }),
)

export const liveCases: Case[] = [
  live('trades of followed mints arrive with exactly the fields of Swap', async (socket, world) => {
    await follow(world, socket)
    const mints = new Set((await world.known()).busiest.slice(0, 1000))
    const trade = checkTrade(await waitFor(world, socket, tradeChannel), tradeChannel)
    ensure(mints.has(text(trade, 'mint')), `${trade.mint} was not followed`)
  }),
  live('a trade from the socket equals the one in the history', async (socket, world) => {
    await follow(world, socket)
    const trade = checkTrade(await waitFor(world, socket, tradeChannel), tradeChannel)
    await steady(() => inHistory(world, trade))
  }),
  live('a mint followed twice is delivered once', async (socket, world) => {
    await follow(world, socket)
    await follow(world, socket)
    await waitFor(world, socket, tradeChannel)
    const seen = new Set<string>()
    for (let i = 0; i < 20; i += 1) {
      const message = await socket.maybe(on(tradeChannel), 2000)
      if (message === null) return
      const key = JSON.stringify(message)
      ensure(!seen.has(key), `the trade came twice: ${key.slice(0, 200)}`)
      seen.add(key)
    }
  }),
  live('trades of a mint arrive in the order of the chain', async (socket, world) => {
    await follow(world, socket)
    await waitFor(world, socket, tradeChannel)
    const last = new Map<string, number>()
    for (let i = 0; i < 50; i += 1) {
      const message = await socket.maybe(on(tradeChannel), 2000)
      if (!message || !isRecord(message.data)) return
      const [mint, slot] = [text(message.data, 'mint'), num(message.data, 'slot')]
      ensure(slot >= (last.get(mint) ?? 0) - 32, `${mint}: slot ${slot} after ${last.get(mint)}`)
      last.set(mint, Math.max(slot, last.get(mint) ?? 0))
    }
  }),
  live('after unsubscribing no trade arrives', async (socket, world) => {
    await follow(world, socket)
    await waitFor(world, socket, tradeChannel)
    const mints = (await world.known()).busiest.slice(0, 1000)
    socket.send(order(socket, tradeChannel, 'unsubscribe', { mints }))
    await socket.next((message) => message.type === 'unsubscribed')
    same(await socket.maybe(on(tradeChannel), 1500), null, 'a trade after the ack')
  }),
  live('update_pools_info brings trades of the last table answer', async (socket, world) => {
    const channel = 'update_pools_info'
    socket.send(order(socket, channel, 'subscribe'))
    await socket.next((message) => message.type === 'subscribed')
    const headers = { ...jsonHeaders, 'x-socket-id': socket.id }
    const how = { method: 'POST', headers, body: '{"limit":200}' }
    const answer = await world.http.ask(tablePath, how)
    const trade = checkTrade(await waitFor(world, socket, channel), channel)
    ensure(answer.text.includes(text(trade, 'mint')), `${trade.mint} was not in the tables`)
  }),
  ...rareCases,
  test('two connections receive the same trade', async (world) => {
    const [one, two] = [await connect(world.settings.ws), await connect(world.settings.ws)]
    try {
      for (const socket of [two, one]) await follow(world, socket)
      const trade = await waitFor(world, one, tradeChannel)
      const twin = (message: Json): boolean => JSON.stringify(message) === JSON.stringify(trade)
      same(await two.next(twin, 3000), trade, 'the trade of the other connection')
    } finally {
      for (const socket of [one, two]) socket.close()
    }
  }),
]
