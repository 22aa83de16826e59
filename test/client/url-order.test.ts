import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ClientOptions, Mintfeed, type Move } from '../../client/src/mintfeed.ts'
import { type FetchAnswer, settingsOf, URLS_MAX } from '../../client/src/options.ts'
import { LateSocket } from './late-socket.ts'

const URLS = ['http://a.example', 'http://b.example', 'http://c.example'] as const
const STARTING = '{"type":"error","code":"starting","message":"m"}'
/** What each url says to `/readyz`: status, epoch, position. */
type Said = Readonly<Record<string, readonly [number, string, number] | null>>

let sockets: { readonly host: string; readonly socket: LateSocket }[] = []
let moves: Move[] = []
let looks: string[] = []
let said: Said = {}
let client: Mintfeed

const hosts = () => sockets.map(({ host }) => host).join('')
const newest = () => sockets[sockets.length - 1].socket
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

async function opened(): Promise<void> {
  await later(1)
  newest().open()
}

function follow(urls: readonly string[], options: ClientOptions = {}): void {
  client = new Mintfeed(urls, {
    openSocket: (url) => {
      const socket = new LateSocket()
      sockets.push({ host: new URL(url).hostname[0], socket })
      return socket
    },
    fetch: (url) => {
      looks.push(url)
      const answer = said[new URL(url).hostname[0]] ?? null
      return answer === null
        ? Promise.reject(new Error('not there'))
        : Promise.resolve(told(answer))
    },
    random: () => 1,
    ...options,
  })
  client.live.onMove((move) => moves.push(move))
  void client.live.trades('A', { snapshot: false })
}

function told([status, epoch, position]: readonly [number, string, number]): FetchAnswer {
  const headers = new Map([
    ['x-mintfeed-epoch', epoch],
    ['x-mintfeed-seq', String(position)],
  ])
  const get = (name: string) => headers.get(name) ?? null
  return { status, headers: { get }, text: () => Promise.resolve('') }
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
})

afterEach(() => {
  client.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  sockets = []
  moves = []
  looks = []
  said = {}
})

test('each url is tried once in its order without a wait, then all are waited for', async () => {
  follow(URLS, { backoff: { firstMs: 1_000, longestMs: 60_000 } })
  const failAll = async () => {
    for (const _ of URLS) {
      newest().fail()
      await later(0)
    }
  }
  await failAll()
  expect(hosts()).toBe('abc')
  await later(999)
  expect(hosts()).toBe('abc')
  await later(1)
  expect(hosts()).toBe('abca')
  await failAll()
  expect(hosts()).toBe('abcabc')
  await later(1_999)
  expect(hosts()).toBe('abcabc')
  await later(1)
  expect(hosts()).toBe('abcabca')
  expect(moves).toEqual([])
})

test('one that takes long to open is given up after 3 s where another is left, and then has its time', async () => {
  follow(URLS.slice(0, 2), { requestTimeoutMs: 30_000 })
  await later(4_100)
  expect(hosts()).toBe('ab')
  await later(29_000)
  expect(hosts()).toBe('ab')
})

test('a connection that worked moves to the next url at once, again and again, and tells where it is', async () => {
  follow(URLS.slice(0, 2))
  expect(client.replica).toBe(URLS[0])
  newest().open()
  for (const [at, how] of ['lost', 'restart', 'lost'].entries()) {
    await later(6_000)
    newest().breakOff(how === 'restart' ? { code: 1012, reason: 'restart' } : {})
    await later(0)
    expect(hosts()).toBe('abab'.slice(0, at + 2))
    newest().open()
    expect(client.replica).toBe(URLS[(at + 1) % 2])
  }
  expect(moves.map(({ from, to }) => `${from} ${to}`)).toEqual([
    `${URLS[0]} ${URLS[1]}`,
    `${URLS[1]} ${URLS[0]}`,
    `${URLS[0]} ${URLS[1]}`,
  ])
  expect(moves[1].reason).toMatchObject({ code: 'network', message: expect.stringMatching(/1012/) })
})

test.each([1009, 4008, 4009, 4010])(
  'a connection that is closed with %i, for what the client did, comes back to the same url after a wait',
  async (code) => {
    follow(URLS.slice(0, 2), { backoff: { firstMs: 1_000 } })
    newest().open()
    await later(6_000)
    newest().breakOff({ code })
    await later(999)
    expect(hosts()).toBe('a')
    await later(1)
    expect(hosts()).toBe('aa')
  },
)

test('a replica that starts is left for the next, and asked again each second when all of them start', async () => {
  follow(URLS.slice(0, 2))
  const subscriptions = () => newest().sent.filter((text) => text.includes('subscribe')).length
  newest().open()
  await later(0)
  newest().say(STARTING)
  await later(0)
  expect(hosts()).toBe('ab')
  newest().open()
  await later(0)
  newest().say(STARTING)
  expect(subscriptions()).toBe(1)
  await later(1_000)
  expect(subscriptions()).toBe(2)
  expect(hosts()).toBe('ab')
})

test('of several that are ready the one that is furthest ahead is taken, and the equal ones are kept', async () => {
  said = { a: [503, 'e1', 10], b: [200, 'e1', 20], c: [200, 'e1', 30] }
  follow(URLS)
  await opened()
  await later(5_000)
  expect(moves).toMatchObject([{ to: URLS[2], reason: { code: 'not_ready' } }])
  await opened()
  said = { a: [200, 'e1', 60], b: [200, 'e1', 60], c: [200, 'e1', 59] }
  await later(5_000)
  // It has what the others had at the look before.
  said = { a: [200, 'e1', 90], b: [200, 'e1', 90], c: [200, 'e1', 60] }
  await later(5_000)
  expect(moves).toHaveLength(1)
  said = { a: [200, 'e1', 120], b: [200, 'e1', 121], c: [200, 'e1', 89] }
  await later(5_000)
  expect(moves).toMatchObject([{}, { to: URLS[1], reason: { code: 'lagging' } }])
  expect(hosts()).toBe('acb')
})

test.each([
  ['a replica of another epoch', [200, 'e2', 900]],
  ['one that is not ready', [503, 'e1', 900]],
  ['one that is not there', null],
  ['what is no service', [404, 'e1', 900]],
] as const)('%s is no reason to leave one that lags', async (_, other) => {
  said = { a: [200, 'e1', 10], b: other }
  follow(URLS.slice(0, 2))
  newest().open()
  await later(20_000)
  expect(moves).toEqual([])
})

test('a replica of another epoch is better than one that is not ready, and worse than one of the same', async () => {
  said = { a: [503, 'e1', 10], b: [200, 'e2', 900], c: [200, 'e1', 9] }
  follow(URLS)
  await opened()
  await later(5_000)
  expect(client.replica).toBe(URLS[2])
  await opened()
  said = { a: [503, 'e1', 10], b: [200, 'e2', 900], c: [503, 'e1', 9] }
  await later(5_000)
  expect(client.replica).toBe(URLS[1])
})

test('where a connection is lost, urls that were not ready or of another epoch are tried last', async () => {
  said = { a: [200, 'e1', 10], b: [503, 'e1', 10], c: [200, 'e1', 10] }
  follow(URLS)
  newest().open()
  await later(5_500)
  newest().breakOff()
  await opened()
  expect(hosts()).toBe('ac')
  said = { a: [200, 'e2', 10], b: [200, 'e1', 10], c: [200, 'e1', 10] }
  await later(5_500)
  newest().breakOff()
  await opened()
  expect(hosts()).toBe('acb')
  newest().breakOff()
  await opened()
  expect(hosts()).toBe('acba')
})

test('a replica whose /readyz is out of reach is left once nothing comes of it', async () => {
  const fetch = async (url: string) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if (url.startsWith(URLS[0])) throw new Error('not there')
    return told([200, 'e1', 10])
  }
  follow(URLS.slice(0, 2), { fetch })
  newest().open()
  for (let look = 0; look < 4; look += 1) {
    await later(5_500)
    newest().say('{"type":"ping"}')
    await later(500)
  }
  expect(moves).toEqual([])
  await later(6_000)
  expect(moves).toMatchObject([{ to: URLS[1], reason: { code: 'silent' } }])
})

test('replicas are looked at every 5 s while something is followed, one url never', async () => {
  said = { a: [200, 'e1', 10], b: [200, 'e1', 10] }
  follow(URLS.slice(0, 2))
  await later(15_000)
  expect(looks).toEqual([
    ...[`${URLS[0]}/readyz`, `${URLS[1]}/readyz`],
    ...[`${URLS[0]}/readyz`, `${URLS[1]}/readyz`],
    ...[`${URLS[0]}/readyz`, `${URLS[1]}/readyz`],
  ])
  client.close()
  await later(15_000)
  expect(looks).toHaveLength(6)
  follow([URLS[0]])
  await later(15_000)
  expect(looks).toHaveLength(6)
})

test('urls are taken once each, in their order, and no more than 16', () => {
  client = new Mintfeed(URLS[0])
  const urls = (given: string | readonly string[]) =>
    settingsOf(given, {}).addresses.map(({ url }) => url)
  expect(urls('http://a/')).toEqual(['http://a'])
  expect(urls(['http://a/', '', 'http://b', 'http://a'])).toEqual(['http://a', 'http://b'])
  expect(urls([])).toEqual([''])
  const many = Array.from({ length: 40 }, (_, at) => `http://h${at}`)
  expect(urls(many)).toEqual(many.slice(0, URLS_MAX))
  const liveUrl = ['ws://x/live']
  expect(settingsOf(['http://a', 'https://b'], { liveUrl }).addresses).toEqual([
    { url: 'http://a', liveUrl: 'ws://x/live' },
    { url: 'https://b', liveUrl: 'wss://b/ws' },
  ])
})
