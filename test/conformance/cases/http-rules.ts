import { checkError, checkNamed } from '../errors.ts'
import { ensure, type Json, record, same, skipUnless, text } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { header, jsonHeaders, parsed, tablePath } from '../http.ts'
import { chartPath, marketPath, searchPath, swapsPath, tradersPath, walletPath } from '../paths.ts'

const test = about('http')

export async function reads(world: World): Promise<string[]> {
  const { quiet, wallet } = await world.known()
  return [
    searchPath(quiet.mint),
    marketPath(quiet.mint),
    swapsPath(quiet.mint),
    tradersPath(quiet.mint),
    walletPath(wallet),
    chartPath(quiet.mint, 0, 9_999_999_999, '1D'),
  ]
}

const allowed = (value: string): string[] => value.split(/\s*,\s*/).filter((name) => name !== '')

const outside = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']

const unknown = [
  ...['/nope', '/api', '/api/v2', '/api/v2/nope', '/api/v1/meme', '/api/v2/meme/chart'],
  ...['/api/v2/search/tokens', '/api/v2/search/tokens/x/nope', '/api/v2/search/traders/x/nope'],
]

async function tooLarge(world: World, chunked: boolean): Promise<void> {
  const body = '{}'.padEnd(16 * 1024 + 1)
  const how = { method: 'POST', headers: jsonHeaders, body, chunked }
  checkError(await world.http.ask(tablePath, how), 413, `${body.length} bytes`)
}

const typeCases = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''].map(
  (type) =>
    test(`a body of content type ${type || 'none'} is a 415`, async ({ http }) => {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      const answer = await http.ask(tablePath, { method: 'POST', headers, body: '{}' })
      checkError(answer, 415, 'the table query')
    }),
)

function documented(paths: Json): void {
  const words = ['tokens/detailed', 'market-data', 'swaps', 'traders/tokens', 'ohlcv', 'v2/meme']
  for (const word of words) {
    ensure(
      Object.keys(paths).some((path) => path.includes(word)),
      `/openapi.json does not describe ${word}`,
    )
  }
}

const minSeq = 'x-mintfeed-min-seq'

/** Asks for a position that this path has told; skipped where none is told. */
async function atPosition(world: World, path: string, of: (seq: number, epoch: string) => string) {
  const told = await world.http.ask(path)
  const seq = header(told, 'x-mintfeed-seq')
  skipUnless(seq !== '', 'no position is told')
  const wanted = of(Number(seq), header(told, 'x-mintfeed-epoch'))
  return world.http.ask(path, { headers: { [minSeq]: wanted } })
}

const positionCases: Case[] = [
  test('a read that asks for a position it has told is answered from there on', async (world) => {
    for (const path of await reads(world))
      for (const isWithEpoch of [false, true]) {
        let least = 0
        const answer = await atPosition(world, path, (seq, epoch) => {
          least = seq
          return isWithEpoch ? `${epoch}:${seq}` : `${seq}`
        })
        same(answer.status, 200, path)
        ensure(Number(header(answer, 'x-mintfeed-seq')) >= least, `${path} went back`)
      }
  }),
  test('a read of a position that does not come is a 503 with Retry-After', async (world) => {
    const [path = ''] = await reads(world)
    const answer = await atPosition(world, path, () => `${Number.MAX_SAFE_INTEGER}`)
    same(checkError(answer, 503, path).code, 'position_not_reached', 'the code')
    ensure(Number(header(answer, 'retry-after')) > 0, 'no Retry-After')
  }),
  test('a read of a position of another epoch is a 409', async (world) => {
    const [path = ''] = await reads(world)
    const answer = await atPosition(world, path, () => 'another:0')
    same(checkError(answer, 409, path).code, 'other_epoch', 'the code')
  }),
  ...['-1', '1.5', 'x', '9007199254740992'].map((wanted) =>
    test(`a read of the position ${wanted} is a 400`, async (world) => {
      const [path = ''] = await reads(world)
      checkNamed(await atPosition(world, path, () => wanted), 400, minSeq, path)
    }),
  ),
]

export const httpCases: Case[] = [
  ...positionCases,
  test('every endpoint answers JSON in UTF-8 with a Date', async (world) => {
    for (const path of await reads(world)) {
      const answer = await world.http.ask(path)
      same(answer.status, 200, path)
      ensure(header(answer, 'content-type').startsWith('application/json'), `${path}: content type`)
      ensure(!Number.isNaN(Date.parse(header(answer, 'date'))), `${path}: no Date header`)
      same(Buffer.from(answer.text, 'utf8').equals(answer.body), true, `${path}: UTF-8`)
    }
  }),
  test('HEAD answers like GET, without a body', async (world) => {
    for (const path of await reads(world)) {
      const got = await world.http.ask(path)
      const head = await world.http.ask(path, { method: 'HEAD' })
      same(head.status, got.status, `${path}: status`)
      same(head.body.length, 0, `${path}: bytes of the body`)
      same(header(head, 'content-type'), header(got, 'content-type'), `${path}: content type`)
    }
  }),
  test('HEAD answers like GET for errors and outside the API too', async ({ http }) => {
    for (const path of ['/healthz', '/metrics', '/nope', '/api/v2/search/tokens/detailed']) {
      const got = await http.ask(path)
      const head = await http.ask(path, { method: 'HEAD' })
      same([head.status, head.body.length], [got.status, 0], `${path}: status and bytes`)
    }
  }),
  test('an unknown path is a 404 in the error shape', async ({ http }) => {
    for (const path of unknown) checkError(await http.ask(path), 404, path)
  }),
  test('another method on a read is a 405 that allows GET and HEAD', async (world) => {
    for (const path of await reads(world)) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await world.http.ask(path, { method })
        checkError(answer, 405, `${method} ${path}`)
        const methods = allowed(header(answer, 'allow'))
        const fits = methods.includes('GET') && methods.includes('HEAD')
        ensure(fits, `${method} ${path}: Allow is ${methods}`)
        ensure(!methods.includes(method), `${method} ${path}: Allow holds ${method}`)
      }
    }
  }),
  test('a read of the table query is a 405 that allows POST', async ({ http }) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const answer = await http.ask(tablePath, { method })
      if (method === 'HEAD') same(answer.status, 405, 'HEAD')
      else checkError(answer, 405, method)
      const methods = allowed(header(answer, 'allow'))
      ensure(methods.includes('POST') && !methods.includes('GET'), `Allow is ${methods}`)
    }
  }),
  test('a body past 16 KiB is a 413', (world) => tooLarge(world, false)),
  test('a body past 16 KiB without a length is a 413', (world) => tooLarge(world, true)),
  ...typeCases,
  test('the content type is read without regard to case', async ({ http }) => {
    const headers = { 'content-type': 'Application/JSON;charset=UTF-8' }
    const answer = await http.ask(tablePath, { method: 'POST', headers, body: '{}' })
    same(answer.status, 200, 'status')
  }),
  test('the table query answers 200', async ({ http }) => {
    const how = { method: 'POST', headers: jsonHeaders, body: '{}' }
    same((await http.ask(tablePath, how)).status, 200, 'status')
  }),
  test('health, readiness, metrics and documents are served', async ({ http }) => {
    for (const path of outside) same((await http.ask(path)).status, 200, path)
  }),
  test('they carry no rate-limit headers', async ({ http }) => {
    for (const path of outside) {
      same(header(await http.ask(path), 'x-ratelimit-limit'), '', `${path}: X-RateLimit-Limit`)
    }
  }),
  test('metrics are in the format of Prometheus', async ({ http }) => {
    const answer = await http.ask('/metrics')
    ensure(header(answer, 'content-type').startsWith('text/plain'), header(answer, 'content-type'))
    const lines = answer.text.split('\n').filter((line) => line !== '')
    const sample = /^[a-zA-Z_:][\w:]*(\{.*\})? (NaN|[+-]Inf|[-+\d.eE]+)( \d+)?( # .*)?$/
    for (const line of lines) {
      ensure(line.startsWith('#') || sample.test(line), `no metric: ${line}`)
    }
    ensure(
      lines.some((line) => line.startsWith('# TYPE ')),
      'no # TYPE line',
    )
  }),
  test('the OpenAPI document describes the endpoints', async ({ http }) => {
    const document = record(parsed(await http.ask('/openapi.json')), 'the document')
    ensure(text(document, 'openapi').startsWith('3.'), `openapi ${document.openapi}`)
    documented(record(document.paths, 'paths'))
  }),
]
