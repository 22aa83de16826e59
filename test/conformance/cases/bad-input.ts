import { badBodies } from '../bad-bodies.ts'
import { badRequests, hostilePaths } from '../bad-requests.ts'
import { checkError, checkNamed } from '../errors.ts'
import { ensure, same } from '../expect.ts'
import { about, type Case } from '../harness.ts'
import { jsonHeaders, tablePath } from '../http.ts'
import { chartPath, searchPath, strangerMint } from '../paths.ts'

const test = about('bad input')

const requestCases = badRequests.map(({ what, path, names }) =>
  test(`${what} is a 400 that names ${names}`, async ({ http }) => {
    checkNamed(await http.ask(path), 400, names, path.slice(0, 120))
  }),
)

const bodyCases = badBodies.map(({ what, body, names }) =>
  test(`a table query with ${what} is a 400 that names ${names}`, async ({ http }) => {
    const how = { method: 'POST', headers: jsonHeaders, body }
    const answer = await http.ask(tablePath, how)
    if (names === 'body') checkError(answer, 400, what)
    else checkNamed(answer, 400, names, what)
  }),
)

const hostileCases = hostilePaths.map((path) =>
  test(`${path.slice(0, 90)} does not upset the server`, async ({ http }) => {
    const answer = await http.ask(path)
    ensure(answer.status < 500, `it answered ${answer.status}`)
    if (answer.status >= 400 && answer.status !== 431 && answer.status !== 414) {
      checkError(answer, answer.status, path.slice(0, 90))
    }
    same((await http.ask('/healthz')).status, 200, '/healthz afterwards')
  }),
)

export const badInputCases: Case[] = [
  ...requestCases,
  test('a time in milliseconds is refused with a message that says so', async ({ http }) => {
    const answer = await http.ask(chartPath(strangerMint, 0, '1700000000000', '1'))
    checkNamed(answer, 400, 'to', 'the chart')
    ensure(/millisecond/i.test(answer.text), `the message is ${answer.text}`)
  }),
  test('a page beyond a refused one still answers', async ({ http }) => {
    same(await http.get(searchPath(strangerMint)), [], 'the results')
  }),
  ...bodyCases,
  test('numbers past the range of a double do not upset the server', async ({ http }) => {
    const body = '{"newPools":{"holders":{"min":1e999}}}'
    const answer = await http.ask(tablePath, { method: 'POST', headers: jsonHeaders, body })
    ensure([200, 400].includes(answer.status), `it answered ${answer.status}`)
  }),
  test('deep nesting does not upset the server', async ({ http }) => {
    const body = `${'['.repeat(6000)}${']'.repeat(6000)}`
    const answer = await http.ask(tablePath, { method: 'POST', headers: jsonHeaders, body })
    checkError(answer, 400, 'deep nesting')
  }),
  ...hostileCases,
]
