import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { START_SECOND } from '../oracle/fixtures.ts'
import { crowdOfLines, runOfGap } from './folders.ts'
import { ADMIN_TOKEN, askOfStream, Copy, messagesOf } from './stream-copies.ts'

const EPOCH = randomUUID()
const DAY_SECONDS = 86_400
const MESSAGES = messagesOf(crowdOfLines(7, 568), EPOCH)

function against(url: string, { folder }: Copy, token = ADMIN_TOKEN) {
  const args = ['verify', '--against', url, '--data-dir', folder]
  return askOfStream({ SEED_TOKEN: token }, ...args)
}

test('two copies of a stream have one state at one position, whatever their clocks were', async () => {
  const url = await new Copy(EPOCH).take(MESSAGES.slice(0, 20)).snapshot().serve()
  const clocks = [START_SECOND + 2 * DAY_SECONDS, START_SECOND + 60]
  for (const clockSeconds of clocks.slice(0, byLength(1, 2))) {
    const own = new Copy(EPOCH, clockSeconds).take(MESSAGES)
    const told = await against(url, own)
    expect(told.output).toBe(
      `good  state against ${url}: seq 380, the same state\nthe one check holds\n`,
    )
    expect(told.code).toBe(0)
    // The same by way of an own snapshot.
    expect((await against(url, own.snapshot())).code).toBe(0)
  }
})

test('copies are compared within a run that fills a gap too', async () => {
  const [before, filling, rest] = runOfGap()
  const messages = messagesOf([...before, ...filling, ...rest], EPOCH, 1)
  const seq = before.length + filling.length
  // The first one has the settings alone.
  const url = await new Copy(EPOCH)
    .take(messages.slice(0, 1 + seq))
    .snapshot()
    .serve()
  const told = await against(url, new Copy(EPOCH).take(messages).close())
  expect(told.output).toContain(`seq ${seq}, the same state`)
})

test('parts that differ are named', async () => {
  const events = crowdOfLines(7, 568)
  const price = { type: 'sol_price', usd: 7, timestamp: START_SECOND } as const
  const messages = messagesOf(events.with(299, price), EPOCH)
  const url = await new Copy(EPOCH).take(messages.slice(0, 20)).snapshot().serve()
  const { code, output } = await against(url, new Copy(EPOCH).take(MESSAGES).close())
  expect(code).toBe(1)
  expect(output).toMatch(/^BAD {3}state against \S+: seq 380, parts differ: .*\btape\b.*progress/)
})

test('a snapshot is ordered where the other copy has none in reach', async () => {
  const other = new Copy(EPOCH).take(MESSAGES.slice(0, 5))
  const url = await other.serve(() => void other.take(MESSAGES.slice(5, 12)).snapshot())
  const own = new Copy(EPOCH).take(MESSAGES.slice(0, 15)).close()
  expect((await against(url, own)).output).toContain('seq 220, the same state')
})

test('another epoch, and no position in common, are one sentence each', async () => {
  const url = await new Copy(EPOCH).take(MESSAGES.slice(0, 5)).snapshot().serve()
  const epoch = randomUUID()
  const stranger = new Copy(epoch).take(messagesOf(crowdOfLines(7, 568), epoch)).close()
  expect(await against(url, stranger)).toMatchObject({
    code: 1,
    output: `BAD   state against ${url}: it has epoch ${EPOCH} and this one ${epoch}: no copies of one stream.\n`,
  })
  const empty = await new Copy(EPOCH).serve()
  expect((await against(empty, stranger)).output).toContain('it has no snapshot yet.')
})

test('an instance that cannot be asked is told in a sentence', async () => {
  const own = new Copy(EPOCH).take(MESSAGES).close()
  const url = await new Copy(EPOCH).take(MESSAGES).snapshot().serve()
  const refused = await against(url, own, 'another-token-of-some-length')
  expect(refused).toMatchObject({ code: 3, output: '' })
  expect(refused.errors).toMatch(
    /^mintfeed: The instance of --against does not take the token \(401\)/,
  )
  const nobody = await against('http://127.0.0.1:1', own)
  expect(nobody).toMatchObject({ code: 3, output: '' })
  expect(nobody.errors).toMatch(/^mintfeed: .*--against.*ECONNREFUSED/)
  expect((await against('ftp://x', own)).code).toBe(2)
})
