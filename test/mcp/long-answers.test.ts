import type { Client } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { integerAt, isRecord, listAt, textAt } from '../../src/base/json-access.ts'
import { toolForms } from '../../src/mcp/tool-forms.ts'
import { ANSWER_BYTES_MAX, toolAnswer } from '../../src/mcp/tool-result.ts'
import { byLength } from '../lengths.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import '../property-seed.ts'
import { EngineServer } from '../server/engine-server.ts'
import { agentAt, call } from './agent.ts'

const MINT = 'mint'
const TOKENS = 60
const SWAPS = 130
/** Bytes of each alert's longest text, by number from 1 on. */
let alertBytes: readonly number[] = []

/** An alert of a rule, as it is stored. */
function alertBody(n: number, bytes: number): string {
  const data = {
    ...{ signature: `s${n}`, timestamp: '2023-11-14 00:03:21', mint: MINT },
    ...{ bonding_curve: 'c'.repeat(bytes), pool_amm: 'pool' },
  }
  const about = { timestamp: '2023-11-14 00:03:21', event: 'token_migrated' }
  return JSON.stringify({ id: `e1:${n}:r`, rule: 'r', seq: n, epoch: 'e1', ...about, data })
}

let service: EngineServer
let client: Client
beforeAll(async () => {
  service = await EngineServer.start(
    'e1',
    undefined,
    { hasMcp: true },
    {
      liveHead: () => alertBytes.length,
      liveSince: () => [],
      livePage: ({ after, limit }) => {
        const all = alertBytes.map((bytes, i) => ({ n: i + 1, bytes }))
        const found = after === null ? all.slice(-limit) : all.slice(after, after + limit)
        return { first: 1, alerts: found.map(({ n, bytes }) => ({ n, body: alertBody(n, bytes) })) }
      },
    },
  )
  service.feed([{ type: 'sol_price', timestamp: START_SECOND, usd: 100 }])
  for (let at = 0; at < TOKENS; at++) {
    const name = `${at} ${'n'.repeat(at % 7 === 0 ? 1_000 : 400)}`
    const mint = at === 0 ? MINT : `m${at}`
    service.feed([created({ mint, name, bondingCurve: `c${at}`, signature: `c${at}` })])
    service.feed([swap({ mint, pool: `c${at}`, signer: 'all' })])
  }
  for (let at = 0; at < SWAPS; at++)
    service.feed([
      swap({ slot: 120 + at, signer: `w${at}`, pool: 'c0', signature: `${at}-`.repeat(150) }),
    ])
  client = await agentAt(service.server.url, 'auto')
})
afterAll(async () => {
  await client.close()
  await service.server.stop()
})

/** Numbers or texts under a key of the rows of an answer. */
function column(answer: unknown, key: string): readonly unknown[] {
  return (listAt(answer, 'items') ?? []).map((row) => isRecord(row) && row[key])
}

/** Numbers of all alerts that are read page by page. */
async function alertsInPages(limit: number): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (let after = 0; after < alertBytes.length; ) {
    const { typed } = await call(client, 'get_alerts', { after, limit })
    found.push(...column(typed, 'n'))
    const next = integerAt(typed, 'next_after') ?? 0
    expect(next).toBeGreaterThan(after)
    after = next
  }
  return found
}

test('an agent that pages by next_after sees each alert once, however long alerts are', async () => {
  const bytes = fc.array(fc.constantFrom(10, 1_500, 12_000), { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 8, max: 50 }), async (lengths, limit) => {
      alertBytes = lengths
      expect(await alertsInPages(limit)).toEqual(lengths.map((_, i) => i + 1))
    }),
    { numRuns: byLength(6, 200) },
  )
})

test('an alert that no answer has room for is passed over, and those behind it are read', async () => {
  alertBytes = [10, 60_000, 10]
  expect(await alertsInPages(50)).toEqual([1, 3])
})

test('without a number the newest alerts are shown, and next_after is that of the newest', async () => {
  alertBytes = Array.from({ length: 60 }, () => 2_000)
  const { typed } = await call(client, 'get_alerts', { limit: 50 })
  const numbers = column(typed, 'n')
  expect(numbers.at(-1)).toBe(60)
  expect(numbers.length).toBeLessThan(50)
  expect(typed).toMatchObject({ head: 60, next_after: 60 })
  expect(typed.note).toBe(
    `Shown are the last ${numbers.length} of the 50 rows that the service gave: an answer has at most 48 KiB. \`next_after\` leads to newer ones, \`after\` below the first \`n\` to older ones.`,
  )
})

test('the cursor of swaps that are too many goes on behind the last one that is shown', async () => {
  const found: unknown[] = []
  let cursor = 'start'
  while (cursor !== '') {
    const { typed } = await call(client, 'get_swaps', { mint: MINT, limit: 50, cursor })
    const signatures = column(typed, 'signature')
    if (found.length === 0)
      expect(typed.note).toBe(
        `Shown are the first ${signatures.length} of the 50 rows that the service gave: an answer has at most 48 KiB. \`next_cursor\` leads to the next ones.`,
      )
    found.push(...signatures)
    cursor = textAt(typed, 'next_cursor') ?? ''
  }
  const pages = await Promise.all(
    [1, 2].map((page) =>
      service.json(`/api/v2/search/tokens/${MINT}/swaps?limit=100&page=${page}`),
    ),
  )
  expect(found).toEqual(pages.flatMap((page) => column(page, 'signature')))
  expect(found).toHaveLength(SWAPS + 1)
})

test.each([
  ['get_traders', { mint: MINT }, SWAPS + 1, 'wallet'],
  ['get_wallet', { wallet: 'all' }, TOKENS, 'mint'],
])('whoever goes where the note of %s leads misses no row', async (name, given, total, key) => {
  const found = new Set<unknown>()
  let place: object | null = { limit: 50, page: 1 }
  for (let calls = 0; place !== null; calls++) {
    expect(calls).toBeLessThan(30)
    const { typed } = await call(client, name, { ...given, ...place })
    for (const one of column(typed, key)) found.add(one)
    const led = /`page` (\d+) with `limit` (\d+) has the next ones\.$/.exec(String(typed.note))
    const [, page, limit] = (led ?? []).map(Number)
    const rest = { limit: Number(typed.limit), page: Number(typed.page) + 1 }
    const isLast = Number(typed.limit) * Number(typed.page) >= total
    if (led !== null) place = { page, limit }
    else place = isLast ? null : rest
  }
  expect(found.size).toBe(total)
})

test.each([1, 2])(
  'the note of page %i, which was cut, leads to the very next row',
  async (page) => {
    const { typed } = await call(client, 'get_traders', { mint: MINT, limit: 50, page })
    const [, nextPage, limit] = (
      /`page` (\d+) with `limit` (\d+)/.exec(String(typed.note)) ?? []
    ).map(Number)
    const next = await call(client, 'get_traders', { mint: MINT, limit, page: nextPage })
    const all = await service.json(`/api/v2/search/traders/tokens/${MINT}?limit=200`)
    const row = (page - 1) * 50 + column(typed, 'wallet').length
    expect(column(next.typed, 'wallet')).toContain(column(all, 'wallet')[row])
  },
)

test('whoever asks for more rows is never shown fewer, and as many are shown as fit', async () => {
  const { name, given } = { name: 'get_wallet', given: { wallet: 'all' } }
  const counts: number[] = []
  let isWhole = 0
  for (let limit = 1; limit <= 50; limit++) {
    const { typed } = await call(client, name, { ...given, limit })
    const rows = column(typed, 'mint').length
    counts.push(rows)
    if (typed.note === undefined) isWhole = rows
  }
  expect(counts).toEqual(counts.map((_, i) => Math.min(i + 1, isWhole)))
  expect(isWhole).toBeLessThan(50)
  expect(isWhole).toBeGreaterThan(12)
})

const BYTES = 'rows that the service gave: an answer has at most 48 KiB.'

test.each([
  ['get_trending', { limit: 50 }, `of the 60 ${BYTES}`],
  ['get_top_wallets', { limit: 50 }, `of the 60 ${BYTES}`],
  ['get_token', {}, `of the 60 ${BYTES}`],
  ['get_table', { limit: 50 }, `of the 60 ${BYTES} Narrower \`filters\` find fewer.`],
  ['search_tokens', { limit: 50 }, `of the 60 ${BYTES} A longer \`query\` finds fewer.`],
  ['get_prices', {}, `of the 60 ${BYTES} Ask for the others in another call.`],
])('the note of %s tells what can be done, and nothing where nothing can', (name, given, end) => {
  const form = toolForms().get(name)
  if (form === undefined) throw new Error(`there is no ${name}`)
  const items = Array.from({ length: 60 }, (_, at) => ({ mint: `m${at}`, name: 'n'.repeat(2_000) }))
  const { typed, text } = toolAnswer(form, given, JSON.stringify({ items }))
  const rows = column(typed, 'mint').length
  expect(typed.note).toBe(`Shown are the first ${rows} ${end}`)
  const one = Buffer.byteLength(JSON.stringify(items[0])) + 1
  const bytes = Buffer.byteLength(JSON.stringify(typed))
  expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
  expect(bytes).toBeGreaterThan(ANSWER_BYTES_MAX - 512 - one)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
})

test('a search says how far a larger limit leads, and that none does where no more rows fit', () => {
  const form = toolForms().get('search_tokens')
  if (form === undefined) throw new Error('there is no search')
  const found = Array.from({ length: 50 }, (_, at) => ({ mint: `m${at}`, name: 'n'.repeat(2_000) }))
  const { note } = toolAnswer(form, { limit: 10 }, JSON.stringify(found)).typed
  expect(note).toBe(
    'Shown are the first 10 of the 50 rows that the service gave; `limit` up to 24 asks for more.',
  )
  const { typed } = toolAnswer(form, { limit: 24 }, JSON.stringify(found))
  expect(column(typed, 'mint')).toHaveLength(24)
  expect(typed.note).toBe(
    `Shown are the first 24 of the 50 ${BYTES} A longer \`query\` finds fewer.`,
  )
})
