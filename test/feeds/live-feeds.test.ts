import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { ChainPosition, FeedEvent } from '../../src/events/event.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { frameLine, type RawFrames } from '../../src/feeds/raw-frames.ts'
import { SolanaSource } from '../../src/feeds/solana/solana-source.ts'
import { Supervisor } from '../../src/feeds/supervisor/supervisor.ts'
import { YellowstoneSource } from '../../src/feeds/yellowstone/yellowstone-source.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { hasData, withData } from './data-folder.ts'
import { lastSlot, type TestChain } from './peers/chain-blocks.ts'
import { type Fault, FaultPlan } from './peers/faults.ts'
import { replayOf, runFeed } from './peers/feed-run.ts'
import { GeyserPeer } from './peers/geyser-peer.ts'
import { recordedLogs, recordedTransaction } from './peers/recorded-chain.ts'
import { transactionLines } from './peers/rpc-forms.ts'
import { everySeed, PAIR_SEEDS, PATIENCE } from './peers/runs.ts'
import { SolanaPeer } from './peers/solana-peer.ts'
import { syntheticChain } from './peers/synthetic-chain.ts'
import { TurnTimers } from './peers/turn-timers.ts'
import { SILENT_RECEIVER } from './silent-receiver.ts'
import { runSolana } from './solana/solana-run.ts'
import { runYellowstone, tls } from './yellowstone/yellowstone-run.ts'

test.skipIf(!hasData)(
  `recorded log frames over a WebSocket give the state of their file${withData}`,
  async () => {
    const { chain, lines } = recordedLogs()
    const { digest, events, figures } = await runSolana({ chain, blocks: 'gaps', cursor: null })
    expect(events.length).toBeGreaterThan(90)
    expect(digest).toBe(replayOf(lines).digest)
    // More come behind the recording, to end its last slot.
    expect(figures.feed_solana_failed_frames_total).toBeGreaterThanOrEqual(47)
  },
)

test.skipIf(!hasData)(
  `a recorded transaction over gRPC, and in a block, gives the state of its file${withData}`,
  async () => {
    const { chain, lines } = recordedTransaction()
    const replayed = replayOf(lines)
    expect(replayed.events.map((event) => event.type)).toEqual(['token_created', 'swap'])
    expect((await runYellowstone({ chain })).digest).toBe(replayed.digest)
    expect((await runSolana({ chain, blocks: 'all' })).digest).toBe(replayed.digest)
  },
)

test('what is recorded of a feed is read again as it was', async () => {
  const chain = syntheticChain(8, 30)
  const lines: string[] = []
  const rawFrames: RawFrames = {
    frame: (feed, raw) => lines.push(JSON.stringify(frameLine(feed, raw, 0))),
  }
  const yellowstone = await runYellowstone({ chain, rawFrames })
  expect(replayOf(lines).events).toEqual(yellowstone.events)
  lines.length = 0
  const solana = await runSolana({ chain, blocks: 'gaps', cursor: null, rawFrames })
  // A file has no accounts: the swaps of the pool that was looked up are not in it.
  const signatures = new Set(replayOf(lines).events.map(signatureOf))
  const missing = solana.events.filter((event) => !signatures.has(signatureOf(event)))
  expect(new Set(missing.map((event) => event.type === 'swap' && event.pool)).size).toBeLessThan(2)
  expect(signatures.size).toBeGreaterThan(20)
})

/** Plays a chain to both feeds, each with faults of its own. */
async function runPair(chain: TestChain, seed: number, blocks: 'gaps' | 'all', faults: Fault[]) {
  const plan = (n: number) => new FaultPlan(seed + n, 30, faults, 6)
  const geyser = new GeyserPeer({ chain, plan: plan(1_000) })
  const solana = new SolanaPeer({ chain, plan: plan(2_000), losesFrames: true })
  const [url, address] = [await geyser.start(), await solana.start()]
  const timers = new TurnTimers()
  const common = { counters: newFeedCounters(), timers, settleMs: 10_000_000 }
  const sources = [
    new YellowstoneSource({ peer: { url, token: '' }, ...common }),
    new SolanaSource({ rpcUrl: `http://${address}`, wsUrl: `ws://${address}`, blocks, ...common }),
  ]
  const playing = [geyser.play(), solana.play()]
  try {
    return await runFeed(sources, timers, lastSlot(chain), chain.blocks[0].slot - 1)
  } finally {
    geyser.stop()
    solana.stop()
    await Promise.all(playing)
    timers.stop()
  }
}

test('two feeds at once tell everything once, while both have faults', PATIENCE, async () => {
  await everySeed(async (seed) => {
    const chain = syntheticChain(seed, 30)
    const faults: Fault[] = ['drop', 'disconnect', 'stall', 'duplicate', 'reorder']
    const { digest, figures } = await runPair(chain, seed, 'all', faults)
    const told = JSON.stringify(figures)
    if (digest !== replayOf(transactionLines(chain)).digest)
      throw new Error(`the state differs: ${told}`)
    if (figures.feed_duplicates_total === 0) throw new Error(`no redundancy: ${told}`)
  }, PAIR_SEEDS)
})

/** Of a hundred two in which a log frame is lost of a slot that the other feed has told in part. */
const MIXED_SEEDS = [...PAIR_SEEDS, 27, 66]

test(
  'two feeds at once, one of which knows no index in the block, tell each mint in the order of the chain',
  PATIENCE,
  async () => {
    await everySeed(async (seed) => {
      const chain = syntheticChain(seed, 30)
      const faults: Fault[] = ['drop', 'disconnect', 'stall', 'duplicate']
      const { events } = await runPair(chain, seed, 'gaps', faults)
      const told = new Set(events.map(identityOf))
      // What both have lost inside of a slot is seen by nobody.
      const inChain = replayOf(transactionLines(chain)).events.filter((event) =>
        told.has(identityOf(event)),
      )
      expect(told.size).toBe(inChain.length)
      expect(byMint(events)).toEqual(byMint(inChain))
    }, MIXED_SEEDS)
  },
)

/** The events of each mint in the order that the engine keeps. */
function byMint(events: readonly FeedEvent[]): ReadonlyMap<string, readonly string[]> {
  const mints = new Map<string, string[]>()
  for (const event of events.flatMap((one) => ('slot' in one ? one : [])).sort(byPlace))
    mints.set(event.mint, [...(mints.get(event.mint) ?? []), identityOf(event)])
  return new Map([...mints].sort())
}

function byPlace(a: ChainPosition, b: ChainPosition): number {
  const slots = (a.slot ?? 0) - (b.slot ?? 0)
  return slots || (a.txIndex ?? 0) - (b.txIndex ?? 0) || a.ordinal - b.ordinal
}

function identityOf(event: FeedEvent): string {
  return 'ordinal' in event ? `${event.signature}/${event.ordinal}` : event.type
}

test('a restart goes on where the engine was, and nothing is missing or counted twice', async () => {
  const chain = syntheticChain(5, 40)
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { events } = replayOf(transactionLines(chain))
  // The process was killed in the middle of a slot.
  engine.events(events.slice(0, Math.floor(events.length / 2)))
  const peer = new GeyserPeer({ chain })
  const url = await peer.start()
  const timers = new TurnTimers()
  const source = new YellowstoneSource({
    ...{ peer: { url, token: '' }, counters: newFeedCounters(), timers, settleMs: 10_000_000 },
  })
  const cursor = engine.newestSlot - 1
  const supervisor = new Supervisor({
    ...{ sources: [source], cursor, report: () => {}, timers },
    backfillSlotsMax: 9_000,
  })
  const playing = peer.play()
  const ended = supervisor.start(engine)
  while ((supervisor.cursor ?? -1) < lastSlot(chain)) await new Promise(setImmediate)
  supervisor.stop()
  await ended
  peer.stop()
  await playing
  timers.stop()
  const whole = new Engine({ clock: 'event', identities: 1 << 12 })
  whole.events(events)
  // What came again was counted as such; everything else is the same.
  const known = ({ parts }: Engine) => stateDigest(parts.filter((part) => part.name !== 'progress'))
  expect(known(engine)).toBe(known(whole))
  expect(engine.counts.swaps).toBe(whole.counts.swaps)
})

test('a server whose certificate nobody vouches for gets nothing', async () => {
  const chain = syntheticChain(6, 5)
  const peer = new GeyserPeer({ chain, tls, token: 'secret' })
  const url = await peer.start()
  const counters = newFeedCounters()
  const from = (token: string, rootCertificates?: Buffer) => {
    const trust = rootCertificates === undefined ? {} : { rootCertificates }
    return new YellowstoneSource({ peer: { url, token, ...trust }, counters })
  }
  const { signal } = new AbortController()
  await expect(from('secret').connect(SILENT_RECEIVER, null, signal)).rejects.toThrow(
    /self.signed certificate/i,
  )
  expect(counters.lines).toBe(0)
  await expect(from('guess', tls.cert).connect(SILENT_RECEIVER, null, signal)).rejects.toThrow(
    'wrong x-token',
  )
  expect(peer.refusedTokens).toBe(1)
  peer.stop()
})

test('blocks that the server has no more are given up, and said', async () => {
  const chain = syntheticChain(7, 30)
  const firstBlock = chain.blocks[20].slot
  const cursor = chain.blocks[10].slot
  const { figures, reports } = await runSolana({
    ...{ chain, blocks: 'gaps', cursor, firstBlock },
    plan: new FaultPlan(7, 30, ['disconnect'], 3),
  })
  expect(reports.join()).toContain('are given up, their events are missing')
  expect(figures.feed_slots_given_up_total).toBeGreaterThan(0)
})

function signatureOf(event: FeedEvent): string {
  return 'signature' in event ? event.signature : event.type
}
