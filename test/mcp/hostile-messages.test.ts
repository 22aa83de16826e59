import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRecord, recordAt, textAt } from '../../src/base/json-access.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { byLength } from '../lengths.ts'
import '../property-seed.ts'
import type { EngineServer } from '../server/engine-server.ts'
import { INITIALIZE, post, rpc } from './agent.ts'
import { marketServer, named } from './market.ts'

const NEW = '2026-07-28'
const logged: string[] = []
let service: EngineServer
beforeAll(async () => {
  const error = (facts: object, message: string) =>
    void logged.push(message + JSON.stringify(facts))
  service = await marketServer({ log: { info: () => {}, warn: () => {}, error } })
})
afterAll(() => service.server.stop())

const METHODS = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read'],
  ...['resources/templates/list', 'resources/subscribe', 'prompts/get', 'logging/setLevel'],
  ...['server/discover', 'subscriptions/listen', 'completion/complete', 'tasks/get', '__proto__'],
  ...['notifications/initialized', 'notifications/cancelled', 'sampling/createMessage'],
]
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': NEW,
  'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const anything = fc.jsonValue({ maxDepth: 3 })
const argument = fc.oneof(
  anything,
  fc.constantFrom(...named('mint').slice(0, 3), ...named('signer').slice(0, 3)),
  fc.constantFrom(-1, 0, 2 ** 53, 1e308, '1e1', '', ' ', '../..', '%00', '\ud800', 'start', 'new'),
  fc.string({ unit: 'binary' }),
)
const names = fc.constantFrom(
  ...['mint', 'wallet', 'query', 'limit', 'page', 'cursor', 'type', 'filters', 'resolution', 'to'],
  ...['countback', 'order_by', 'order_direction', '__proto__', 'constructor', 'from'],
)
const params = fc.record(
  {
    name: fc.oneof(fc.constantFrom(...TOOLS.map(({ name }) => name)), anything),
    arguments: fc.oneof(fc.dictionary(names, argument, { noNullPrototype: true }), anything),
    uri: fc.oneof(fc.constantFrom('mintfeed://token/x', 'mintfeed://table/new', 'x:'), anything),
    _meta: fc.oneof(fc.constant(ENVELOPE), anything),
    protocolVersion: anything,
    notifications: anything,
  },
  { requiredKeys: [] },
)
const message = fc.oneof(
  anything,
  fc.record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, anything),
      id: fc.oneof(fc.integer(), fc.string(), anything),
      method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, fc.string()),
      params: fc.oneof({ weight: 9, arbitrary: params }, anything),
    },
    { requiredKeys: [] },
  ),
)
const headers = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { 'mcp-protocol-version': '2025-11-25' },
  { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call', 'mcp-name': 'get_token' },
  { 'mcp-protocol-version': NEW },
  { 'mcp-session-id': 'x' },
)

test('no message is a fault of the service, and none is left without an answer', async () => {
  await fc.assert(
    fc.asyncProperty(message, headers, async (body, given) => {
      const text = JSON.stringify(body)
      const response = await fetch(`${service.server.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...given },
        body: text,
      })
      const answer = await response.text()
      expect(response.status, text).toBeLessThan(500)
      expect(answer, text).not.toContain('Internal server error')
      if (response.headers.get('content-type')?.startsWith('application/json') !== true) return
      const json: unknown = JSON.parse(answer)
      expect(isRecord(json) && json.jsonrpc, text).toBe('2.0')
      const error = recordAt(json, 'error')
      // The SDK gives the code of a defect to parameters of a wrong shape, with the list of what is wrong.
      const isShape = /^\[\s*\{/.test(textAt(error, 'message') ?? '')
      expect(error?.code === -32_603 && !isShape, `${text} ${answer}`).toBe(false)
    }),
    { numRuns: byLength(400, 5_000) },
  )
  expect(logged).toEqual([])
  expect((await post(service.server.url, INITIALIZE)).status).toBe(200)
  expect((await post(service.server.url, rpc('ping'))).json).toMatchObject({ result: {} })
})
