import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { openSockets, resetAll } from './raw-sockets.ts'

/** Requests leave in steps of so many milliseconds, at a rate that does not depend on answers. */
const STEP_MS = 10
const CONNECTIONS = 32

function post(body: string): string {
  return (
    'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

function get(target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
}

/** `size` requests a second. */
function costly(
  name: string,
  sizes: Attack['sizes'],
  request: (index: number, mints: readonly string[]) => string,
): Attack {
  return {
    name,
    unit: 'requests/s',
    sizes,
    async run({ port, mints }, size, isOver) {
      const sockets = await openSockets(port, CONNECTIONS, (socket) => socket.resume())
      let sent = 0
      const startedMs = performance.now()
      while (!isOver()) {
        const due = ((performance.now() - startedMs) / 1000) * size
        for (; sent < due; sent++) {
          const socket = sockets[sent % CONNECTIONS]
          if (socket.destroyed)
            [sockets[sent % CONNECTIONS]] = await openSockets(port, 1, (one) => one.resume())
          else socket.write(disguised(request(sent, mints), sent))
        }
        await pause(STEP_MS)
      }
      resetAll(sockets)
    },
  }
}

/** From many addresses, so that no rate limit helps. */
function disguised(request: string, index: number): string {
  const address = `11.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
  return request.replace('Host: x\r\n', `Host: x\r\nX-Forwarded-For: ${address}\r\n`)
}

const HEAVY = { small: 50, full: 200 }
const DIGITS = '9'.repeat(3000)

/** Filters that nobody asked for before, ten thousand of them. */
const pollerStorm = costly('poller storm, 10,000 filters', { small: 50, full: 500 }, (index) => {
  const min = index % 10_000
  return post(JSON.stringify({ newPools: { mCapUsd: { min }, holders: { max: 100_000 + min } } }))
})

const hashFlood = costly('keys that could collide', HEAVY, (index) => {
  const keys = Array.from({ length: 1200 }, (_, key) => `"${key * 65_536 + index}":1`)
  return post(`{${keys.join(',')}}`)
})

const deepJson = costly('deep JSON', HEAVY, () => post('['.repeat(16_000)))

const deepObjects = costly('deep objects', HEAVY, () =>
  post(`${'{"a":'.repeat(2600)}1${'}'.repeat(2600)}`),
)

const hugeNumbers = costly('huge numbers', HEAVY, (index) =>
  index % 2 === 0
    ? post(`{"limit":${DIGITS},"newPools":{"holders":{"min":-${DIGITS}e${DIGITS}}}}`)
    : get(
        `/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/swaps?page=${DIGITS}&limit=-${DIGITS}`,
      ),
)

const manyParameters = costly('thousands of parameters', HEAVY, () =>
  get(`/api/v2/search/tokens/detailed?${'a=%41&'.repeat(2400)}query=a`),
)

const regexes = costly('strings for regular expressions', HEAVY, (index) => {
  const spaces = `application/json${' '.repeat(4000)}x`
  const lists = [
    get('/healthz', `Accept-Encoding: ${'gzip;q=0.,'.repeat(1400)}\r\n`),
    get('/healthz', `If-None-Match: ${'W/"'.repeat(4000)}\r\n`),
    get('/healthz', `X-Forwarded-For: ${'[1:1:1:1:1:1:1:'.repeat(900)}\r\n`),
    `POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: ${spaces}\r\nContent-Length: 0\r\n\r\n`,
    get(`/api/v2/search/tokens/detailed?query=${'a'.repeat(128)}`),
    get(`/api/v2/search/tokens/detailed?query=${'%20a'.repeat(60)}`),
  ]
  return lists[index % lists.length]
})

const widePages = costly('widest pages', HEAVY, (index, mints) => {
  const mint = mints[index % mints.length]
  const paths = [
    `/api/v2/search/traders/tokens/${mint}?limit=200&order_by=last_active_ts`,
    `/api/v2/search/tokens/${mint}/swaps?limit=200&page=${index % 50}`,
    `/api/v2/meme/chart/ohlcv?mint=${mint}&from=0&to=${index}&resolution=1S&countback=5000&fill=previous`,
    '/api/v2/search/tokens/detailed?query=a',
  ]
  return get(paths[index % paths.length])
})

export const COSTLY_REQUESTS: readonly Attack[] = [
  pollerStorm,
  hashFlood,
  deepJson,
  deepObjects,
  hugeNumbers,
  manyParameters,
  regexes,
  widePages,
]
