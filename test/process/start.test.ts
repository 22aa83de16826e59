import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { runProgram, startProgram } from './program.ts'

/** One sentence, on one line, under the program's name. */
const ONE_SENTENCE = /^mintfeed: [^\n]+\.\n$/

test('an unknown flag stops the start with one sentence and exit code 2', async () => {
  const { code, errors } = await runProgram({}, ['--nonsense', '1'])
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain('--nonsense')
})

test.each([
  ['PORT', '70000'],
  ['FEED', 'radio'],
  ['SPEED', '0'],
  ['CLOCK', 'sundial'],
  ['RATE_LIMIT', 'lots'],
  ['SIM_TOKENS', '-1'],
  ['SNAPSHOT_EVERY', 'soon'],
  ['FSYNC', 'maybe'],
  ['LOG_LEVEL', 'loud'],
])('%s=%s stops the start with one sentence that names it and exit code 2', async (name, value) => {
  const { code, errors } = await runProgram({ [name]: value })
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain(name)
})

test('a missing replay file stops the start with exit code 2', async () => {
  const { code, errors } = await runProgram({ FEED: 'replay:/nowhere/at-all.jsonl' })
  expect(code).toBe(2)
  expect(errors).toContain('/nowhere/at-all.jsonl')
})

test('a port in use stops the start with one sentence and exit code 2', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, errors } = await runProgram({ FEED: 'none', PORT: String(port) })
  other.close()
  expect(code).toBe(2)
  expect(errors).toContain(String(port))
})

test('SIGTERM drains and ends with code 0', async () => {
  const program = await startProgram({ FEED: 'sim', SIM_TOKENS: '50' })
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('events from standard input are served after it ended', async () => {
  const program = await startProgram({ FEED: 'stdin', CLOCK: 'event', RATE_LIMIT: 'off' })
  const mint = 'So1dGoodTokenMintAddress11111111111111111pump'
  program.child.stdin?.end(`not json\n${JSON.stringify(swapLine(mint))}\n`)
  const found = await until(async () => {
    const answer = await fetch(`${program.url}/api/v2/search/tokens/${mint}/swaps`)
    const page: unknown = await answer.json()
    return JSON.stringify(page).includes('"total":1') ? page : null
  })
  expect(found).toMatchObject({ total: 1, items: [{ slot: 77, quote_mint_amount: 1.5 }] })
  const figures: unknown = await (await fetch(`${program.url}/readyz`)).json()
  expect(figures).toMatchObject({ status: 'ready', feed_bad_lines_total: 1 })
  expect(await program.end('SIGTERM')).toBe(0)
})

function swapLine(mint: string): object {
  return {
    type: 'swap',
    slot: 77,
    tx_index: 1,
    ordinal: 0,
    signature: 'a-signature-of-no-chain',
    timestamp: 1_700_000_000,
    source: 'pump',
    mint,
    pool: 'some-curve',
    signer: 'some-wallet',
    direction: 'buy',
    base_raw: '9007199254740993',
    quote_raw: '1500000000',
    virtual_base_raw: '1000000000000000',
    virtual_quote_raw: '31500000000',
    real_base_raw: '700000000000000',
    real_quote_raw: '1500000000',
    platform_fee_raw: '0',
    creator_fee_raw: '0',
  }
}

async function until<T>(look: () => Promise<T | null>): Promise<T | null> {
  for (let i = 0; i < 200; i++) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return null
}
