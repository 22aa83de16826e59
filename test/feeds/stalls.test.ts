import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { SolanaSource } from '../../src/feeds/solana/solana-source.ts'
import type { Source } from '../../src/feeds/supervisor/source.ts'
import { Supervisor } from '../../src/feeds/supervisor/supervisor.ts'
import { YellowstoneSource } from '../../src/feeds/yellowstone/yellowstone-source.ts'
import { CollectingSink } from './collecting-sink.ts'
import { GeyserPeer, type GeyserPeerOptions } from './peers/geyser-peer.ts'
import { SolanaPeer, type SolanaPeerOptions } from './peers/solana-peer.ts'
import { syntheticChain } from './peers/synthetic-chain.ts'
import { TurnTimers } from './peers/turn-timers.ts'
import { until } from './until.ts'

/** The default of GAP_WAIT, and what a loss of the connection may take with it. */
const GAP_WAIT_MS = 3_000
const AGAIN_WITHIN_MS = 5_000
const BLOCKS = 80
/** The connection is lost behind this block, and so many go by unseen. */
const LOST_AT = 20
const UNSEEN = 12
/** Longer than a run: a slot is settled by what follows it, however slow the machine is. */
const SETTLE_MS = 10_000_000

const chain = syntheticChain(5, BLOCKS)
const slotOf = (block: number) => chain.blocks[block].slot

/** How long it takes, in the time of its timers, until trades behind a lost connection are handed over. */
async function againAfterMs(
  source: (timers: TurnTimers) => Source,
  peer: GeyserPeer | SolanaPeer,
): Promise<number> {
  const timers = new TurnTimers()
  const playing = peer.play()
  const sink = new CollectingSink()
  const supervisor = new Supervisor({
    ...{ sources: [source(timers)], timers, gapWaitMs: GAP_WAIT_MS, backfillSlotsMax: 9_000 },
    // It begins with what comes: an old slot that is refused would hold the whole chain.
    ...{ cursor: null, report: () => {} },
  })
  const ended = supervisor.start(sink)
  try {
    await until(() => (supervisor.cursor ?? 0) >= slotOf(LOST_AT))
    peer.lose(UNSEEN)
    const lostMs = timers.nowMs()
    const taken = sink.all.length
    const isBehind = () => sink.all.slice(taken).some((event) => 'slot' in event)
    const isAgain = () => isBehind() && (supervisor.cursor ?? 0) > slotOf(LOST_AT + UNSEEN)
    await until(isAgain)
    return timers.nowMs() - lostMs
  } finally {
    supervisor.stop()
    await ended
    peer.stop()
    await playing
    timers.stop()
  }
}

async function yellowstone(options: Partial<GeyserPeerOptions>) {
  const peer = new GeyserPeer({ chain, ...options })
  const url = await peer.start()
  const counters = newFeedCounters()
  const source = (timers: TurnTimers) =>
    new YellowstoneSource({ peer: { url, token: '' }, counters, timers, settleMs: SETTLE_MS })
  return { peer, source }
}

async function rpc(options: Partial<SolanaPeerOptions>) {
  const peer = new SolanaPeer({ chain, ...options })
  const address = await peer.start()
  const urls = { rpcUrl: `http://${address}`, wsUrl: `ws://${address}` }
  const counters = newFeedCounters()
  const source = (timers: TurnTimers) =>
    new SolanaSource({ ...urls, blocks: 'gaps', counters, timers, settleMs: SETTLE_MS })
  return { peer, source }
}

test('a Yellowstone server that answers old slots with INTERNAL holds live trades for seconds', async () => {
  const { peer, source } = await yellowstone({ refusesReplays: status.INTERNAL })
  expect(await againAfterMs(source, peer)).toBeLessThan(AGAIN_WITHIN_MS)
})

test('a Yellowstone server that has forgotten the slots of an outage holds live trades for seconds', async () => {
  const { peer, source } = await yellowstone({ firstAvailable: slotOf(LOST_AT + UNSEEN) })
  expect(await againAfterMs(source, peer)).toBeLessThan(AGAIN_WITHIN_MS)
})

test('an RPC server that lacks getBlock holds live trades for seconds', async () => {
  const { peer, source } = await rpc({ refuses: { method: 'getBlock', code: -32_601 } })
  expect(await againAfterMs(source, peer)).toBeLessThan(AGAIN_WITHIN_MS)
})

test('an RPC server with a hole holds live trades for seconds', async () => {
  const { peer, source } = await rpc({ lacksBlock: LOST_AT + 5 })
  expect(await againAfterMs(source, peer)).toBeLessThan(AGAIN_WITHIN_MS)
})
