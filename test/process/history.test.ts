import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { lastSlot, type TestChain, withStart } from '../feeds/peers/chain-blocks.ts'
import { replayOf } from '../feeds/peers/feed-run.ts'
import { GeyserPeer } from '../feeds/peers/geyser-peer.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { SolanaPeer } from '../feeds/peers/solana-peer.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { SyntheticMarket } from '../feeds/peers/synthetic-market.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { everyAnswer } from './every-answer.ts'
import { type Program, type Settings, startProgram, until } from './program.ts'

const HEAD = byLength(100, 300)
const BLOCKS = byLength(160, 450)
const COMMON = {
  SOL_PRICE: 'fixed:150',
  // The times of this chain are long gone.
  CLOCK: 'event',
  RATE_LIMIT: 'off',
  // Thousands of answers are compared: each is made once.
  CHECK_CACHE: '0',
  HISTORY: '24h',
  HISTORY_RPS: '1000',
  HYDRATE_RPS: 'off',
}

async function figuresOf({ url }: Program): Promise<Record<string, unknown>> {
  return (await fetch(`${url}/readyz`)).json() as Promise<Record<string, unknown>>
}

/** What a program answers that saw the whole chain from its first slot on. */
async function seenWhole(chain: TestChain): Promise<Map<string, string>> {
  const peer = new GeyserPeer({ chain: withStart(chain) })
  const settings = { ...COMMON, FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() }
  const playing = peer.play()
  const program = await startProgram({ ...settings, HISTORY: 'off' })
  await until('the last slot', async () => {
    const { feed_slot: slot } = await figuresOf(program)
    return Number(slot) >= lastSlot(chain) ? true : null
  })
  const answers = await everyAnswer(program.url, replayOf(transactionLines(chain)).events)
  await program.end('SIGTERM')
  peer.stop()
  await playing
  return answers
}

/** Until the history is in and the chain has come to its end. */
function whole(program: Program, chain: TestChain): Promise<true> {
  return until('the history', async () => {
    const figures = await figuresOf(program)
    const { history_under_way: underWay = 0, feed_gaps_behind: gaps, feed_slot: slot } = figures
    // A slow machine may have gone on without some slots, which are filled behind.
    const isWhole = underWay === 0 && gaps === 0
    return isWhole && Number(slot) >= lastSlot(chain) ? true : null
  })
}

async function check(
  settings: Settings,
  chain: TestChain,
  kills: (settings: Settings) => Promise<Program>,
): Promise<void> {
  const program = await kills({ ...COMMON, ...settings, DATA_DIR: newFolder() })
  await whole(program, chain)
  const { events } = replayOf(transactionLines(chain))
  const expected = await seenWhole(chain)
  const found = await everyAnswer(program.url, events)
  for (const [question, answer] of expected) expect(found.get(question), question).toBe(answer)
  expect(await program.end('SIGTERM')).toBe(0)
}

/** Starts it, and kills it at random moments so many times. */
function killed(times: number, seed: number): (settings: Settings) => Promise<Program> {
  return async (settings) => {
    const random = new Random(seed, 5)
    for (let n = 0; n < times; n++) {
      const program = await startProgram(settings)
      await sleep(random.between(0, 400))
      await program.end('SIGKILL')
    }
    return startProgram(settings)
  }
}

const pace = () => sleep(10)

test('a start in the middle of the chain knows all of it, by what Yellowstone delivers again', async () => {
  const chain = syntheticChain(21, BLOCKS)
  const peer = new GeyserPeer({ chain, head: HEAD, pace })
  const settings = { FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() }
  const playing = peer.play()
  await check(settings, chain, killed(0, 1))
  peer.stop()
  await playing
})

test('a start in the middle of the chain knows all of it, by the blocks of the RPC server', async () => {
  const chain = syntheticChain(22, BLOCKS)
  const firstBlock = chain.blocks[0].slot
  const peer = new SolanaPeer({ chain, head: HEAD, pace, firstBlock })
  const url = `http://${await peer.start()}`
  const settings = { FEED: 'solana', SOLANA_BLOCKS: 'all', SOLANA_RPC_URL: url }
  const playing = peer.play()
  await check({ ...settings, SOLANA_WS_URL: url.replace('http', 'ws') }, chain, killed(0, 1))
  peer.stop()
  await playing
})

test('killed ten times while the history comes in, it knows all of it in the end', async () => {
  const chain = syntheticChain(23, BLOCKS)
  const peer = new GeyserPeer({ chain, head: HEAD, pace })
  const settings = { FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() }
  const playing = peer.play()
  await check(settings, chain, killed(byLength(3, 10), 23))
  peer.stop()
  await playing
})

test('an outage of hours holds no live trade for long, and is filled beside them', async () => {
  const chain = syntheticChain(24, 220, 200)
  const firstBlock = chain.blocks[0].slot
  // Slow until the outage, however slow the machine is: behind it there has to be some of the chain left.
  let paceMs = 300
  const peer = new SolanaPeer({ chain, head: 20, pace: () => sleep(paceMs), firstBlock })
  const url = `http://${await peer.start()}`
  const settings = {
    ...{ ...COMMON, FEED: 'solana', SOLANA_BLOCKS: 'all', GAP_WAIT: '500ms', BACKFILL: '24h' },
    ...{ SOLANA_RPC_URL: url, SOLANA_WS_URL: url.replace('http', 'ws'), DATA_DIR: newFolder() },
  }
  const playing = peer.play()
  const before = await startProgram(settings)
  await before.seen(/the history is in/)
  await before.end('SIGKILL')
  // Behind these some 30,000 slots are missing: however many are filled at once, the undo log does not reach so far.
  peer.skip(150)
  paceMs = 10
  const program = await startProgram(settings)
  await program.seen(/are fetched beside them/)
  await program.end('SIGKILL')
  const again = await startProgram(settings)
  await whole(again, chain)
  const { events } = replayOf(transactionLines(chain))
  const expected = await seenWhole(chain)
  const found = await everyAnswer(again.url, events)
  for (const [question, answer] of expected) expect(found.get(question), question).toBe(answer)
  expect(await again.end('SIGTERM')).toBe(0)
  peer.stop()
  await playing
})

test('stopped in order while the history comes in, it goes on at the next start', async () => {
  const chain = syntheticChain(26, BLOCKS)
  const firstBlock = chain.blocks[0].slot
  // It has some way to go at the restart.
  const peer = new SolanaPeer({ chain, head: HEAD - 40, pace: () => sleep(60), firstBlock })
  const url = `http://${await peer.start()}`
  const settings = {
    ...{ ...COMMON, FEED: 'solana', SOLANA_BLOCKS: 'all', SNAPSHOT_EVERY: '1s' },
    ...{ SOLANA_RPC_URL: url, SOLANA_WS_URL: url.replace('http', 'ws'), DATA_DIR: newFolder() },
  }
  const playing = peer.play()
  // Some snapshots need no journal from its beginning on: the history does.
  const slow = await startProgram({ ...settings, HISTORY_RPS: '5' })
  await slow.seen(/history is fetched/)
  await sleep(3_500)
  expect(await slow.end('SIGTERM')).toBe(0)
  const program = await startProgram(settings)
  await whole(program, chain)
  const { events } = replayOf(transactionLines(chain))
  const found = await everyAnswer(program.url, events)
  for (const [question, answer] of await seenWhole(chain))
    expect(found.get(question), question).toBe(answer)
  expect(await program.end('SIGTERM')).toBe(0)
  peer.stop()
  await playing
})

test('an event of the past whose time is still to come is refused, and does not move the clock', async () => {
  const random = new Random(5, 77)
  const market = new SyntheticMarket(random)
  const nowSeconds = Math.floor(Date.now() / 1000)
  const blocks = Array.from({ length: 60 }, (_, i) => {
    const slot = 430_000_001 + i
    const timestamp = i === 10 ? nowSeconds + 100_000_000 : nowSeconds - 60 + Math.floor(i * 0.4)
    const transactions = [0, 2, 4].map((index) => ({
      ...market.next(timestamp),
      ...{ signature: market.signature(), index, hasFailed: false, feeRaw: 5_000 },
    }))
    return { slot, parentSlot: slot - 1, timestamp, transactions }
  })
  const chain = { blocks, accounts: market.accounts }
  const peer = new GeyserPeer({ chain, head: 40, pace })
  const settings = { FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start(), CLOCK: 'wall' }
  const playing = peer.play()
  const program = await startProgram({ ...COMMON, ...settings, DATA_DIR: newFolder() })
  await program.seen(/the history is in/)
  const { now_seconds: now, ahead_refused_total: refused } = await figuresOf(program)
  expect(Number(now)).toBeLessThan(nowSeconds + 1_000)
  expect(Number(refused)).toBeGreaterThan(0)
  await program.end('SIGTERM')
  peer.stop()
  await playing
})
