import { ensure, same, skipUnless } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { type Answer, header, jsonHeaders, tablePath } from '../http.ts'
import { searchPath, strangerMint } from '../paths.ts'

const test = about('cors')

const origin = { origin: 'https://bots.example' }

const names = (answer: Answer, name: string): string[] =>
  header(answer, name)
    .toLowerCase()
    .split(/\s*,\s*/)

const holds = (found: string[], wanted: string): boolean =>
  found.includes(wanted) || found.includes('*')

const preflight = ({ http }: World, method: string, path: string): Promise<Answer> =>
  http.ask(path, {
    method: 'OPTIONS',
    headers: {
      ...origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type,x-socket-id,x-mintfeed-min-seq',
    },
  })

const exposed = [
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'etag'],
  ...['x-mintfeed-seq', 'x-mintfeed-epoch'],
]

function checkOrigin(answer: Answer, what: string): void {
  const given = header(answer, 'access-control-allow-origin')
  ensure(given === '*' || given === origin.origin, `${what}: allows the origin ${given || 'none'}`)
}

export const corsCases: Case[] = [
  test('answers and errors allow any origin', async ({ http }) => {
    for (const path of [
      searchPath(strangerMint),
      '/api/v2/search/tokens/detailed',
      '/api/v2/nope',
    ]) {
      checkOrigin(await http.ask(path, { headers: origin }), path)
    }
    const headers = { ...origin, ...jsonHeaders }
    checkOrigin(await http.ask(tablePath, { method: 'POST', headers, body: '{}' }), tablePath)
  }),
  test('rate-limit headers, ETag and stream position are exposed', async ({ http }) => {
    const answer = await http.ask(searchPath(strangerMint), { headers: origin })
    const found = names(answer, 'access-control-expose-headers')
    for (const name of exposed) ensure(holds(found, name), `${name} is not exposed: ${found}`)
  }),
  test('answers carry the stream position', async ({ http }) => {
    const answer = await http.ask(searchPath(strangerMint))
    skipUnless(answer.status === 200, 'no answer')
    for (const name of ['x-mintfeed-seq', 'x-mintfeed-epoch']) {
      ensure(header(answer, name) !== '', `${name} is missing`)
    }
  }),
  test('the preflight of the table query allows its headers', async (world) => {
    const answer = await preflight(world, 'POST', tablePath)
    ensure(answer.status === 204 || answer.status === 200, `status ${answer.status}`)
    checkOrigin(answer, 'the preflight')
    ensure(holds(names(answer, 'access-control-allow-methods'), 'post'), 'POST is not allowed')
    const allowed = names(answer, 'access-control-allow-headers')
    for (const name of ['content-type', 'x-socket-id', 'x-mintfeed-min-seq']) {
      ensure(holds(allowed, name), `${name} is not allowed: ${allowed}`)
    }
  }),
  test('the preflight of a read allows GET', async (world) => {
    const answer = await preflight(world, 'GET', searchPath(strangerMint))
    ensure(answer.status === 204 || answer.status === 200, `status ${answer.status}`)
    ensure(holds(names(answer, 'access-control-allow-methods'), 'get'), 'GET is not allowed')
  }),
  test('a preflight has no body', async (world) => {
    same((await preflight(world, 'POST', tablePath)).body.length, 0, 'bytes of the body')
  }),
]
