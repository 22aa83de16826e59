import type { Client } from '@modelcontextprotocol/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRecord, listAt } from '../../src/base/json-access.ts'
import { toolForms } from '../../src/mcp/tool-forms.ts'
import { ANSWER_BYTES_MAX, LINKS_MAX, toolAnswer } from '../../src/mcp/tool-result.ts'
import { RANGE_FILTERS } from '../../src/protocol/filters.ts'
import { CHART_COLUMNS, RESOLUTIONS, TRADER_ORDERS } from '../../src/protocol/queries.ts'
import { byLength } from '../lengths.ts'
import { created } from '../oracle/fixtures.ts'
import '../property-seed.ts'
import type { EngineServer } from '../server/engine-server.ts'
import { agentAt, call } from './agent.ts'
import { marketServer, named } from './market.ts'

const MINTS = named('mint')
const WALLETS = named('signer')
const [MINT = ''] = MINTS
const [WALLET = ''] = WALLETS

let service: EngineServer
let client: Client
beforeAll(async () => {
  service = await marketServer()
  client = await agentAt(service.server.url, 'auto')
})
afterAll(async () => {
  await client.close()
  await service.server.stop()
})

const tables = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const S = '/api/v2/search'

test.each([
  ['get_token', { mint: MINT }, `/api/v2/tokens/${MINT}`, undefined],
  ['get_alerts', { rule: 'r', after: 0 }, '/api/v2/alerts?after=0&limit=10&rule=r', undefined],
  ['get_table', { type: 'new' }, '/api/v2/meme', tables({ type: 'new', limit: 10 })],
  [
    'get_table',
    { type: 'graduated', limit: 50, filters: { holders: { min: 3 }, dexPaid: false } },
    '/api/v2/meme',
    tables({ type: 'graduated', limit: 50, graduated: { holders: { min: 3 } } }),
  ],
  [
    'get_chart',
    { mint: MINT, resolution: '5' },
    `/api/v2/meme/chart/ohlcv?mint=${MINT}&resolution=5&from=0&to=99999999999&countback=50`,
    undefined,
  ],
  [
    'get_chart',
    { mint: MINT, resolution: '1D', countback: 2, to: 1_795_100_000 },
    `/api/v2/meme/chart/ohlcv?mint=${MINT}&resolution=1D&from=0&to=1795100000&countback=2`,
    undefined,
  ],
  ['get_traders', { mint: MINT }, `${S}/traders/tokens/${MINT}?limit=10`, undefined],
  [
    'get_traders',
    { mint: MINT, order_by: 'bought_tokens', order_direction: 'asc', page: 2, limit: 3 },
    `${S}/traders/tokens/${MINT}?order_by=bought_tokens&order_direction=asc&page=2&limit=3`,
    undefined,
  ],
  ['get_wallet', { wallet: WALLET }, `${S}/traders/${WALLET}/tokens?limit=10`, undefined],
  ['get_swaps', { mint: MINT }, `${S}/tokens/${MINT}/swaps?cursor=start&limit=10`, undefined],
  [
    'get_swaps',
    { mint: MINT, wallet: WALLET, limit: 1 },
    `${S}/tokens/${MINT}/swaps?cursor=start&wallet=${WALLET}&limit=1`,
    undefined,
  ],
])('%s with %j is the answer of the API', async (name, given, path, init) => {
  const { typed, isError, text } = await call(client, name, given)
  expect([isError, text]).toEqual([false, expect.any(String)])
  expect(typed).toEqual(await service.json(path, init))
})

test('search_tokens has the first rows of the search, and says what was left out', async () => {
  const all = await service.json(`${S}/tokens/detailed?query=pump`)
  if (!Array.isArray(all)) throw new Error('the search is a list')
  const { typed, text } = await call(client, 'search_tokens', { query: 'pump', limit: 3 })
  const most = await call(client, 'search_tokens', { query: 'pump', limit: 50 })
  const fitting = listAt(most.typed, 'items')?.length
  const note = `Shown are the first 3 of the ${all.length} rows that the service gave; \`limit\` up to ${fitting} asks for more.`
  expect(typed).toEqual({ items: all.slice(0, 3), note })
  expect(text.startsWith(`${note}\n\n`)).toBe(true)
})

test('pages and cursors go on where an answer ends', async () => {
  const found: unknown[] = []
  let cursor: unknown
  do {
    const { typed } = await call(client, 'get_swaps', {
      ...{ mint: MINT, limit: 50 },
      ...(typeof cursor === 'string' && { cursor }),
    })
    found.push(...(listAt(typed, 'items') ?? []))
    cursor = typed.next_cursor
  } while (typeof cursor === 'string')
  const all = await service.json(`${S}/tokens/${MINT}/swaps?limit=200`)
  expect(found.length).toBe(Number(isRecord(all) && all.total))
  expect(found.slice(0, 200)).toEqual(listAt(all, 'items'))
})

test('links lead to the tokens of an answer, which can be read', async () => {
  const { links, typed } = await call(client, 'get_table', { type: 'new', limit: 50 })
  const mints = (listAt(typed, 'new') ?? []).map((row) => isRecord(row) && row.mint)
  expect(mints.length).toBeGreaterThan(LINKS_MAX)
  expect(links).toEqual(mints.slice(0, LINKS_MAX).map((mint) => `mintfeed://token/${mint}`))
  const { contents } = await client.readResource({ uri: links[0] ?? '' })
  const { text } = await call(client, 'get_token', { mint: mints[0] })
  expect(contents).toEqual([expect.objectContaining({ text })])
})

test('every answer fits the schema of its tool, for random tokens, wallets and arguments', async () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true })
  const { tools } = await client.listTools()
  const schemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema]))
  const checks = new Map(
    [...schemas].map(([name, schema]) => [name, ajv.compile(closed(schema ?? {}))]),
  )
  const limit = fc.integer({ min: 1, max: 50 })
  const mint = fc.constantFrom(...MINTS)
  const order = fc.record(
    {
      order_by: fc.constantFrom(...TRADER_ORDERS),
      order_direction: fc.constantFrom('asc', 'desc'),
      page: fc.integer({ min: 1, max: 5 }),
      limit,
    },
    { requiredKeys: [] },
  )
  const range = fc.record({ min: fc.integer({ min: 0, max: 50 }) }, { requiredKeys: [] })
  const filters = fc.dictionary(fc.constantFrom(...RANGE_FILTERS), range, { maxKeys: 2 })
  const calls = fc.oneof(
    fc.record({ name: fc.constant('get_token'), given: fc.record({ mint }) }),
    fc.record({
      name: fc.constant('search_tokens'),
      given: fc.record({ query: fc.string({ minLength: 1, maxLength: 3 }), limit }),
    }),
    fc.record({
      name: fc.constant('get_table'),
      given: fc.record({
        ...{ type: fc.constantFrom('new', 'completing', 'graduated'), limit, filters },
      }),
    }),
    fc.record({
      name: fc.constant('get_chart'),
      given: fc.record({
        ...{ mint, resolution: fc.constantFrom(...RESOLUTIONS) },
        countback: fc.integer({ min: 1, max: 200 }),
      }),
    }),
    fc.record({
      name: fc.constant('get_traders'),
      given: fc.tuple(mint, order).map(([one, rest]) => ({ mint: one, ...rest })),
    }),
    fc.record({
      name: fc.constant('get_wallet'),
      given: fc
        .tuple(fc.constantFrom(...WALLETS), order)
        .map(([wallet, rest]) => ({ wallet, ...rest })),
    }),
    fc.record({
      name: fc.constant('get_swaps'),
      given: fc.record(
        { mint, wallet: fc.constantFrom(...WALLETS), limit },
        { requiredKeys: ['mint'] },
      ),
    }),
  )
  await fc.assert(
    fc.asyncProperty(calls, async ({ name, given }) => {
      const { typed, isError, text } = await call(client, name, given)
      // A blank search is refused.
      if (isError) {
        expect([name, text]).toEqual(['search_tokens', expect.stringMatching(/^query came/)])
        return
      }
      const check = checks.get(name)
      expect(check?.(typed) === true ? [] : check?.errors, JSON.stringify(given)).toEqual([])
      expect(Buffer.byteLength(JSON.stringify(typed))).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
    }),
    { numRuns: byLength(60, 1_000) },
  )
})

/** The same schema, by which an object has no key that it does not name. */
function closed(schema: unknown): object {
  if (!isRecord(schema)) return {}
  const { properties, items, ...rest } = schema
  const parts = Object.entries(isRecord(properties) ? properties : {})
  return {
    ...rest,
    ...(items !== undefined && { items: closed(items) }),
    ...(parts.length > 0 && {
      properties: Object.fromEntries(parts.map(([key, part]) => [key, closed(part)])),
      additionalProperties: false,
    }),
  }
}

test('rows whose texts are long are fewer, so that an answer stays small', async () => {
  const wide = await marketServer()
  const long = (at: number) => `${at} ${'𒀀'.repeat(250)}`
  for (let at = 0; at < 60; at++) {
    const mint = `Wide${String(at).replace('0', 'z').padStart(4, '1')}1111111111111111111111111111111pump`
    const birth = { mint, creator: 'wide', name: long(at), symbol: long(at) }
    const place = { slot: 900_000_000 + at, timestamp: 1_795_190_000, signature: `w${at}` }
    wide.feed([created({ ...birth, ...place })])
    wide.feed([
      {
        ...{ type: 'metadata', timestamp: 1_795_190_000, mint },
        ...{ description: '𒀀'.repeat(4_096), website: `https://a.example/${'a'.repeat(490)}` },
      },
    ])
  }
  const other = await agentAt(wide.server.url)
  const { typed, text } = await call(other, 'get_table', { type: 'new', limit: 50 })
  const rows = listAt(typed, 'new') ?? []
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.length).toBeLessThan(10)
  expect(typed.note).toMatch(
    new RegExp(
      `^Shown are the first ${rows.length} of the 50 rows .*48 KiB. Narrower .filters. find fewer.$`,
    ),
  )
  // So do the tokens of a creator, whose list is inside another object.
  const [row] = rows
  const one = await call(other, 'get_token', { mint: isRecord(row) ? row.mint : '' })
  expect(one.typed.note).toMatch(/^Shown are the first \d+ of the \d+ rows .* 48 KiB\.$/)
  for (const answer of [typed, one.typed])
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
  for (const shown of [text, one.text])
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
  await other.close()
  await wide.server.stop()
})

test('of bars that are too many the newest are shown', () => {
  const form = toolForms().get('get_chart')
  if (form === undefined) throw new Error('there is no chart')
  const column = Array.from({ length: 2_000 }, (_, at) => at)
  const chart = Object.fromEntries(CHART_COLUMNS.map((name) => [name, column]))
  const { typed, text } = toolAnswer(form, { countback: 2_000 }, JSON.stringify(chart))
  const times = listAt(typed, 't') ?? []
  expect(times.at(-1)).toBe(1_999)
  expect(times).toEqual(listAt(typed, 'v_sol'))
  expect(times.length).toBeLessThan(2_000)
  expect(typed.note).toMatch(
    /^Shown are the last \d+ of the 2000 bars .*`to` below the first t has those before\.$/,
  )
  expect(text).toContain(`bars (${times.length}):\nt | o | h |`)
})

test('a token whose address is a name of an event line can be asked for', async () => {
  service.feed([created({ mint: 'a name / of ?' })])
  const { typed } = await call(client, 'get_token', { mint: 'a name / of ?' })
  expect(typed).toMatchObject({ mint: 'a name / of ?' })
})
