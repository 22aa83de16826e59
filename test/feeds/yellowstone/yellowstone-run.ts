import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { NO_RECORDER, type RawFrames } from '../../../src/feeds/raw-frames.ts'
import { waitFor } from '../../../src/feeds/timers.ts'
import { YellowstoneSource } from '../../../src/feeds/yellowstone/yellowstone-source.ts'
import { lastSlot } from '../peers/chain-blocks.ts'
import { type FeedOutcome, runFeed } from '../peers/feed-run.ts'
import { GeyserPeer, type GeyserPeerOptions } from '../peers/geyser-peer.ts'
import { TurnTimers } from '../peers/turn-timers.ts'

/** Longer than a run: a slot is settled by what follows it, however slow the machine is. */
const SETTLE_MS = 10_000_000
const MESSAGE_BYTES_MAX = 256 * 1024
const NEVER = new AbortController().signal

const TLS = join(import.meta.dirname, '..', 'peers', 'tls')
/** Made for these tests, by nobody that anybody trusts. */
export const tls = {
  cert: readFileSync(join(TLS, 'localhost-cert.pem')),
  key: readFileSync(join(TLS, 'localhost-key.pem')),
}

export interface YellowstoneOutcome extends FeedOutcome {
  readonly peer: GeyserPeer
}

/** Plays a chain to the feed, over real gRPC. */
export async function runYellowstone(
  options: GeyserPeerOptions & {
    readonly rawFrames?: RawFrames
    /** From one block to the next, in the time of the timers; else as fast as they are read. */
    readonly blockMs?: number
    /** How long a slot that nothing follows stays open. */
    readonly settleMs?: number
    /** How long a gap holds what is behind it; absent: until it is filled. */
    readonly gapWaitMs?: number
  },
): Promise<YellowstoneOutcome> {
  const { chain, rawFrames = NO_RECORDER, blockMs } = options
  const timers = new TurnTimers()
  const peer = new GeyserPeer({
    ...options,
    hugeBytes: MESSAGE_BYTES_MAX * 2,
    ...(blockMs !== undefined && { pace: () => waitFor(timers, blockMs, NEVER) }),
  })
  const url = await peer.start()
  const source = new YellowstoneSource({
    peer: {
      url,
      token: '',
      messageBytesMax: MESSAGE_BYTES_MAX,
      ...(options.tls !== undefined && { rootCertificates: options.tls.cert }),
    },
    counters: newFeedCounters(),
    timers,
    settleMs: options.settleMs ?? SETTLE_MS,
    rawFrames,
  })
  const playing = peer.play()
  try {
    // As after a restart: what happens before the first connection is not lost either.
    const cursor = chain.blocks[0].slot - 1
    const outcome = await runFeed([source], timers, lastSlot(chain), cursor, options.gapWaitMs)
    return { ...outcome, peer }
  } finally {
    peer.stop()
    await playing
    timers.stop()
  }
}
