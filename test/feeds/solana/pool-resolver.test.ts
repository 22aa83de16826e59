import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { WRAPPED_SOL_MINT } from '../../../src/feeds/chain/layouts/programs.ts'
import { PoolMints } from '../../../src/feeds/chain/pool-mints.ts'
import { PoolResolver } from '../../../src/feeds/solana/pool-resolver.ts'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { RpcQuestions } from '../../../src/feeds/solana/rpc-questions.ts'
import { poolAccount, poolOf } from '../peers/program-forms.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { rpcServer } from './rpc-server.ts'

const NEVER = new AbortController().signal
const [one, two] = [1, 2].map((byte) => {
  const mint = encodeBase58(new Uint8Array(32).fill(byte))
  return { mint, pool: poolOf(mint), data: poolAccount(mint) }
})

const foundOf = ({ mint }: { mint: string }) => ({
  found: 'mint',
  mint,
  quoteMint: WRAPPED_SOL_MINT,
})

async function resolving() {
  const { url, questions } = await rpcServer()
  const timers = new VirtualTimers()
  const pools = new PoolMints()
  const asking = new RpcQuestions(new RpcClient(url, timers))
  const resolver = new PoolResolver(asking, pools, timers)
  /** Answers a question with the accounts of the pools, null where there is none. */
  const answer = (n: number, ...data: readonly (Buffer | null)[]) =>
    questions[n].answer({
      value: data.map((bytes) => bytes && { data: [bytes.toString('base64'), 'base64'] }),
    })
  return { resolver, pools, questions, timers, answer }
}

test('a look-up goes on for those who wait, when the connection that asked first has gone', async () => {
  const { resolver, pools, questions, answer } = await resolving()
  const connection = new AbortController()
  const first = resolver.resolve([one.pool], connection.signal)
  const second = resolver.resolve([one.pool, two.pool], NEVER)
  await until(() => questions.length === 1)
  connection.abort()
  await first
  answer(0, one.data)
  await until(() => questions.length === 2)
  answer(1, two.data)
  await second
  expect(pools.lookup(one.pool)).toEqual(foundOf(one))
  expect(pools.lookup(two.pool)).toEqual(foundOf(two))
  expect(resolver).toMatchObject({ resolved: 2, failed: 0 })
})

test('who asks while a look-up that nobody wants ends has a question of his own', async () => {
  const { resolver, pools, questions, answer } = await resolving()
  const connection = new AbortController()
  const first = resolver.resolve([one.pool], connection.signal)
  await until(() => questions.length === 1)
  connection.abort()
  await first
  const second = resolver.resolve([one.pool], NEVER)
  answer(0, one.data)
  await until(() => questions.length === 2)
  answer(1, one.data)
  await second
  expect(pools.lookup(one.pool)).toEqual(foundOf(one))
  expect(resolver.failed).toBe(0)
})

test('what nobody waits for any more is asked for no more', async () => {
  const { resolver, questions, timers, answer } = await resolving()
  const connection = new AbortController()
  const known = resolver.resolve([one.pool], connection.signal)
  await until(() => questions.length === 1)
  answer(0, null)
  await until(() => timers.waiting > 0)
  connection.abort()
  await known
  await timers.pass(10_000)
  const other = resolver.resolve([two.pool], NEVER)
  await until(() => questions.length === 2)
  expect(questions[1].params[0]).toEqual([two.pool])
  answer(1, two.data)
  await other
})

test('an account that a node has not yet is asked for again after a while', async () => {
  const { resolver, questions, timers, answer } = await resolving()
  const known = resolver.resolve([one.pool], NEVER)
  await until(() => questions.length === 1)
  answer(0, null)
  await until(() => timers.waiting > 0)
  await timers.pass(299)
  expect(questions).toHaveLength(1)
  await timers.pass(1)
  await until(() => questions.length === 2)
  answer(1, one.data)
  await known
  expect(resolver).toMatchObject({ resolved: 1, failed: 0 })
})

test('a pool whose account nobody has is left unknown in the end, and counted', async () => {
  const { resolver, pools, questions, timers, answer } = await resolving()
  const known = resolver.resolve([one.pool], NEVER)
  for (let n = 0; n < 5; n++) {
    await until(() => questions.length === n + 1)
    answer(n, null)
    await until(() => timers.waiting > 0 || resolver.failed > 0)
    await timers.pass(1_500)
  }
  await known
  expect(pools.lookup(one.pool)).toEqual({ found: 'nothing' })
  expect(resolver).toMatchObject({ resolved: 0, failed: 1 })
  expect(questions).toHaveLength(5)
})

test('an account that is no pool makes no pool foreign: an event names a pool, so the node is wrong', async () => {
  const { resolver, pools, questions, timers, answer } = await resolving()
  const known = resolver.resolve([one.pool], NEVER)
  const wrong = [Buffer.alloc(0), one.data.subarray(0, 40), Buffer.alloc(300, 7)]
  for (const [n, data] of wrong.entries()) {
    await until(() => questions.length === n + 1)
    answer(n, data)
    await until(() => timers.waiting > 0)
    expect(pools.lookup(one.pool)).toEqual({ found: 'nothing' })
    await timers.pass(1_500)
  }
  await until(() => questions.length === wrong.length + 1)
  answer(wrong.length, one.data)
  await known
  expect(pools.lookup(one.pool)).toEqual(foundOf(one))
})

test('pools are asked for a hundred at a time, which is all that a server answers', async () => {
  const { resolver, questions, answer } = await resolving()
  const given = Array.from({ length: 150 }, (_, n) => {
    const mint = encodeBase58(Buffer.alloc(32, 1 + n))
    return { pool: poolOf(mint), data: poolAccount(mint) }
  })
  const known = resolver.resolve(
    given.map(({ pool }) => pool),
    NEVER,
  )
  for (const [n, [from, to]] of [
    [0, 100],
    [100, 150],
  ].entries()) {
    await until(() => questions.length === n + 1)
    const asked = given.slice(from, to)
    expect(questions[n].params[0]).toEqual(asked.map(({ pool }) => pool))
    answer(n, ...asked.map(({ data }) => data))
  }
  await known
  expect(resolver).toMatchObject({ resolved: 150, failed: 0 })
})
