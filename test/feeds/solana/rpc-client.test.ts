import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { freePort } from '../../process/free-port.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { rpcServer } from './rpc-server.ts'

const NEVER = new AbortController().signal

async function asked() {
  const { url, questions } = await rpcServer()
  const timers = new VirtualTimers()
  return { client: new RpcClient(url, timers), timers, questions }
}

test('a 429 to a question whose asker has gone is counted and heeded all the same', async () => {
  const { client, timers, questions } = await asked()
  const asker = new AbortController()
  const gone = client.ask('getBlock', [1], asker.signal).catch((error: Error) => error.name)
  await until(() => questions.length === 1)
  asker.abort()
  questions[0].refuse({ 'retry-after': '2' })
  expect(await gone).toBe('AbortError')
  expect(client.counters).toEqual({ requests: 1, rateLimited: 1, errors: 0 })
  const next = client.ask('getBlock', [2], NEVER)
  await timers.pass(1_999)
  expect(questions).toHaveLength(1)
  await timers.pass(1)
  await until(() => questions.length === 2)
  questions[1].answer('block')
  expect(await next).toBe('block')
})

test('a 429 that names a wait of weeks, or without end, is heeded for an hour', async () => {
  const { client, timers, questions } = await asked()
  for (const [index, wait] of ['3000000', '1e400'].entries()) {
    const answered = client.ask('getSlot', [], NEVER)
    await until(() => questions.length === 2 * index + 1)
    questions[2 * index].refuse({ 'retry-after': wait })
    await until(() => timers.waiting === 1)
    await timers.pass(3_599_999)
    expect(questions).toHaveLength(2 * index + 1)
    await timers.pass(1)
    await until(() => questions.length === 2 * index + 2)
    questions[2 * index + 1].answer(index)
    expect(await answered).toBe(index)
  }
})

test('a 429 that names the date until which to wait is heeded, by the clock of its server', async () => {
  const { client, timers, questions } = await asked()
  const answered = client.ask('getSlot', [], NEVER)
  await until(() => questions.length === 1)
  const [date, end] = ['Wed, 21 Oct 2015 07:28:00 GMT', 'Wed, 21 Oct 2015 07:28:30 GMT']
  questions[0].refuse({ date, 'retry-after': end })
  await until(() => timers.waiting === 1)
  await timers.pass(29_999)
  expect(timers.waiting).toBe(1)
  await timers.pass(1)
  await until(() => questions.length === 2)
  questions[1].answer(7)
  expect(await answered).toBe(7)
})

test('a server that says 429 in the body of its answer is asked again after a while as well', async () => {
  const { client, timers, questions } = await asked()
  const answered = client.ask('getSlot', [], NEVER)
  for (const [n, waitMs] of [500, 1_000].entries()) {
    await until(() => questions.length === n + 1)
    questions[n].fail(429, 'Too many requests for a specific RPC call')
    await until(() => timers.waiting === 1)
    await timers.pass(waitMs - 1)
    expect(questions).toHaveLength(n + 1)
    await timers.pass(1)
  }
  await until(() => questions.length === 3)
  questions[2].answer(7)
  expect(await answered).toBe(7)
  expect(client.counters).toEqual({ requests: 3, rateLimited: 2, errors: 0 })
})

test('the answer to a question whose asker has gone is not waited for without end', async () => {
  const { client, timers, questions } = await asked()
  const asker = new AbortController()
  const gone = client.ask('getBlock', [1], asker.signal).catch((error: Error) => error.name)
  await until(() => questions.length === 1)
  asker.abort()
  await timers.pass(2_000)
  expect(await gone).toBe('AbortError')
  expect(client.counters).toEqual({ requests: 1, rateLimited: 0, errors: 0 })
})

test('four questions are under way at once, the others come in turn', async () => {
  const { client, questions } = await asked()
  const answers = Array.from({ length: 7 }, (_, n) => client.ask('getSlot', [n], NEVER))
  await until(() => questions.length === 4)
  for (let n = 0; n < 3; n++) {
    questions[n].answer(n)
    // A newcomer does not overtake those that wait.
    if (n === 0) answers.push(client.ask('getSlot', [7], NEVER))
    await until(() => questions.length === 5 + n)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    expect(questions).toHaveLength(5 + n)
  }
  for (let n = 3; n < 8; n++) {
    await until(() => questions.length > n)
    questions[n].answer(n)
  }
  expect((await Promise.all(answers)).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('a question that waits for its turn goes with its asker', async () => {
  const { client, questions } = await asked()
  const answers = Array.from({ length: 4 }, (_, n) => client.ask('getSlot', [n], NEVER))
  const asker = new AbortController()
  const gone = client.ask('getSlot', [4], asker.signal).catch((error: Error) => error.name)
  const after = client.ask('getSlot', [5], NEVER)
  await until(() => questions.length === 4)
  asker.abort()
  expect(await gone).toBe('AbortError')
  for (const [n, question] of questions.slice(0, 4).entries()) question.answer(n)
  await until(() => questions.length === 5)
  questions[4].answer(5)
  expect(await Promise.all([...answers, after])).toEqual([0, 1, 2, 3, 5])
})

test('a server that cannot be reached is said to be so, with the reason', async () => {
  const refused = new RpcClient(`http://127.0.0.1:${await freePort()}`, new VirtualTimers())
  await expect(refused.ask('getSlot', [], NEVER)).rejects.toThrow(
    'the RPC server does not answer getSlot (ECONNREFUSED)',
  )
  expect(refused.counters).toEqual({ requests: 1, rateLimited: 0, errors: 1 })
})

test('a paced client asks no more than so many questions a second, and so many at once', async () => {
  const { url, questions } = await rpcServer()
  const timers = new VirtualTimers()
  const client = new RpcClient(url, timers, { questionsAtOnce: 3, questionsPerSecond: 2 })
  const answers = Array.from({ length: 5 }, (_, n) => client.ask('getSlot', [n], NEVER))
  await until(() => questions.length === 1)
  await timers.pass(499)
  expect(questions).toHaveLength(1)
  await timers.pass(1)
  await until(() => questions.length === 2)
  await timers.pass(5_000)
  await until(() => questions.length === 3)
  expect(questions).toHaveLength(3)
  for (let n = 0; n < 5; n++) {
    await until(() => questions.length > n)
    questions[n].answer(n)
    await nextTurn()
    await timers.pass(500)
  }
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4])
})
