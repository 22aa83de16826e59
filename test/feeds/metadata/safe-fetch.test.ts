import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { connect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { isPublicAddress } from '../../../src/base/public-address.ts'
import { dialPublic, FETCH_LIMITS, SafeFetch } from '../../../src/feeds/metadata/safe-fetch.ts'
import { listening } from '../../process/free-port.ts'
import { until } from '../until.ts'
import { FakeInternet, PUBLIC } from './fake-internet.ts'

const never = new AbortController().signal
/** Reasons that may have gone at the next try. */
const MAY_PASS = ['dns', 'network', 'time']
let internet: FakeInternet

beforeEach(async () => {
  internet = await FakeInternet.open()
})

afterEach(async () => {
  expect(internet.privateDials).toEqual([])
  await internet.close()
})

/** The text, or the word for why there is none. */
async function fetched(url: string, totalMs = 5_000): Promise<string> {
  const answer = await new SafeFetch({ ...internet, totalMs }).text(url, never)
  if (typeof answer === 'string') return answer
  if (answer.refused !== 'status')
    expect(answer.isFinal, `${url}: ${answer.refused}`).toBe(!MAY_PASS.includes(answer.refused))
  return `refused: ${answer.refused}`
}

test('fetches a body over TLS, through redirects', async () => {
  internet.json('a.hosts.test/x?y=1', { name: 'ä' })
  internet.redirect('b.hosts.test/', 'https://a.hosts.test/x?y=1')
  internet.redirect('c.hosts.test/', '//b.hosts.test')
  expect(await fetched('https://c.hosts.test')).toBe('{"name":"ä"}')
  expect(internet.dialled).toEqual([PUBLIC, PUBLIC, PUBLIC])
})

test('addresses of this machine, its networks and its cloud are not public', () => {
  const closed = [
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '192.0.0.192', '198.18.0.1', '203.0.113.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1'],
    ...['::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::1', '2001::1', 'fe80::1', 'fe80::1%1'],
    ...['fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1', '4000::1'],
    ...['127.1', '0x7f000001', '2130706433', '017700000001', '', 'localhost'],
  ]
  for (const address of closed) expect(isPublicAddress(address), address).toBe(false)
  for (const address of ['8.8.8.8', PUBLIC, '2606:4700:4700::1111'])
    expect(isPublicAddress(address), address).toBe(true)
})

test('an address that is not public is never dialled, whoever asks', () => {
  expect(() => dialPublic('127.0.0.1', 'a.hosts.test')).toThrow('not a public address')
})

test('addresses in URLs, however written, are refused before anything is dialled', async () => {
  let baited = 0
  const bait = createServer((socket) => {
    baited += 1
    socket.destroy()
  })
  const port = await listening(bait)
  for (const [url, reason] of [
    [`https://127.0.0.1:${port}/`, 'port'],
    [`http://127.0.0.1:${port}/`, 'scheme'],
    [`https://a.hosts.test:${port}/`, 'port'],
    ['https://127.0.0.1/', 'address'],
    ['https://2130706433/', 'address'],
    ['https://0x7f.1/', 'address'],
    ['https://0177.0.0.1/', 'address'],
    ['https://[::1]/', 'address'],
    ['https://[::ffff:169.254.169.254]/latest/meta-data/', 'address'],
    ['https://169.254.169.254/latest/meta-data/', 'address'],
    ['https://user:secret@a.hosts.test/', 'url'],
    ['https://user@a.hosts.test/', 'url'],
    ['https://:secret@a.hosts.test/', 'url'],
    ['http://a.hosts.test/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['data:application/json,{}', 'scheme'],
    ['//a.hosts.test', 'url'],
    ['', 'url'],
    [`https://a.hosts.test/${'x'.repeat(3_000)}`, 'url'],
    ['https://nowhere.test/', 'dns'],
  ])
    expect(await fetched(url), url).toBe(`refused: ${reason}`)
  expect(baited).toBe(0)
  expect(internet.dialled).toEqual([])
  await new Promise((resolve) => bait.close(resolve))
})

test('a host of other letters is asked for, however many were asked for before', async () => {
  const fetch = new SafeFetch(internet)
  // Over plain HTTP: an address that can be read is refused for that.
  const read = async () => JSON.stringify(await fetch.text('http://münze.hosts.test/', never))
  let times = 0
  while (times < 20_000 && (await read()).includes('scheme')) times++
  expect(times).toBe(20_000)
})

test('a redirect to a private address is not followed', async () => {
  for (const [location, reason] of [
    ['https://127.0.0.1/', 'address'],
    ['https://169.254.169.254/latest/meta-data/iam/', 'address'],
    ['https://[::ffff:127.0.0.1]/', 'address'],
    ['http://127.0.0.1/', 'scheme'],
    ['https://inside.hosts.test/', 'address'],
    ['https://a.hosts.test:22/', 'port'],
    ['gopher://127.0.0.1/', 'scheme'],
    ['https://a.hosts.test/', 'redirects'],
  ]) {
    internet.answers.set('inside.hosts.test', [['10.0.0.5']])
    internet.redirect('a.hosts.test/', location)
    expect(await fetched('https://a.hosts.test/'), location).toBe(`refused: ${reason}`)
  }
})

test('a name with one private address among its own is refused', async () => {
  internet.json('a.hosts.test/', {})
  internet.answers.set('a.hosts.test', [[PUBLIC, '127.0.0.1']])
  expect(await fetched('https://a.hosts.test/')).toBe('refused: address')
  internet.answers.set('a.hosts.test', [[PUBLIC, '::ffff:7f00:1']])
  expect(await fetched('https://a.hosts.test/')).toBe('refused: address')
  expect(internet.dialled).toEqual([])
})

test('a name that changes its answer is dialled where it was checked, and checked again', async () => {
  internet.json('a.hosts.test/', { name: 'safe' })
  internet.answers.set('a.hosts.test', [[PUBLIC], ['127.0.0.1']])
  expect(await fetched('https://a.hosts.test/')).toBe('{"name":"safe"}')
  expect(internet.asked).toEqual(['a.hosts.test'])
  expect(internet.dialled).toEqual([PUBLIC])
  // The second hop asks anew and finds the changed answer.
  internet.answers.set('a.hosts.test', [[PUBLIC], ['127.0.0.1']])
  internet.redirect('a.hosts.test/again', 'https://a.hosts.test/')
  expect(await fetched('https://a.hosts.test/again')).toBe('refused: address')
  expect(internet.dialled).toEqual([PUBLIC, PUBLIC])
})

test('a server without the certificate of its name gets no request', async () => {
  internet.answers.set('a.other.test', [[PUBLIC]])
  internet.json('a.other.test/', {})
  expect(await fetched('https://a.other.test/')).toBe('refused: network')
  expect(internet.requests).toBe(0)
})

test('of a body of a gigabyte 64 KB are read, whatever its length is said to be', async () => {
  let sentBytes = 0
  const chunk = Buffer.alloc(64 * 1024, ' ')
  internet.page('a.hosts.test/', (_, response) => {
    response.writeHead(200, { 'content-length': 2 ** 30 })
    const more = () => {
      while (sentBytes < 2 ** 30 && !response.destroyed) {
        sentBytes += chunk.length
        if (!response.write(chunk)) {
          response.once('drain', more)
          return
        }
      }
    }
    more()
  })
  expect(await fetched('https://a.hosts.test/')).toBe('refused: size')
  await until(() => internet.sockets.size === 0)
  // What the sockets between hold, not what the server had.
  expect(sentBytes).toBeLessThan(64 * 2 ** 20)
})

test('a body of 64 KB is read, and one of a byte more is refused', async () => {
  for (const [bytes, outcome] of [
    [FETCH_LIMITS.bodyBytes, ' '.repeat(FETCH_LIMITS.bodyBytes)],
    [FETCH_LIMITS.bodyBytes + 1, 'refused: size'],
  ] as const) {
    internet.page('a.hosts.test/', (_, response) => response.end(' '.repeat(bytes)))
    expect(await fetched('https://a.hosts.test/')).toBe(outcome)
  }
})

test('nothing of a fetch that is over stays with what may stop it', async () => {
  const { signal } = new AbortController()
  internet.json('a.hosts.test/', {})
  for (const url of ['https://a.hosts.test/', 'https://nowhere.test/', ''])
    await new SafeFetch(internet).text(url, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('packed bodies, other bytes than text and endless heads are refused', async () => {
  internet.page('a.hosts.test/bomb', (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 ** 24)))
  })
  internet.page('a.hosts.test/bytes', (_, response) =>
    response.end(Buffer.from([0x22, 0xff, 0x22])),
  )
  internet.page('a.hosts.test/head', ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = () => {
      while (!socket.destroyed) if (!socket.write(`x: ${'y'.repeat(1000)}\r\n`)) break
    }
    socket.on('drain', more)
    more()
  })
  internet.page('a.hosts.test/interim', ({ socket }) => {
    const more = () => {
      while (!socket.destroyed) if (!socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')) break
    }
    socket.on('drain', more)
    more()
  })
  expect(await fetched('https://a.hosts.test/bomb')).toBe('refused: coding')
  expect(await fetched('https://a.hosts.test/bytes')).toBe('refused: json')
  expect(await fetched('https://a.hosts.test/head')).toBe('refused: network')
  expect(await fetched('https://a.hosts.test/interim')).toBe('refused: network')
})

test('a body that is said to be packed in no way is read', async () => {
  for (const coding of ['identity', 'Identity', '', ' IDENTITY ']) {
    internet.page('a.hosts.test/', (_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end('{}')
    })
    expect(await fetched('https://a.hosts.test/'), coding).toBe('{}')
  }
})

test('a server that is slow, or says nothing, or has no name servers, ends with the time', async () => {
  internet.page('a.hosts.test/drip', (_, response) => {
    const timer = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(timer))
  })
  internet.page('a.hosts.test/mute', () => {})
  internet.page('a.hosts.test/head', ({ socket }) => {
    const timer = setInterval(() => socket.write('x'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  for (const path of ['drip', 'mute', 'head'])
    expect(await fetched(`https://a.hosts.test/${path}`, 150), path).toMatch(
      path === 'head' ? /time|network/ : /time/,
    )
  const resolve = () => new Promise<never>(() => {})
  const stuck = new SafeFetch({ ...internet, resolve, totalMs: 50 })
  expect(await stuck.text('https://a.hosts.test/', never)).toMatchObject({ refused: 'time' })
  await until(() => internet.sockets.size === 0)
})

test('a connection that is not made within five seconds is given up, one that is made is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let dialled = 0
  const mute = createServer((socket) => {
    dialled += 1
    socket.on('error', () => {})
  })
  const port = await listening(mute)
  onTestFinished(() => void mute.close())
  const dial = () => connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  const waiting = new SafeFetch({ ...internet, dial }).text('https://a.hosts.test/', never)
  await until(() => dialled === 1)
  vi.advanceTimersByTime(FETCH_LIMITS.connectMs)
  expect(await waiting).toMatchObject({ refused: 'network' })

  const held: ServerResponse[] = []
  internet.page('a.hosts.test/', (_, response) => {
    held.push(response)
  })
  const answered = new SafeFetch(internet).text('https://a.hosts.test/', never)
  await until(() => held.length === 1)
  vi.advanceTimersByTime(FETCH_LIMITS.totalMs - 1)
  held[0].end('{}')
  expect(await answered).toBe('{}')
})

test('statuses are final or not, and a wait that is asked for is told', async () => {
  const answer = async (statusCode: number, headers = {}) => {
    internet.page('a.hosts.test/', (_, response) => response.writeHead(statusCode, headers).end())
    return new SafeFetch(internet).text('https://a.hosts.test/', never)
  }
  for (const statusCode of [404, 408, 425])
    expect(await answer(statusCode)).toEqual({ refused: 'status', isFinal: false, isOfPath: true })
  for (const statusCode of [429, 500, 503])
    expect(await answer(statusCode)).toEqual({ refused: 'status', isFinal: false })
  for (const statusCode of [204, 400, 401, 403, 410])
    expect(await answer(statusCode)).toEqual({ refused: 'status', isFinal: true })
  expect(await answer(429, { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7_000 })
  expect(await answer(429, { 'retry-after': '999999999' })).toMatchObject({
    retryAfterMs: 3_600_000,
  })
  // A date counts from that of the answer, whose server's clock is not ours.
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
  const until = (time: string) => answer(503, { date, 'retry-after': time })
  expect(await until('Wed, 21 Oct 2015 07:30:00 GMT')).toMatchObject({ retryAfterMs: 120_000 })
  for (const noWait of [date, 'Wed, 21 Oct 2015 07:20:00 GMT', 'soon', '-5', ''])
    expect(await until(noWait)).toEqual({ refused: 'status', isFinal: false })
})

test('each other host that a redirect leads to is asked whether it may be; one below the first counts as it', async () => {
  internet.redirect('a.hosts.test/', 'https://b.hosts.test/')
  internet.redirect('b.hosts.test/', 'https://one.a.hosts.test/x')
  internet.redirect('one.a.hosts.test/x', 'https://a.hosts.test/end')
  internet.json('a.hosts.test/end', {})
  const dial = (address: string) => internet.dial(address, 'any.hosts.test')
  const fetch = new SafeFetch({ ...internet, dial })
  const led: string[] = []
  const text = (closed: string) =>
    fetch.text('https://a.hosts.test/', never, (host) => {
      led.push(host)
      return host !== closed
    })
  expect(await text('')).toBe('{}')
  expect(led).toEqual(['b.hosts.test', 'a.hosts.test', 'a.hosts.test'])
  internet.asked.length = 0
  const refused = { refused: 'pace', isFinal: false, isOfPath: true }
  expect(await text('b.hosts.test')).toEqual(refused)
  expect(internet.asked).toEqual(['a.hosts.test'])
})

test('whatever a server answers, the fetch ends with it and leaves nothing open', async () => {
  const head = 'HTTP/1.1'
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const length = 'Content-Length: 9\r\n'
  const answers: readonly (readonly [bytes: string, outcome: string])[] = [
    [`${head} 101 Switching Protocols\r\n${upgrade}\r\n`, 'refused: network'],
    [`${head} 101 Switching Protocols\r\n\r\n`, 'refused: status'],
    [`${head} 200 OK\r\n${upgrade}Content-Length: 2\r\n\r\n{}`, '{}'],
    [`${head} 204 No Content\r\n${length}\r\nhello`, 'refused: network'],
    [`${head} 200 OK\r\n${length}Content-Length: 2\r\n\r\n{}`, 'refused: network'],
    [`${head} 200 OK\r\n${length}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'refused: network'],
    [`${head} 200 OK\r\n${length}\r\n{}`, 'refused: network'],
    [`${head} 302 Found\r\nLocation: https://\r\n\r\n`, 'refused: url'],
    ['', 'refused: network'],
  ]
  for (const [bytes, outcome] of answers) {
    internet.page('a.hosts.test/', ({ socket }) => void socket.end(bytes))
    expect(await fetched('https://a.hosts.test/'), bytes).toBe(outcome)
  }
  await until(() => internet.sockets.size === 0)
})
