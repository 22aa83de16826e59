import type { Config } from '../../config/config.ts'
import type { Engine } from '../../engine/engine.ts'
import {
  highestIndexes,
  newestSecondsOfSlot,
  newestSlotlessSwaps,
} from '../../engine/read/swap-outtake.ts'
import type { Feed } from '../../events/event-sink.ts'
import { NewForms } from '../../feeds/chain/transactions/new-forms.ts'
import { type FeedCounters, newFeedCounters } from '../../feeds/feed-counters.ts'
import { PUMPPORTAL, PumpPortalSource } from '../../feeds/pumpportal/pumpportal-source.ts'
import { framesWithoutKeys, NO_RECORDER, type RawFrames } from '../../feeds/raw-frames.ts'
import type { RpcPace } from '../../feeds/solana/rpc-client.ts'
import { SolanaSource } from '../../feeds/solana/solana-source.ts'
import { INCOMPLETE_SLOTS_MAX } from '../../feeds/supervisor/incomplete-slots.ts'
import type { OpenGap } from '../../feeds/supervisor/open-gaps.ts'
import { REMEMBERED_MAX } from '../../feeds/supervisor/reserve-trades.ts'
import type { Source } from '../../feeds/supervisor/source.ts'
import { Supervisor } from '../../feeds/supervisor/supervisor.ts'
import { REAL_TIMERS } from '../../feeds/timers.ts'
import { YELLOWSTONE } from '../../feeds/yellowstone/geyser-reader.ts'
import { YellowstoneSource } from '../../feeds/yellowstone/yellowstone-source.ts'

/** The live feeds of FEED as one, which goes on from where the engine stands. */
export function supervisedFeed(
  config: Config,
  counters: FeedCounters,
  engine: Engine,
  report: (who: string, reason: string) => void,
  wallMs: () => number = REAL_TIMERS.wallMs,
  takeLongGap?: (gap: OpenGap) => boolean,
): Feed {
  const timers = { ...REAL_TIMERS, wallMs }
  const forms = new NewForms((sentence) => report('events', sentence))
  const sources = liveSources(config, NO_RECORDER, counters, report, forms, timers)
  const backfillSources = onlyBackfills(config, counters, forms)
  if (sources.some(({ name }) => name === YELLOWSTONE) && config.rpcUrl === null)
    report('gap', NOBODY_ELSE)
  const { backfillSlotsMax, backfillMs, gapWaitMs, lateSlots } = config
  const isEventClock = config.clock === 'event'
  const { all: unseen, lastSlot: unseenTo } = engine.state.unseen
  const cursor = resumedCursor(engine.newestSlot, lateSlots, unseenTo)
  const earlierReserveTrades = () => newestSlotlessSwaps(engine.state, REMEMBERED_MAX)
  // A feed without slots brings later times, which show that the chain has gone on.
  // Where no event had a slot, nothing is looked for among swaps that may lie on the disk.
  const slotted = engine.newestSlot >= 0 ? REMEMBERED_MAX : 0
  const cursorSeconds = newestSecondsOfSlot(engine.state, slotted)
  const written = highestIndexes(engine.state, cursor ?? 0, slotted)
  // Others than swaps count too.
  const { newestSlot, newestTxIndex } = engine
  written.set(newestSlot, Math.max(newestTxIndex, written.get(newestSlot) ?? 0))
  const resumed = { cursor, cursorSeconds, written, earlierReserveTrades }
  const openGaps = unseen.filter(({ isOpen }) => isOpen)
  const resumedSlots = resumedSlotsOf(lateSlots)
  const backfill = { backfillSlotsMax, backfillMs, gapWaitMs, openGaps, unseenTo, resumedSlots }
  return new Supervisor({
    ...{ sources, backfillSources, ...resumed, report, ...backfill, isEventClock, timers },
    ...(takeLongGap && { takeLongGap }),
  })
}

const NOBODY_ELSE =
  'slots that the Yellowstone server does not keep, often all but the newest 100, nobody can deliver again: set ' +
  'SOLANA_RPC_URL to have an RPC server fill them'

/** The RPC server that is given beside FEED=yellowstone, for what the other does not keep. */
export function onlyBackfills(
  { rpcUrl, solana, yellowstone }: Pick<Config, 'rpcUrl' | 'solana' | 'yellowstone'>,
  counters: FeedCounters,
  forms: NewForms,
  pace?: RpcPace,
): Source[] {
  if (rpcUrl === null || solana !== null || yellowstone === null) return []
  const about = { rpcUrl, wsUrl: rpcUrl, blocks: 'gaps' } as const
  return [new SolanaSource({ ...about, counters, forms, ...(pace && { pace }) })]
}

/** The live sources that FEED names, each once; their raw frames go to `rawFrames`. */
export function liveSources(
  config: Pick<Config, 'feeds' | 'pumpPortal' | 'yellowstone' | 'solana'>,
  rawFrames: RawFrames,
  counters: FeedCounters,
  report: (who: string, reason: string) => void,
  forms: NewForms,
  timers = REAL_TIMERS,
  pace?: RpcPace,
): Source[] {
  const { feeds, pumpPortal, yellowstone, solana } = config
  const sources: Source[] = []
  if (yellowstone !== null)
    sources.push(new YellowstoneSource({ peer: yellowstone, counters, forms, rawFrames }))
  if (solana !== null)
    sources.push(new SolanaSource({ ...solana, counters, forms, rawFrames, ...(pace && { pace }) }))
  if (feeds.some(({ kind }) => kind === 'pumpportal')) {
    const refused = (reason: string) => report(PUMPPORTAL, reason)
    sources.push(new PumpPortalSource({ ...pumpPortal, rawFrames, report: refused, timers }))
  }
  return sources
}

/** The live feeds of FEED for a recording: they begin at now and keep nothing; null: there are none. */
export function recordedFeed(
  config: Config,
  rawFrames: RawFrames,
  report: (who: string, reason: string) => void,
): Feed | null {
  const secrets: string[] = []
  const shown = framesWithoutKeys(rawFrames, secrets)
  const forms = new NewForms((sentence) => report('events', sentence))
  const sources = liveSources(config, shown, newFeedCounters(), report, forms)
  for (const source of sources) secrets.push(...(source.secrets ?? []))
  const { backfillSlotsMax, backfillMs } = config
  return sources.length === 0
    ? null
    : new Supervisor({ sources, cursor: null, report, backfillSlotsMax, backfillMs })
}

/**
 * The slot behind which a restart goes on, of an engine that refuses what lies more than `lateSlots` before its
 * newest event; null: from now on. The newest slot may not have been written whole, transactions of older
 * ones may have come behind it, a subscription may have been dead for the 5 s in which that is noticed, and
 * a killed process forgot which slots it was asking for again. What comes again is dropped; what is new in
 * slots before these would be refused.
 * Where only the start was told, with `unseenTo` as the last slot before it, the slot behind that is the first.
 */
export function resumedCursor(newestSlot: number, lateSlots: number, unseenTo = -1): number | null {
  // Without slots no history is known whole, however many come.
  const isStartTold = unseenTo >= 0 && unseenTo < Number.MAX_SAFE_INTEGER
  if (newestSlot <= 0) return isStartTold ? unseenTo : null
  return Math.max(0, newestSlot - resumedSlotsOf(lateSlots) - 1)
}

/** How far behind its newest event an engine that takes what is `lateSlots` late has slots told again after a restart. */
export function resumedSlotsOf(lateSlots: number): number {
  return Math.min(INCOMPLETE_SLOTS_MAX - 1, lateSlots)
}
