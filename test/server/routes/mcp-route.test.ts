import { afterEach, expect, test } from 'vitest'
import { type Budget, OutOfTime } from '../../../src/base/budget.ts'
import { listAt, recordAt, textAt } from '../../../src/base/json-access.ts'
import type { Queries } from '../../../src/protocol/queries.ts'
import { INITIALIZE, post, rpc } from '../../mcp/agent.ts'
import { type FakeService, fakeAnswers, startFake } from '../fake-service.ts'
import { rawConnect, waitUntil } from '../raw-http.ts'

const MINT = 'm'.repeat(40)
const SWAPS = rpc('tools/call', { name: 'get_traders', arguments: { mint: MINT } })

let fake: FakeService
afterEach(() => fake?.server.stop())

/** What a call answered as a tool: its sentence, or its typed result. */
async function outcome(message: unknown, headers: Readonly<Record<string, string>> = {}) {
  const { status, json } = await post(fake.server.url, message, headers)
  const result = recordAt(json, 'result')
  const sentence = textAt(listAt(result, 'content')?.[0], 'text')
  return { status, sentence, isError: result?.isError, typed: result?.structuredContent }
}

/** A read that goes on until it is told to end, a slice at a time. */
function endless() {
  const asked = { goes: 0, mayEnd: false }
  const tokenTraders = (_mint: string, _query: unknown, budget: Budget): string => {
    asked.goes += 1
    while (budget.hasTime());
    if (asked.mayEnd) return '{"total":0,"page":1,"limit":10,"items":[]}'
    throw new OutOfTime()
  }
  const answers: Queries = { ...fakeAnswers([], () => '{}'), tokenTraders }
  return { asked, answers }
}

test('a tool takes from the limit of the endpoint that it stands for, and says when to come back', async () => {
  fake = await startFake({ hasMcp: true, rateLimit: { limit: 3, windowMs: 60_000 } })
  const path = `${fake.server.url}/api/v2/search/traders/tokens/${MINT}`
  expect((await fetch(path)).status).toBe(200)
  expect((await fetch(path)).status).toBe(200)
  expect(await outcome(SWAPS)).toMatchObject({ typed: { made: true } })
  expect(await outcome(SWAPS)).toMatchObject({
    ...{ status: 200, isError: true },
    sentence: 'More than 3 requests came in one window, retry in 60 seconds.',
  })
  expect((await fetch(path)).status).toBe(429)
  // Other endpoints have limits of their own, and so has /mcp itself.
  const other = rpc('tools/call', { name: 'get_wallet', arguments: { wallet: MINT } })
  expect(await outcome(other)).toMatchObject({ typed: { made: true } })
  const late = await post(fake.server.url, other)
  expect([late.status, late.headers.get('retry-after')]).toEqual([429, '60'])
  expect(late.json).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'rate_limited' } } })
})

test('the limit of a tool is that of the client behind a proxy', async () => {
  const rateLimit = { limit: 1, windowMs: 60_000 }
  fake = await startFake({ hasMcp: true, rateLimit, trustProxy: ['127.0.0.1'] })
  const from = (client: string) => ({ 'x-forwarded-for': client })
  expect(await outcome(SWAPS, from('9.9.9.8'))).toMatchObject({ typed: { made: true } })
  expect((await post(fake.server.url, SWAPS, from('9.9.9.8'))).status).toBe(429)
  expect(await outcome(SWAPS, from('9.9.9.9'))).toMatchObject({ typed: { made: true } })
})

test('a service that starts answers agents 503, as it does all others', async () => {
  fake = await startFake({ hasMcp: true })
  fake.starting = true
  fake.notReady = 'The journal is read.'
  const { status, headers, json } = await post(fake.server.url, INITIALIZE)
  expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  expect(textAt(recordAt(json, 'error'), 'message')).toBe('The journal is read.')
})

test('what a route throws goes to the log, and to the agent as one sentence', async () => {
  fake = await startFake({ hasMcp: true })
  fake.body = () => {
    throw new Error('a secret of the service')
  }
  expect(await outcome(SWAPS)).toMatchObject({
    ...{ status: 200, isError: true },
    sentence: 'The service failed on this request.',
  })
  expect(fake.logged).toContain('A route threw that another one called')
})

test('a read of many turns is answered, and others are answered meanwhile', async () => {
  const { asked, answers } = endless()
  fake = await startFake({ hasMcp: true, answers })
  const deep = outcome(SWAPS)
  await waitUntil(() => asked.goes > 3)
  for (let other = 0; other < 20; other++) {
    const ping = await post(fake.server.url, rpc('ping'))
    expect(ping.status).toBe(200)
  }
  expect(asked.goes).toBeGreaterThan(10)
  asked.mayEnd = true
  expect(await deep).toMatchObject({ typed: { total: 0 } })
})

test('nobody looks on for an agent that has gone', async () => {
  const { asked, answers } = endless()
  // The deadline must not be what ends it.
  fake = await startFake({ hasMcp: true, answers, limits: { routeDeadlineMs: 600_000 } })
  const raw = await rawConnect(fake.server.port)
  const body = JSON.stringify(SWAPS)
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  raw.socket.write(`${head}\r\n\r\n${body}`)
  await waitUntil(() => asked.goes > 3)
  raw.socket.destroy()
  const figures = async () =>
    (await (await fetch(`${fake.server.url}/readyz`)).json()) as Record<string, number>
  await expect.poll(async () => (await figures()).turn_waiting).toBe(0)
  const { goes } = asked
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked.goes).toBe(goes)
})

test('an agent whose read takes longer than a route may is answered 503, and the read ends', async () => {
  const { asked, answers } = endless()
  fake = await startFake({ hasMcp: true, answers, limits: { routeDeadlineMs: 100 } })
  const { status, json } = await post(fake.server.url, SWAPS)
  expect(status).toBe(503)
  expect(json).toMatchObject({ error: { data: { code: 'deadline_exceeded' } } })
  const { goes } = asked
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked.goes - goes).toBeLessThanOrEqual(1)
})

test('past the messages that one client may have one more is sent away, and others have their own', async () => {
  const { asked, answers } = endless()
  fake = await startFake({ hasMcp: true, answers, trustProxy: ['127.0.0.1'] })
  const from = { 'x-forwarded-for': '9.9.9.8' }
  const many = Array.from({ length: 101 }, () => post(fake.server.url, SWAPS, from))
  const refused = await Promise.race(many)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(refused.json).toMatchObject({
    error: { message: expect.stringMatching(/^Your address has 100 messages of agents that wait/) },
  })
  const other = await post(fake.server.url, rpc('ping'), { 'x-forwarded-for': '9.9.9.9' })
  expect(other.status).toBe(200)
  asked.mayEnd = true
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  // Their places are free again.
  expect((await post(fake.server.url, SWAPS, from)).status).toBe(200)
})

test('one message of a client comes between the many of another one', async () => {
  const order: string[] = []
  const walletTokens: Queries['walletTokens'] = (wallet) => {
    order.push(wallet)
    return '{"total":0,"page":1,"limit":10,"items":[]}'
  }
  const answers = { ...fakeAnswers([], () => '{}'), walletTokens }
  fake = await startFake({ hasMcp: true, answers, trustProxy: ['127.0.0.1'] })
  await post(fake.server.url, INITIALIZE)
  const ask = (wallet: string, client: string) => {
    const call = rpc('tools/call', { name: 'get_wallet', arguments: { wallet: wallet.repeat(40) } })
    return post(fake.server.url, call, { 'x-forwarded-for': client })
  }
  const many = Array.from({ length: 100 }, () => ask('a', '9.9.9.8'))
  await waitUntil(() => order.length > 10)
  const before = order.length
  await ask('b', '9.9.9.9')
  const at = order.indexOf('b'.repeat(40))
  await Promise.all(many)
  expect(order).toHaveLength(101)
  expect(at - before).toBeLessThan(30)
})
