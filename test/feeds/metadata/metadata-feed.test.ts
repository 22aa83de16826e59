import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { makeSideFeeds } from '../../../src/app/feeds/feed-list.ts'
import { THRESHOLDS } from '../../../src/base/thresholds.ts'
import type { FeedEvent, Metadata } from '../../../src/events/event.ts'
import { MetadataFeed } from '../../../src/feeds/metadata/metadata-feed.ts'
import { tokenState } from '../../oracle/fixtures.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { until } from '../until.ts'
import { FakeInternet, PUBLIC } from './fake-internet.ts'

const CID = 'QmNXRiSFc83i6ZJvS56kBobFpj7bUAN2b7mRE18tpiSpZe'
const MINT = 'BzqYzBGydDrwjnYVtWfupr8GFoSxpCQdTkjRppBKpump'
const SECONDS = 1_790_000_000

let internet: FakeInternet
let feed: MetadataFeed
let sink: CollectingSink
let running: Promise<void>
let nowMs = SECONDS * 1_000

beforeEach(async () => {
  nowMs = SECONDS * 1_000 + 750
  internet = await FakeInternet.open()
  const { resolve, dial } = internet
  const gateways = ['https://one.hosts.test', 'https://two.hosts.test']
  feed = new MetadataFeed({
    gateways,
    resolve,
    dial,
    totalMs: 5_000,
    clockMs: () => nowMs,
    dexEveryMs: 20,
  })
  sink = new CollectingSink()
  running = feed.start(sink)
})

afterEach(async () => {
  feed.stop()
  await running
  expect(internet.privateDials).toEqual([])
  await internet.close()
})

function created(mint: string, uri: string): FeedEvent {
  return {
    type: 'token_created',
    slot: 1,
    txIndex: 0,
    ordinal: 0,
    signature: `of ${mint}`,
    timestamp: SECONDS,
    mint,
    name: '',
    symbol: '',
    uri,
    creator: 'creator',
    bondingCurve: 'curve',
    tokenProgram: 'program',
    isMayhemMode: false,
    virtualBaseRaw: 1n,
    virtualQuoteRaw: 1n,
    realBaseRaw: 1n,
  }
}

function migrated(mint: string): FeedEvent {
  const position = { slot: 1, txIndex: 0, ordinal: 0, signature: mint, timestamp: SECONDS }
  return { type: 'migrated', ...position, mint, bondingCurve: 'curve', poolAmm: 'pool' }
}

function traded(mint: string): FeedEvent {
  const position = { slot: 1, txIndex: 0, ordinal: 0, signature: mint, timestamp: SECONDS }
  return {
    type: 'swap',
    ...position,
    ...{ source: 'pump', mint, pool: 'curve', signer: 'signer', direction: 'buy' },
    ...{ baseRaw: 1n, quoteRaw: 1n, virtualBaseRaw: 1n, virtualQuoteRaw: 1n },
    ...{ realBaseRaw: 10n ** 15n, realQuoteRaw: 1n, platformFeeRaw: 0n, creatorFeeRaw: 0n },
  }
}

function told(): Metadata[] {
  return sink.all.filter((event) => event.type === 'metadata')
}

test('the texts of a created token become an event like all others', async () => {
  const texts = { description: 'A toad', twitter: 'https://x.com/toad' }
  internet.json('a.hosts.test/toad.json', { ...texts, name: 'Toad', attributes: [{ a: 1 }] })
  feed.observe([created(MINT, 'https://a.hosts.test/toad.json')])
  await until(() => told().length === 1)
  expect(told()).toEqual([{ type: 'metadata', timestamp: SECONDS, mint: MINT, ...texts }])
})

test('a clock of the machine that is set back by an hour holds no host up', async () => {
  const { resolve, dial } = internet
  feed.stop()
  await running
  const wall = Date.now
  let backMs = 0
  vi.spyOn(Date, 'now').mockImplementation(() => wall() - backMs)
  onTestFinished(() => void vi.restoreAllMocks())
  feed = new MetadataFeed({ gateways: ['https://one.hosts.test'], resolve, dial, dexEveryMs: 20 })
  running = feed.start(sink)
  internet.json('a.hosts.test/x', { website: 'https://a.b/' })
  internet.json('a.hosts.test/y', { website: 'https://a.b/' })
  feed.observe([created('a', 'https://a.hosts.test/x')])
  await until(() => told().length === 1)
  backMs = 3_600_000
  feed.observe([created('b', 'https://a.hosts.test/y')])
  await until(() => told().length === 2)
  expect(told()[0].timestamp - told()[1].timestamp).toBeGreaterThan(3_000)
})

test('content of IPFS comes from the second gateway when the first has none', async () => {
  internet.json(`two.hosts.test/ipfs/${CID}`, { telegram: 'https://t.me/x' })
  feed.observe([created('a', `https://dead.hosts.test/ipfs/${CID}`)])
  await until(() => feed.figures().metadata_refused_status_total === 1)
  nowMs += 1_000
  await until(() => told().length === 1)
  expect(internet.asked).toEqual(['one.hosts.test', 'two.hosts.test'])
})

test.each([
  ['refuses what others have pinned', 403, 'not pinned here'],
  ['answers with a page of its own', 200, '<!doctype html>'],
])('content of IPFS comes from the second gateway when the first %s', async (_, status, body) => {
  internet.page(`one.hosts.test/ipfs/${CID}`, (_request, response) =>
    response.writeHead(status).end(body),
  )
  internet.json(`two.hosts.test/ipfs/${CID}`, { telegram: 'https://t.me/x' })
  feed.observe([created('a', `ipfs://${CID}`)])
  await until(() => internet.requests === 1 && feed.figures().metadata_running === 0)
  nowMs += 1_000
  await until(() => told().length === 1)
  expect(internet.asked).toEqual(['one.hosts.test', 'two.hosts.test'])
})

test('copies of a uri are told without another request, and a uri with nothing is not asked again for an hour', async () => {
  internet.json('a.hosts.test/x', { website: 'https://a.b/' })
  feed.observe([created('a', 'https://a.hosts.test/x'), created('b', 'https://a.hosts.test/x')])
  await until(() => told().length === 2)
  feed.observe([created('c', 'https://a.hosts.test/x'), created('a', 'https://a.hosts.test/x')])
  await until(() => told().length === 3)
  expect(told().map(({ mint }) => mint)).toEqual(['a', 'b', 'c'])
  feed.observe([created('d', 'https://127.0.0.1/')])
  await until(() => feed.figures().metadata_gave_up_total === 1)
  feed.observe([created('e', 'https://127.0.0.1/'), created('f', ''), created('g', ' ')])
  expect(feed.figures().metadata_waiting).toBe(0)
  expect(internet.requests).toBe(1)
  nowMs += 3_600_000
  feed.observe([created('h', 'https://127.0.0.1/')])
  await until(() => feed.figures().metadata_gave_up_total === 2)
})

test('redirects of many hosts to one keep the pace of that one, and each has its turn', async () => {
  let running = 0
  let most = 0
  for (let host = 0; host < 12; host++) {
    internet.redirect(`r${host}.hosts.test/`, `https://led.hosts.test/${host}`)
    internet.page(`led.hosts.test/${host}`, (_, response) => {
      running += 1
      most = Math.max(most, running)
      setTimeout(() => {
        running -= 1
        response.end('{"website":"https://a.b/"}')
      }, 100)
    })
    feed.observe([created(`m${host}`, `https://r${host}.hosts.test/`)])
  }
  await until(() => {
    // Second tries pass.
    nowMs += 10
    return told().length === 12
  })
  expect(most).toBeLessThanOrEqual(4)
  expect(feed.figures().metadata_refused_pace_total).toBeGreaterThanOrEqual(8)
})

test('paths of a host that have nothing hold up no other path of it', async () => {
  internet.json('shared.hosts.test/good', { website: 'https://a.b/' })
  for (let page = 0; page < 8; page++)
    feed.observe([created(`nothing ${page}`, `https://shared.hosts.test/nothing/${page}`)])
  await until(() => feed.figures().metadata_refused_status_total === 8)
  feed.observe([created('good', 'https://shared.hosts.test/good')])
  await until(() => told().length === 1)
})

test('a uri that is longer than any that is asked for is refused at once and kept nowhere', async () => {
  const long = `https://a.hosts.test/${'x'.repeat(2_048)}`
  feed.observe([created('a', long), created('b', ` ${' '.repeat(2_048)}https://a.hosts.test/`)])
  expect(feed.figures()).toMatchObject({
    metadata_waiting: 0,
    metadata_refused_url_total: 2,
    metadata_gave_up_total: 2,
  })
  const longest = `https://a.hosts.test/${'x'.repeat(2_048 - 21)}`
  internet.json(longest.slice('https://'.length), { website: 'https://a.b/' })
  feed.observe([created('c', longest)])
  await until(() => told().length === 1)
  expect(internet.requests).toBe(1)
})

test('hostile servers get nothing and hold nothing up', async () => {
  const events: FeedEvent[] = []
  internet.page('drip.hosts.test/', (_, response) => {
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  const chunk = Buffer.alloc(64 * 1024, ' ')
  internet.page('huge.hosts.test/', (_, response) => {
    const more = () => {
      while (!response.destroyed) if (!response.write(chunk)) break
    }
    response.on('drain', more)
    more()
  })
  internet.redirect('back.hosts.test/', 'https://127.0.0.1/')
  internet.redirect('cloud.hosts.test/', 'https://169.254.169.254/latest/meta-data/')
  internet.answers.set('turning.hosts.test', [['10.0.0.1']])
  internet.page('deep.hosts.test/', (_, response) => response.end('['.repeat(10_000)))
  internet.page('proto.hosts.test/', (_, response) =>
    response.end('{"__proto__":{"dexPaid":true},"constructor":{"prototype":{"a":1}}}'),
  )
  const hostile = ['drip', 'huge', 'back', 'cloud', 'turning', 'deep', 'proto', 'mute']
  internet.page('mute.hosts.test/', () => {})
  for (let round = 0; round < 3; round++)
    for (const name of hostile)
      events.push(created(`${name} ${round}`, `https://${name}.hosts.test/?${round}`))
  for (const name of hostile) {
    const page = internet.pages.get(`${name}.hosts.test/`)
    for (let round = 0; page !== undefined && round < 3; round++)
      internet.page(`${name}.hosts.test/?${round}`, page)
  }
  for (let good = 0; good < 20; good++) {
    internet.json(`one.hosts.test/ipfs/${CID}/${good}`, { description: `good ${good}` })
    internet.json(`good.hosts.test/${good}`, { description: `also good ${good}` })
    events.push(created(`ipfs ${good}`, `ipfs://${CID}/${good}`))
    events.push(created(`good ${good}`, `https://good.hosts.test/${good}`))
  }
  feed.observe(events)
  await until(() => {
    // Waits of hosts and second tries pass.
    nowMs += 10
    const { metadata_refused_address_total: address, metadata_refused_depth_total: depth } =
      feed.figures()
    return told().length === 40 && address >= 9 && depth >= 3
  })
  expect(told().every(({ description }) => /good \d+$/.test(description ?? ''))).toBe(true)
  expect(told().every((event) => event.dexPaid === undefined)).toBe(true)
  const figures = feed.figures()
  expect(figures.metadata_refused_size_total).toBeGreaterThanOrEqual(1)
  expect(figures.metadata_running).toBeLessThanOrEqual(16)
  expect(new Set(internet.dialled)).toEqual(new Set([PUBLIC]))
})

test('asks whether the profile of a migrated token is paid, and stops when it is', async () => {
  const place = `api.dexscreener.com/orders/v1/solana/${MINT}`
  internet.answers.set('api.dexscreener.com', [[PUBLIC]])
  internet.answers.set('no.hosts.test', [[PUBLIC]])
  internet.json(place, [{ type: 'tokenProfile', status: 'approved', paymentTimestamp: 1 }])
  feed.observe([migrated(MINT), migrated(MINT), migrated('no address'), created('a', '')])
  // The name's certificate is not the test's: it gets no request, and counts as asked.
  await until(() => feed.figures().dex_paid_asked_total === 1)
  expect(internet.requests).toBe(0)
  expect(feed.figures().dex_paid_waiting).toBe(1)
})

test('a profile that is paid is told, once', async () => {
  feed.stop()
  await running
  const { resolve } = internet
  // The certificate of these tests is for other names.
  const dial = (address: string) => internet.dial(address, 'any.hosts.test')
  feed = new MetadataFeed({ gateways: [], resolve, dial, clockMs: () => nowMs, dexEveryMs: 20 })
  running = feed.start(sink)
  internet.answers.set('api.dexscreener.com', [[PUBLIC]])
  const place = `api.dexscreener.com/orders/v1/solana/${MINT}`
  internet.json(place, [{ type: 'tokenProfile', status: 'approved', paymentTimestamp: 1 }])
  feed.observe([migrated(MINT)])
  await until(() => told().length === 1)
  feed.observe([migrated(MINT)])
  expect(told()).toEqual([{ type: 'metadata', timestamp: SECONDS, mint: MINT, dexPaid: true }])
  expect(feed.figures()).toMatchObject({ dex_paid_found_total: 1, dex_paid_waiting: 0 })
})

test('a token that is traded is asked for before one that came earlier and is not', async () => {
  const held: ServerResponse[] = []
  const names = ['1', '2', '3', '4', 'quiet', 'busy']
  for (const name of names)
    internet.page(`a.hosts.test/${name}`, (_, response) => {
      held.push(response)
    })
  // So many may run at a time of one host.
  feed.observe(names.slice(0, 4).map((name) => created(name, `https://a.hosts.test/${name}`)))
  await until(() => held.length === 4)
  feed.observe(names.slice(4).map((name) => created(name, `https://a.hosts.test/${name}`)))
  feed.observe([traded('busy'), traded('busy')])
  held[0].end('{"website":"https://a.b/"}')
  await until(() => held.length === 5)
  expect(held[4].req.url).toBe('/busy')
  for (const response of held) response.end()
})

test('a replay and a simulation are never fetched for, live events are', async () => {
  const side = await makeSideFeeds({
    solPrice: { kind: 'off' },
    metadata: { gateways: ['https://one.hosts.test'] },
    rules: THRESHOLDS,
  })
  const stub = (name: string) => ({
    name,
    start: async (into: { events(batch: readonly FeedEvent[]): void }) =>
      into.events([created(name, `ipfs://${CID}/${name}`)]),
    stop: () => {},
  })
  const waiting = () => side.feeds[0]?.figures?.().metadata_waiting
  await side.beside({ kind: 'replay', file: 'x' }, stub('replay')).start(sink)
  await side.beside({ kind: 'sim' }, stub('sim')).start(sink)
  expect(waiting()).toBe(0)
  await side.beside({ kind: 'stdin' }, stub('stdin')).start(sink)
  await side.beside({ kind: 'pumpportal' }, stub('pumpportal')).start(sink)
  expect(waiting()).toBe(2)
  expect(sink.all).toHaveLength(4)
})

test('a uri that the chain told of an old token is fetched as that of a new one', async () => {
  internet.json('a.hosts.test/old', { website: 'https://old.example/' })
  feed.observe([tokenState({ mint: MINT, uri: 'https://a.hosts.test/old' })])
  await until(() => told().length === 1)
  expect(told()).toMatchObject([{ mint: MINT, website: 'https://old.example/' }])
})

test('a gateway that answers that it is switched off is not asked again, and the next one tells the texts', async () => {
  let asked = 0
  internet.page(`one.hosts.test/ipfs/${CID}`, (_, response) => {
    asked += 1
    const sunset = new Date((SECONDS - 86_400) * 1_000).toUTCString()
    response.writeHead(429, { 'retry-after': '900', sunset }).end('gone')
  })
  const image = `https://ipfs.io/ipfs/${CID}/toad.png`
  internet.json(`two.hosts.test/ipfs/${CID}`, { image, twitter: 'x.com/toad' })
  feed.observe([created(MINT, `https://ipfs.io/ipfs/${CID}`)])
  await until(() => asked === 1)
  await until(() => {
    nowMs += 1_000
    return told().length === 1
  })
  expect(told()).toMatchObject([
    { image: `https://two.hosts.test/ipfs/${CID}/toad.png`, twitter: 'https://x.com/toad' },
  ])
  expect(asked).toBe(1)
  expect(feed.figures()).toMatchObject({
    metadata_gateways_aside: 1,
    metadata_gateway_sunsets_total: 1,
  })
})
