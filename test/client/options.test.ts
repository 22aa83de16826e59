import { afterEach, expect, test, vi } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { type Socket, settingsOf } from '../../client/src/options.ts'

const URL = 'http://127.0.0.1:1'
/** What a program in JavaScript may give: nothing checks it before it runs. */
const untyped = (text: string) => JSON.parse(text)

let client: Mintfeed | null = null
afterEach(() => {
  client?.close()
  client = null
  vi.useRealTimers()
})

/** A service that is not there. */
class DeadSocket implements Socket {
  addEventListener(
    type: string,
    listener: (event: { readonly data: unknown; readonly code?: number }) => void,
  ): void {
    if (type === 'error') queueMicrotask(() => listener({ data: null }))
  }
  send(): void {}
  close(): void {}
}

async function attemptsInTenSeconds(backoff: object): Promise<number> {
  vi.useFakeTimers()
  let attempts = 0
  const openSocket = () => {
    attempts += 1
    return new DeadSocket()
  }
  client = new Mintfeed(URL, { openSocket, backoff, random: () => 1 })
  void client.live.launches()
  await vi.advanceTimersByTimeAsync(10_000)
  return attempts
}

test('a back-off that is given in part, or in other words, waits the usual time for the rest', async () => {
  expect(await attemptsInTenSeconds({})).toBe(6)
  expect(await attemptsInTenSeconds({ longestMs: 1_000 })).toBe(12)
  expect(await attemptsInTenSeconds({ firstMs: 2_000 })).toBe(3)
  expect(await attemptsInTenSeconds(untyped('{"minMs":50,"maxMs":500}'))).toBe(6)
})

const TIMES = ['requestTimeoutMs', 'rateWaitMs', 'silenceMs', 'bufferMax'] as const

test.each(TIMES)(
  '%s that is no number, as of a variable that is not set, is the usual one',
  (name) => {
    const given = { [name]: Number('unset') }
    expect(settingsOf(URL, given)[name]).toBe(settingsOf(URL, {})[name])
  },
)

test('a time without an end is the longest that a timer knows, not none', async () => {
  const settings = settingsOf(URL, {
    requestTimeoutMs: Number.POSITIVE_INFINITY,
    silenceMs: 2 ** 40,
    backoff: { longestMs: Number.POSITIVE_INFINITY },
  })
  expect(settings.requestTimeoutMs).toBe(2 ** 31 - 1)
  expect(settings.silenceMs).toBe(2 ** 31 - 1)
  expect(settings.backoff).toEqual({ firstMs: 250, longestMs: 2 ** 31 - 1 })
})

test('a platform without WebSocket is told at once what to give, and its streams end', async () => {
  vi.stubGlobal('WebSocket', undefined)
  try {
    client = new Mintfeed(URL)
  } finally {
    vi.unstubAllGlobals()
  }
  const problems: string[] = []
  client.live.onProblem(({ code, message }) => problems.push(`${code}: ${message}`))
  const refused: unknown[] = []
  for (const stream of [
    client.live.trades(['A', 'B']),
    client.live.launches(),
    client.live.tables({}),
    client.live.tableTrades({}),
    client.live.candles('A', '1'),
  ])
    for await (const update of stream) refused.push(update)
  expect(refused.length).toBe(6)
  for (const update of refused)
    expect(update).toMatchObject({ kind: 'refused', problem: { code: 'no_socket' } })
  // Once, however much is followed.
  expect(problems).toEqual([
    expect.stringMatching(/^no_socket: This platform has no WebSocket.*: give openSocket, .*\.$/),
  ])
})

test('a platform without fetch is told what to give', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', undefined)
  try {
    client = new Mintfeed(URL, { backoff: { firstMs: 100, longestMs: 100 }, random: () => 1 })
  } finally {
    vi.unstubAllGlobals()
  }
  const answer = client.read.token('A')
  await vi.advanceTimersByTimeAsync(250)
  expect(await answer).toMatchObject({
    problem: { code: 'network', message: 'This platform has no fetch: give one.' },
  })
})
