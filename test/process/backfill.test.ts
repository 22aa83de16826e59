import { expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { lastSlot, type TestChain, withStart } from '../feeds/peers/chain-blocks.ts'
import { replayOf } from '../feeds/peers/feed-run.ts'
import { GeyserPeer } from '../feeds/peers/geyser-peer.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { SolanaPeer } from '../feeds/peers/solana-peer.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { chainOfToken } from '../feeds/peers/token-chain.ts'
import { newFolder } from '../new-folder.ts'
import { everyAnswer } from './every-answer.ts'
import { launch, runProgram, startProgram, until } from './program.ts'

const BLOCKS = 80
const COMMON = {
  SOL_PRICE: 'fixed:150',
  CLOCK: 'event',
  RATE_LIMIT: 'off',
  HYDRATE_RPS: 'off',
  CHECK_CACHE: '0',
}

test('a folder that was filled by backfill in two runs answers as a service that saw all', async () => {
  const chain = syntheticChain(41, BLOCKS)
  const { blocks } = chain
  const peer = new SolanaPeer({ chain, head: BLOCKS, firstBlock: blocks[0].slot })
  const folder = newFolder()
  const url = `http://${await peer.start()}`
  const feed = { FEED: 'solana', SOLANA_RPC_URL: url, HISTORY_RPS: '1000' }
  const settings = { ...COMMON, ...feed, DATA_DIR: folder }
  const [first, middle, last] = [blocks[0].slot, blocks[BLOCKS >> 1].slot, lastSlot(chain)]
  const run = (from: number, to: number) =>
    runProgram(settings, ['backfill', '--from', String(from), '--to', String(to)])
  expect(await run(first, middle)).toMatchObject({ code: 0 })
  const { code, errors } = await run(first, last)
  expect(code).toBe(0)
  expect(errors).toContain(`up to slot ${last}`)
  peer.stop()
  const { events } = replayOf(transactionLines(chain))
  const filled = await startProgram({ ...COMMON, FEED: 'none', DATA_DIR: folder })
  const found = await everyAnswer(filled.url, events)
  expect(await filled.end('SIGTERM')).toBe(0)
  for (const [question, answer] of await seenWhole(chain, events))
    expect(found.get(question), question).toBe(answer)
})

/** What a service answers about these events that saw the whole chain. */
async function seenWhole(
  chain: TestChain,
  events: readonly FeedEvent[],
): Promise<Map<string, string>> {
  const geyser = new GeyserPeer({ chain: withStart(chain) })
  const live = { FEED: 'yellowstone', YELLOWSTONE_URL: await geyser.start(), HISTORY: 'off' }
  const playing = geyser.play()
  const whole = await startProgram({ ...COMMON, ...live })
  await until('the last slot', async () => {
    const figures: unknown = await (await fetch(`${whole.url}/readyz`)).json()
    const isThere = JSON.stringify(figures).includes(`"feed_slot":${lastSlot(chain)}`)
    return isThere ? true : null
  })
  const answers = await everyAnswer(whole.url, events)
  await whole.end('SIGTERM')
  geyser.stop()
  await playing
  return answers
}

/** Those that are about this token alone. */
function isOfTokenAlone(question: string): boolean {
  return !question.startsWith('POST') && !/traders\/[^/]+\/tokens/.test(question)
}

/** What else its creator made, and what else its holders trade. */
const OF_OTHERS = /^(creator_?(history|complet)|fresh|pro_?trader)/i

function ofTokenAlone(answer: string): string {
  const json: unknown = JSON.parse(answer.slice(4))
  return JSON.stringify(json, (key, value) => (OF_OTHERS.test(key) ? undefined : value))
}

test('one token, filled in runs that are killed, answers as in a service that saw all', async () => {
  const { chain, mint, own } = chainOfToken(43, 200)
  const head = chain.blocks.length
  const peer = new SolanaPeer({ chain, head, lists: { pageEntries: 9 } })
  const url = `http://${await peer.start()}`
  const folder = newFolder()
  const feed = { FEED: 'solana', SOLANA_RPC_URL: url, HISTORY_RPS: '60' }
  const settings = { ...COMMON, ...feed, DATA_DIR: folder }
  for (const questions of [5, 25]) {
    const { child, ended } = launch(settings, ['backfill', '--mint', mint])
    const before = peer.asked.get('getTransaction') ?? 0
    await until('some transactions', async () =>
      (peer.asked.get('getTransaction') ?? 0) - before > questions ? true : null,
    )
    child.kill('SIGKILL')
    expect(await ended).toBeNull()
  }
  const run = () => runProgram(settings, ['backfill', '--mint', mint])
  const { code, errors } = await run()
  expect({ code, errors }).toEqual({ code: 0, errors: expect.stringContaining('up to slot') })
  // A folder that is whole is so another time.
  expect(await run()).toMatchObject({ code: 0 })
  peer.stop()
  const filled = await startProgram({ ...COMMON, FEED: 'none', DATA_DIR: folder })
  const found = await everyAnswer(filled.url, own)
  expect(await filled.end('SIGTERM')).toBe(0)
  const whole = [...(await seenWhole(chain, own))].filter(([question]) => isOfTokenAlone(question))
  expect(whole.length).toBeGreaterThan(10)
  for (const [question, answer] of whole)
    expect(ofTokenAlone(found.get(question) ?? ''), question).toBe(ofTokenAlone(answer))
  expect(found.get(`/api/v2/tokens/${mint}`)).toContain('"history_complete":true')
})

test('backfill says what it needs', async () => {
  const backfill = (settings: Record<string, string>, ...words: string[]) =>
    runProgram({ DATA_DIR: newFolder(), ...settings }, ['backfill', ...words])
  const slots = ['--from', '5', '--to', '9']
  expect(await backfill({}, '--from', 'yesterday', '--to', '9')).toEqual({
    ...{ code: 2, errors: expect.stringContaining('--from is "yesterday"') },
  })
  expect((await backfill({}, ...slots)).errors).toContain('set FEED to yellowstone or solana')
  const live = { FEED: 'yellowstone', YELLOWSTONE_URL: 'http://127.0.0.1:9' }
  const time = ['--from', '2026-11-27T00:00:00Z', '--to', '9']
  expect((await backfill(live, ...time)).errors).toContain('SOLANA_RPC_URL')
  expect((await backfill(live, '--from', '9', '--to', '5')).errors).toContain('no slots from 9')
  const mint = ['--mint', 'So11111111111111111111111111111111111111112']
  expect((await backfill({}, ...mint)).errors).toContain('set FEED to yellowstone or solana')
  expect((await backfill(live, ...mint)).errors).toContain('needs SOLANA_RPC_URL')
  for (const words of [
    [...mint, '--from', '5'],
    [...mint, '--to', '5'],
    ['--mint', 'coin'],
  ]) {
    const { code, errors } = await backfill(live, ...words)
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining('--mint') })
  }
})
