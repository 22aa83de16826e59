import { expect, test } from 'vitest'
import { lastSlot } from '../feeds/peers/chain-blocks.ts'
import { replayOf } from '../feeds/peers/feed-run.ts'
import { GeyserPeer } from '../feeds/peers/geyser-peer.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { SolanaPeer } from '../feeds/peers/solana-peer.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { newFolder } from '../new-folder.ts'
import { everyAnswer } from './every-answer.ts'
import { runProgram, startProgram, until } from './program.ts'

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
  const geyser = new GeyserPeer({ chain })
  const live = { FEED: 'yellowstone', YELLOWSTONE_URL: await geyser.start(), HISTORY: 'off' }
  const playing = geyser.play()
  const whole = await startProgram({ ...COMMON, ...live })
  await until('the last slot', async () => {
    const figures: unknown = await (await fetch(`${whole.url}/readyz`)).json()
    const isThere = JSON.stringify(figures).includes(`"feed_slot":${last}`)
    return isThere ? true : null
  })
  for (const [question, answer] of await everyAnswer(whole.url, events))
    expect(found.get(question), question).toBe(answer)
  await whole.end('SIGTERM')
  geyser.stop()
  await playing
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
})
