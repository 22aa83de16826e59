import { connect, type Socket } from 'node:net'
import { Random } from '../../src/base/random.ts'
import { type KnownNames, knownNames, withKnown } from './known-names.ts'
import { mutated } from './mutations.ts'
import { queryStrings } from './targets/query-strings.ts'
import { tableBodies } from './targets/table-bodies.ts'

const PATHS = [
  '/api/v2/search/tokens/detailed',
  '/api/v2/search/tokens/mint0/market-data',
  '/api/v2/search/tokens/mint0/swaps',
  '/api/v2/search/traders/tokens/mint0',
  '/api/v2/search/traders/wallet0/tokens',
  '/api/v2/tokens/mint0',
  '/api/v2/tokens/mint0/holders',
  '/api/v2/tokens/mint0/first-buyers',
  '/api/v2/stream',
  '/api/v2/meme/chart/ohlcv',
  '/udf/config',
  '/udf/history',
  '/udf/search',
  '/udf/symbols',
  '/api/v2/meme',
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/openapi.json',
  '/ws',
  '/',
  '/nothing',
]
const METHODS = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'get', 'X']
const HEADERS = [
  'Accept-Encoding: br',
  'Accept-Encoding: gzip;q=0.1',
  'If-None-Match: *',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Connection: close',
  'X-Forwarded-For: 1.1.1.1',
  'x-socket-id: fuzz',
  'x-mintfeed-min-seq: 0',
  'Last-Event-ID: 73997141-c0ca-4146-981e-4592e1d8f840/7',
  'Transfer-Encoding: chunked',
  'Content-Length: 999999999999',
  'Content-Length: -1',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  'Range: bytes=0-1',
  `X: ${'y'.repeat(3000)}`,
]
/** How long a request that must not be answered (half of it, say) is given. */
const PATIENCE_MS = 60

/** How the client behaves. */
export const MANNERS = [
  'polite',
  'abort before',
  'abort during',
  'abort after',
  'slow',
  'half-open',
] as const
export type Manner = (typeof MANNERS)[number]

/**
 * What the library answers to another version of HTTP, and to a request line whose version comes in
 * another packet than its path: nothing that a route could do anything about.
 */
const HTTP_VERSION_NOT_SUPPORTED = 505

/** One request, mostly of the right form, as bytes. */
function randomRequest(random: Random, known: KnownNames): Buffer {
  const path = withKnown(random.pick(PATHS), random, known)
  const made = queryStrings.make(random).toString('latin1').replaceAll(/[\s#]/g, '')
  const query = withKnown(made, random, known)
  const method = path === '/api/v2/meme' && random.chance(0.8) ? 'POST' : random.pick(METHODS)
  const hasBody = method === 'POST'
  const body = hasBody ? tableBodies.make(random) : Buffer.alloc(0)
  const lines = [`${method} ${path}?${query} HTTP/1.1`, 'Host: x']
  if (hasBody && random.chance(0.9))
    lines.push('Content-Type: application/json', `Content-Length: ${body.length}`)
  for (let count = random.below(3); count > 0; count--) lines.push(random.pick(HEADERS))
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const request = Buffer.concat([head, body])
  return random.chance(0.3) ? mutated(request, random, ['\r\n', 'HTTP/1.1'], []) : request
}

/** Sends requests from a seed, each on a socket of its own; returns the statuses that came. */
export async function fuzzHttp(
  port: number,
  seed: number,
  count: number,
): Promise<Map<string, number>> {
  const random = new Random(seed)
  const known = await knownNames(port)
  const statuses = new Map<string, number>()
  for (let index = 0; index < count; index++) {
    const request = randomRequest(random, known)
    const status = await send(port, request, random.pick(MANNERS), random)
    if (Number(status) >= 500 && Number(status) !== HTTP_VERSION_NOT_SUPPORTED)
      throw new Error(`${status} to ${JSON.stringify(request.toString('latin1'))}, SEED=${seed}`)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return statuses
}

/** The status of the answer, or a word for none. */
export function send(
  port: number,
  request: Buffer,
  manner: Manner,
  random: Random,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 'no answer')
    }
    const timer = setTimeout(done, PATIENCE_MS)
    socket.on('error', done).on('close', done).on('end', done)
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (manner === 'abort during' || received.includes('\r\n\r\n')) {
        if (manner === 'abort during' && random.chance(0.5)) socket.resetAndDestroy()
        done()
      }
    })
    socket.on('connect', () => write(socket, request, manner, random))
  })
}

function write(socket: Socket, request: Buffer, manner: Manner, random: Random): void {
  if (manner === 'abort before') {
    socket.write(request.subarray(0, random.below(request.length + 1)))
    if (random.chance(0.5)) socket.resetAndDestroy()
    else setImmediate(() => socket.destroy())
  } else if (manner === 'abort after') {
    socket.write(request, () => socket.resetAndDestroy())
  } else if (manner === 'half-open') socket.end(request)
  else if (manner === 'slow') {
    const cut = random.below(request.length + 1)
    socket.write(request.subarray(0, cut))
    setTimeout(() => socket.destroyed || socket.write(request.subarray(cut)), random.below(5))
  } else socket.write(request)
}
