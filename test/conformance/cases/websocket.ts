import { ensure, keysAre, record, same, text } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { nonsense, strangerMint, strangerMints } from '../paths.ts'
import {
  connect,
  feedUrl,
  freshId,
  order,
  type Socket,
  upgradeStatus,
  withSocket,
} from '../socket.ts'

const test = about('websocket')

const over = (sentence: string, work: (socket: Socket, world: World) => Promise<void>): Case =>
  test(sentence, (world) => withSocket(world.settings.ws, (socket) => work(socket, world)))

const isAnswer = (message: Record<string, unknown>): boolean =>
  message.channel === undefined && message.type !== 'ping'

const answer = (socket: Socket) => socket.next(isAnswer)

async function checkRefused(socket: Socket, what: string): Promise<void> {
  const got = await answer(socket)
  same(got.type, 'error', `${what}: the type of the answer ${JSON.stringify(got)}`)
  keysAre(got, ['type', 'code', 'message'], what)
  ensure(text(got, 'code') !== '' && text(got, 'message') !== '', `${what}: an empty error`)
}

async function checkAlive(socket: Socket): Promise<void> {
  socket.send(order(socket, 'mint_migration', 'subscribe'))
  same(await answer(socket), { type: 'subscribed', event: 'mint_migration' }, 'a later ack')
}

const mint = 'update_mint_info'

const many = (count: number, name = 'Mint'): string[] => strangerMints(count, name)

const upgrades: [string, string, number][] = [
  ['without id', '', 400],
  ['with an empty id', '?id=', 400],
  ['with an id of 129 characters', `?id=${'a'.repeat(129)}`, 400],
  ['with an id that is invalid UTF-8', '?id=%FF', 400],
  ['with an id of 128 characters', `?id=${'a'.repeat(128)}`, 101],
  ['with an id of 128 encoded characters', `?id=${'%C3%A9'.repeat(128)}`, 101],
  ['with other parameters beside the id', '?colour=red&id=abc', 101],
]

const upgradeCases = upgrades.map(([what, query, status]) =>
  test(`an upgrade ${what} answers ${status}`, async ({ settings }) => {
    const got = await upgradeStatus(feedUrl(settings.ws, query))
    same(got.status, status, `the status (${got.body})`)
  }),
)

type Frame = [string, (socket: Socket) => void]

const sends = (what: string, build: (socket: Socket) => unknown): Frame => [
  what,
  (socket) => socket.send(build(socket)),
]

const raw = (what: string, frame: string | Buffer, binary = false): Frame => [
  what,
  (socket) => socket.sendRaw(frame, binary),
]

const badFrames: Frame[] = [
  raw('invalid JSON', '{"event":'),
  raw('an empty frame', ''),
  raw('a word', 'hello'),
  raw('an array', '[]'),
  raw('a number', '5'),
  raw('null', 'null'),
  raw('a string', '"subscribe"'),
  raw('an empty object', '{}'),
  raw('a binary frame', Buffer.from([1, 2, 3]), true),
  raw('a binary frame of JSON', Buffer.from('{"type":"x"}'), true),
  raw('deep nesting', '['.repeat(20_000)),
  sends('an unknown event', (socket) => order(socket, 'mint_burn', 'subscribe')),
  sends('an event of a prototype', (socket) => order(socket, '__proto__', 'subscribe')),
  sends('an unknown action', (socket) => order(socket, 'mint_migration', 'watch')),
  sends('another id', () => ({ event: mint, data: { action: 'subscribe', id: 'x', mint: 'M' } })),
  sends('no id', () => ({ event: 'mint_migration', data: { action: 'subscribe' } })),
  sends('no action', (socket) => ({ event: 'mint_migration', data: { id: socket.id } })),
  sends('no data', () => ({ event: 'mint_migration' })),
  sends('data null', () => ({ event: 'mint_migration', data: null })),
  sends('data as an array', () => ({ event: 'mint_migration', data: [] })),
  sends('no event', (socket) => ({ data: { action: 'subscribe', id: socket.id } })),
  sends('a numeric event', (socket) => ({
    event: 5,
    data: { action: 'subscribe', id: socket.id },
  })),
  sends('a numeric id', () => ({ event: 'mint_migration', data: { action: 'subscribe', id: 5 } })),
  sends('no mint', (socket) => order(socket, mint, 'subscribe')),
  sends('an empty mint', (socket) => order(socket, mint, 'subscribe', { mint: '' })),
  sends('a numeric mint', (socket) => order(socket, mint, 'subscribe', { mint: 5 })),
  sends('mints as a string', (socket) => order(socket, mint, 'subscribe', { mints: 'M' })),
  sends('mints with a number', (socket) =>
    order(socket, mint, 'subscribe', { mints: [strangerMint, 5] }),
  ),
  ...nonsense.map((text) =>
    sends(`${text} as a mint`, (socket) => order(socket, mint, 'subscribe', { mint: text })),
  ),
  sends('mints with one that is none', (socket) =>
    order(socket, mint, 'subscribe', { mints: [strangerMint, nonsense[0]] }),
  ),
  sends('an unsubscribe without mint', (socket) => order(socket, mint, 'unsubscribe')),
  sends('an unknown type', () => ({ type: 'hello' })),
]

const badCases = badFrames.map(([what, send]) =>
  over(`${what} gets an error frame and the connection stays`, async (socket) => {
    send(socket)
    await checkRefused(socket, what)
    await checkAlive(socket)
  }),
)

const subscribed = (mints: string[]) => ({ type: 'subscribed', event: mint, mints })

const channels = ['mint_migration', 'new_launched_pool', 'update_pools_info']

const channelCases = channels.map((event) =>
  over(`${event} is subscribed and unsubscribed, twice without harm`, async (socket) => {
    for (const action of ['subscribe', 'subscribe', 'unsubscribe', 'unsubscribe']) {
      socket.send(order(socket, event, action))
      same(await answer(socket), { type: `${action}d`, event }, `the ack of ${action}`)
    }
  }),
)

async function checkLimit(socket: Socket): Promise<void> {
  const most = many(999)
  const [one, two, three, four] = many(4, 'More')
  socket.send(order(socket, mint, 'subscribe', { mints: most }))
  same(await answer(socket), subscribed(most), 'the ack of 999')
  socket.send(order(socket, mint, 'subscribe', { mints: [one, two] }))
  await checkRefused(socket, 'a message past 1,000')
  socket.send(order(socket, mint, 'subscribe', { mint: three }))
  const last = await answer(socket)
  same(last, { type: 'subscribed', event: mint, mint: three }, 'the ack of the 1,000th')
  socket.send(order(socket, mint, 'subscribe', { mint: four }))
  await checkRefused(socket, 'the 1,001st')
  socket.send(order(socket, mint, 'subscribe', { mints: [three, most[5]] }))
  same(await answer(socket), subscribed([three, most[5]]), 'the ack of known mints at the limit')
  socket.send(order(socket, mint, 'unsubscribe', { mint: most[5] }))
  await answer(socket)
  socket.send(order(socket, mint, 'subscribe', { mint: four }))
  same((await answer(socket)).type, 'subscribed', 'after one was given up')
}

export const websocketCases: Case[] = [
  ...upgradeCases,
  test('the path / works as /ws does', async ({ settings }) => {
    const socket = await connect(settings.ws, freshId(), '/')
    await checkAlive(socket)
    socket.close()
  }),
  test('several connections may share an id', async ({ settings }) => {
    const sockets = [await connect(settings.ws, 'shared'), await connect(settings.ws, 'shared')]
    for (const socket of sockets) await checkAlive(socket)
    for (const socket of sockets) socket.close()
  }),
  ...channelCases,
  over('a mint is subscribed and unsubscribed, twice without harm', async (socket) => {
    for (const action of ['subscribe', 'subscribe', 'unsubscribe', 'unsubscribe']) {
      socket.send(order(socket, mint, action, { mint: strangerMint }))
      const expected = { type: `${action}d`, event: mint, mint: strangerMint }
      same(await answer(socket), expected, `the ack of ${action}`)
    }
  }),
  over('a batch of mints is acknowledged once', async (socket) => {
    const mints = many(100)
    for (const action of ['subscribe', 'unsubscribe']) {
      socket.send(order(socket, mint, action, { mints }))
      same(await answer(socket), { type: `${action}d`, event: mint, mints }, `${action}`)
    }
    same(await socket.maybe(isAnswer, 300), null, 'a second ack')
  }),
  over('1,000 mints are followed, a message past them is refused whole', checkLimit),
  over('1,001 mints in one message are refused whole', async (socket) => {
    socket.send(order(socket, mint, 'subscribe', { mints: many(1001) }))
    await checkRefused(socket, '1,001 mints')
    socket.send(order(socket, mint, 'subscribe', { mints: many(1000, 'More') }))
    same((await answer(socket)).type, 'subscribed', '1,000 others after it')
  }),
  ...badCases,
  over('a frame past 64 KiB closes with 1009', async (socket) => {
    socket.sendRaw(JSON.stringify({ event: 'x'.repeat(64 * 1024) }))
    same(await socket.closing(5000), 1009, 'the close code')
  }),
  over('a frame of 64 KiB is read', async (socket) => {
    const padded = JSON.stringify(order(socket, 'mint_migration', 'subscribe'))
    socket.sendRaw(padded.padEnd(64 * 1024))
    same(record(await answer(socket), 'the ack').type, 'subscribed', 'the answer')
  }),
  over('a pong is accepted in silence', async (socket) => {
    socket.send({ type: 'pong' })
    await checkAlive(socket)
  }),
  over('300 messages in a row are all answered: they are not counted', async (socket) => {
    const mints = many(300, 'Row')
    for (const one of mints) socket.send(order(socket, mint, 'subscribe', { mint: one }))
    for (const one of mints) same((await answer(socket)).mint, one, `the ack of ${one}`)
  }),
]
