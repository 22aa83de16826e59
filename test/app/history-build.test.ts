import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Durability } from '../../src/app/durability.ts'
import { supervisedFeed } from '../../src/app/feeds/live-sources.ts'
import { HistoryBuild } from '../../src/app/history-build.ts'
import { Service } from '../../src/app/service.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { TokenLane } from '../../src/engine/state/layout.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { fixedPrice, PricedSink } from '../../src/feeds/sol-price/priced-sink.ts'
import { lastSlot, type TestChain } from '../feeds/peers/chain-blocks.ts'
import { FAULTS, FaultPlan } from '../feeds/peers/faults.ts'
import { answersOf, replayOf } from '../feeds/peers/feed-run.ts'
import { GeyserPeer } from '../feeds/peers/geyser-peer.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { everySeed, PAIR_SEEDS, PATIENCE } from '../feeds/peers/runs.ts'
import { SolanaPeer } from '../feeds/peers/solana-peer.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { newFolder } from '../new-folder.ts'

const BLOCKS = 60
const HEAD = 35
const FAULTS_PER_RUN = 4
const PATIENCE_MS = 120_000
const USD = 150
/** A schedule of these waits out the time in which a dead connection is noticed. */
const KINDS = FAULTS.filter((fault) => fault !== 'huge frame')

const silent = { info: () => {}, warn: () => {}, error: () => {} }

const none = { onDiskCall: () => {}, onFailure: () => {}, onSeeding: () => {} }

function aboutRun(settings: Readonly<Record<string, string>>) {
  const folder = newFolder()
  const config = readConfig([], {
    ...{ DATA_DIR: folder, CLOCK: 'event', SOL_PRICE: `fixed:${USD}`, GAP_WAIT: '300ms' },
    ...{ HISTORY: '24h', HISTORY_RPS: '1000', HYDRATE_RPS: 'off', ...settings },
  })
  return { config, folder, log: silent, ...none }
}

/** A run that ends when it has told what lies before the first slot, and nothing behind. */
async function endedAtStart(about: ReturnType<typeof aboutRun>): Promise<void> {
  const { config } = about
  const service = new Service(config)
  const durability = await Durability.open({ ...about, service })
  const build = new HistoryBuild({ ...about, nowMs: Date.now, live: { service, durability } })
  build.run(() => {
    throw new Error('nothing can be built yet')
  })
  const feed = supervisedFeed(config, newFeedCounters(), service.engine, () => {})
  let isOver = false
  const running = feed.start({
    events: (batch) => {
      if (!isOver) service.events(batch)
      isOver ||= batch.some(({ type }) => type === 'gap')
    },
    records: () => {},
  })
  while (!isOver) await sleep(1)
  feed.stop()
  await running
  await build.stop()
  await durability.close()
}

/** Live from the chain's middle on and the rest behind; all answers in the end. */
async function built(about: ReturnType<typeof aboutRun>, chain: TestChain): Promise<string> {
  return answersOf(await builtEngine(about, chain), replayOf(transactionLines(chain)).events)
}

/** @param earlier events that came before the chain */
async function builtEngine(
  about: ReturnType<typeof aboutRun>,
  chain: TestChain,
  earlier: readonly FeedEvent[] = [],
): Promise<Engine> {
  const { config } = about
  let service = new Service(config)
  let durability = await Durability.open({ ...about, service })
  if (earlier.length > 0) service.events(earlier)
  const build = new HistoryBuild({ ...about, nowMs: Date.now, live: { service, durability } })
  const feed = supervisedFeed(config, newFeedCounters(), service.engine, () => {})
  const sink = {
    events: (batch: Parameters<Service['events']>[0]) => service.events(batch),
    records: () => {},
  }
  const running = feed.start(new PricedSink(sink, fixedPrice(USD)))
  build.run((by) => {
    service = by.service
    const options = { ...about, service }
    durability = Durability.replaced(options, durability, by.durability)
  })
  const untilMs = performance.now() + PATIENCE_MS
  const figures = () => feed.figures?.() ?? {}
  const isWhole = () =>
    !build.isUnderWay &&
    (figures().feed_slot ?? 0) >= lastSlot(chain) &&
    figures().feed_gaps_behind === 0
  while (!isWhole() && performance.now() < untilMs) await sleep(5)
  const said = JSON.stringify({ ...figures(), ...build.figures() })
  feed.stop()
  await running
  await build.stop()
  await durability.close()
  expect(isWhole(), said).toBe(true)
  return service.engine
}

/** Plays a server's chain while something is checked. */
async function played(peer: GeyserPeer | SolanaPeer, check: () => Promise<void>): Promise<void> {
  const playing = peer.play()
  try {
    await check()
  } finally {
    peer.stop()
    await playing
  }
}

/** Those of an engine that folds the whole chain in order. */
function expected(chain: TestChain): string {
  const { events } = replayOf(transactionLines(chain))
  const config = readConfig([], { CLOCK: 'event' })
  const service = new Service(config)
  new PricedSink(service, fixedPrice(USD)).events(events)
  return answersOf(service.engine, events)
}

/** All of them where a number was asked for. */
const RUN_SEEDS = process.env.FEED_SCHEDULES === undefined ? PAIR_SEEDS.slice(0, 2) : PAIR_SEEDS

const planOf = (seed: number) => new FaultPlan(seed, BLOCKS, KINDS, FAULTS_PER_RUN)

test(
  'whatever a Yellowstone server does, a start in the middle ends in the answers of the whole chain',
  PATIENCE,
  async () => {
    await everySeed(async (seed) => {
      const chain = syntheticChain(seed, BLOCKS)
      const peer = new GeyserPeer({ chain, head: HEAD, plan: planOf(seed), pace: () => sleep(5) })
      const settings = { FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() }
      await played(peer, async () =>
        expect(await built(aboutRun(settings), chain)).toBe(expected(chain)),
      )
    }, RUN_SEEDS)
  },
)

test(
  'whatever an RPC server does, a start in the middle ends in the answers of the whole chain',
  PATIENCE,
  async () => {
    await everySeed(async (seed) => {
      const chain = syntheticChain(seed, BLOCKS)
      const firstBlock = chain.blocks[0].slot
      const plan = planOf(seed)
      const peer = new SolanaPeer({ chain, head: HEAD, plan, firstBlock, pace: () => sleep(5) })
      const address = await peer.start()
      const urls = { SOLANA_RPC_URL: `http://${address}`, SOLANA_WS_URL: `ws://${address}` }
      const settings = { FEED: 'solana', SOLANA_BLOCKS: 'all', ...urls }
      await played(peer, async () =>
        expect(await built(aboutRun(settings), chain)).toBe(expected(chain)),
      )
    }, RUN_SEEDS)
  },
)

test(
  'what a Yellowstone server keeps no more comes from the RPC server beside it',
  PATIENCE,
  async () => {
    const chain = syntheticChain(91, BLOCKS)
    const firstAvailable = chain.blocks[HEAD - 5].slot
    const yellowstone = new GeyserPeer({ chain, head: HEAD, firstAvailable, pace: () => sleep(5) })
    // It has come to the end of the chain: nobody follows it.
    const rpc = new SolanaPeer({ chain, head: BLOCKS, firstBlock: chain.blocks[0].slot })
    const settings = {
      ...{ FEED: 'yellowstone', YELLOWSTONE_URL: await yellowstone.start() },
      ...{ SOLANA_RPC_URL: `http://${await rpc.start()}`, HYDRATE_RPS: 'off' },
    }
    await played(yellowstone, async () =>
      expect(await built(aboutRun(settings), chain)).toBe(expected(chain)),
    ).finally(() => rpc.stop())
    expect(rpc.askedBlocks.length).toBeGreaterThan(HEAD / 2)
  },
)

test('what comes while a service starts anew is not passed over where only its start was told', async () => {
  const chain = syntheticChain(92, BLOCKS)
  const peer = new GeyserPeer({ chain, head: HEAD, pace: () => sleep(10) })
  const about = aboutRun({ FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() })
  await played(peer, async () => {
    await endedAtStart(about)
    peer.lose(5)
    expect(await built(about, chain)).toBe(expected(chain))
  })
})

test('a trade that PumpPortal told before the chain came counts once with the time before the start', async () => {
  const chain = syntheticChain(93, BLOCKS)
  const peer = new GeyserPeer({ chain, head: HEAD, pace: () => sleep(5) })
  const about = aboutRun({ FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() })
  const swaps = replayOf(transactionLines(chain)).events.filter((event) => event.type === 'swap')
  const [trade] = swaps
  const place = { slot: null, txIndex: null, ordinal: 4_000_000_000 }
  await played(peer, async () => {
    const { state } = await builtEngine(about, chain, [{ ...trade, ...place }])
    const count = state.tokens.get(state.book.findToken(trade.mint), TokenLane.swaps)
    expect(count).toBe(swaps.filter(({ mint }) => mint === trade.mint).length)
  })
})
