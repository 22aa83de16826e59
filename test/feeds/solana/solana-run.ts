import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { NO_RECORDER, type RawFrames } from '../../../src/feeds/raw-frames.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import { waitFor } from '../../../src/feeds/timers.ts'
import { lastSlot } from '../peers/chain-blocks.ts'
import { type FeedOutcome, runFeed } from '../peers/feed-run.ts'
import { SolanaPeer, type SolanaPeerOptions } from '../peers/solana-peer.ts'
import { TurnTimers } from '../peers/turn-timers.ts'

/** Longer than a run: a slot is settled by what follows it, however slow the machine is. */
const SETTLE_MS = 10_000_000
const FRAME_BYTES_MAX = 256 * 1024
const NEVER = new AbortController().signal

export interface SolanaOutcome extends FeedOutcome {
  readonly peer: SolanaPeer
}

/** Plays a chain to the feed, over a real WebSocket and HTTP. */
export async function runSolana(
  options: SolanaPeerOptions & {
    readonly blocks: 'gaps' | 'all'
    readonly rawFrames?: RawFrames
    /** From one block to the next, in the time of the timers; else as fast as they are read. */
    readonly blockMs?: number
    /** How long a slot that nothing follows stays open. */
    readonly settleMs?: number
    /** Where a run before this one ended; null: nowhere. */
    readonly cursor?: number | null
    /** How long a gap holds what is behind it; absent: until it is filled. */
    readonly gapWaitMs?: number
  },
): Promise<SolanaOutcome> {
  const { chain, blocks } = options
  const timers = new TurnTimers()
  const { blockMs } = options
  const peer = new SolanaPeer({
    ...options,
    hugeBytes: FRAME_BYTES_MAX * 2,
    ...(blockMs !== undefined && { pace: () => waitFor(timers, blockMs, NEVER) }),
  })
  const address = await peer.start()
  const source = new SolanaSource({
    rpcUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    blocks,
    counters: newFeedCounters(),
    timers,
    settleMs: options.settleMs ?? SETTLE_MS,
    rawFrames: options.rawFrames ?? NO_RECORDER,
    frameBytesMax: FRAME_BYTES_MAX,
  })
  const playing = peer.play()
  try {
    // As after a restart: what happens before the first connection is not lost either.
    const { cursor = chain.blocks[0].slot - 1 } = options
    const last = lastSlot(chain)
    return { ...(await runFeed([source], timers, last, cursor, options.gapWaitMs)), peer }
  } finally {
    peer.stop()
    await playing
    timers.stop()
  }
}
