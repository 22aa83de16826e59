import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import type { FetchAnswer } from '../../client/src/options.ts'

/** Requests that wait or are under way at most. */
const REQUESTS_MAX = 1_000
const REFUSED = '{"statusCode":429,"code":"rate_limited","message":"m","details":[]}'

function answer(status: number, body = '[]'): FetchAnswer {
  return { status, headers: { get: () => null }, text: async () => body }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('of requests that wait there is a most, and each that is answered makes room', async () => {
  const asked: ((answered: FetchAnswer) => void)[] = []
  const fetch = () => new Promise<FetchAnswer>((resolve) => asked.push(resolve))
  const client = new Mintfeed('http://127.0.0.1:1', { fetch })
  const waiting = Array.from({ length: REQUESTS_MAX }, () => client.read.search('name'))
  await vi.advanceTimersByTimeAsync(0)
  const refused = { ok: false, problem: { code: 'too_many_waiting' } }
  expect(await client.read.search('name')).toMatchObject(refused)
  asked[0]?.(answer(200))
  await waiting[0]
  const next = client.read.search('name')
  expect(await client.read.search('name')).toMatchObject(refused)
  await vi.advanceTimersByTimeAsync(0)
  for (const resolve of asked) resolve(answer(200))
  const answers = await Promise.all([...waiting, next])
  expect(new Set(answers.map(({ ok }) => ok))).toEqual(new Set([true]))
  client.close()
})

test('what failed on the way is tried three times, behind a wait for the rate limit too', async () => {
  const statuses = [429, 429, 502, 502, 200]
  const fetch = async () => {
    const status = statuses.shift() ?? 0
    return answer(status, status === 429 ? REFUSED : '[]')
  }
  const client = new Mintfeed('http://127.0.0.1:1', { fetch })
  const found = client.read.search('name')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await found).toMatchObject({ ok: true, data: [] })
  client.close()
})
