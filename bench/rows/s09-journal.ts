import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { RecordSink } from '../../src/engine/event-sink.ts'
import type { Service } from '../../src/service.ts'
import { FileMark } from '../../src/store/file-mark.ts'
import type { FsyncPolicy } from '../../src/store/fsync-policy.ts'
import { Journal } from '../../src/store/journal.ts'
import { JournaledEngine } from '../../src/store/journaled-engine.ts'
import { NodeDisk } from '../../src/store/node-disk.ts'
import { bootId } from '../../src/store/process-lock.ts'
import { WaitTimes } from '../../src/store/wait-times.ts'
import { atMost, type Line, ratioAtLeast } from '../line.ts'
import { median, spreadPercent } from '../medians.ts'
import { copyOf, type MarketSize, RecordedMarket } from '../recorded-market.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { PAIRS, settings } from '../settings.ts'
import { SmallBatches } from '../small-batches.ts'

const SIZE: MarketSize = {
  tokens: 2_000,
  historyRate: 50,
  liveSwaps: Math.round(150_000 * settings.timeScale),
  liveRate: 1_000,
}
/** Swaps a write: what a slot of the chain brings, a busy replay, and the most that is written at once. */
const BATCHES = [16, 256, 1_024] as const
const RATIO_GOAL = ratioAtLeast(0.9)
const DURABLE_P99_GOAL = atMost(10)
/** Swaps a turn of the loop while syncs are timed. */
const TURN_SWAPS = 64

/** S9: what the journal costs the fold, and how long until what was written is on the disk. */
export async function run(): Promise<readonly Line[]> {
  const market = new RecordedMarket(SIZE)
  const rows = BATCHES.map((swaps) => compare(market, swaps))
  rows.push(...(await syncTimes(market)))
  return rows
}

interface Kept {
  readonly sink: RecordSink
  readonly journal: Journal
  end(): void
}

function keep(service: Service, fsync: FsyncPolicy, waits: WaitTimes): Kept {
  const scratch = scratchFolder()
  const folder = scratch.path
  const journal = new Journal(
    {
      ...{ disk: new NodeDisk(), folder, fsync, epoch: randomUUID(), boot: bootId() },
      mark: new FileMark(folder),
      clockMs: () => performance.now(),
      onSynced: (waitedMs) => waits.add(waitedMs),
      onFailure: (failure) => {
        throw failure
      },
    },
    { seq: 0, crc: 0, segment: 0 },
  )
  const end = () => {
    journal.close()
    scratch.remove()
  }
  return { sink: new JournaledEngine(service.engine, journal), journal, end }
}

function compare(market: RecordedMarket, swaps: number): Line {
  const ours: number[] = []
  const peers: number[] = []
  const ratios: number[] = []
  for (let pair = 0; pair <= PAIRS; pair++) {
    // Whoever comes second finds a warmer machine: they take turns.
    const first = foldRate(market, swaps, pair % 2 === 0)
    const second = foldRate(market, swaps, pair % 2 !== 0)
    const [own, peer] = pair % 2 === 0 ? [first, second] : [second, first]
    // The first pair warms up.
    if (pair === 0) continue
    ours.push(own)
    peers.push(peer)
    ratios.push(own / peer)
  }
  return {
    what: `fold with the journal, ${swaps} swaps a write`,
    ours: median(ours),
    peer: { name: 'no journal', value: median(peers) },
    ratio: median(ratios),
    unit: 'swaps/s',
    spreadPercent: spreadPercent(ratios),
    goal: RATIO_GOAL,
    saturated: 'one core; syncs in the background',
  }
}

function foldRate(market: RecordedMarket, swaps: number, isJournaled: boolean): number {
  const service = market.warmService()
  const kept = isJournaled ? keep(service, 'group', new WaitTimes()) : null
  globalThis.gc?.()
  const folded = service.engine.counts.swaps
  const startMs = performance.now()
  market.playLive(new SmallBatches(kept?.sink ?? service.engine, swaps))
  const seconds = (performance.now() - startMs) / 1000
  kept?.end()
  return (service.engine.counts.swaps - folded) / seconds
}

/** Writes turn by turn, so that syncs end meanwhile as they do in the service. */
async function syncTimes(market: RecordedMarket): Promise<Line[]> {
  const waits = new WaitTimes()
  const service = market.warmService()
  const kept = keep(service, 'group', waits)
  const turns: (() => void)[] = []
  const batches = new SmallBatches(
    {
      records: (batch) => {
        const copy = copyOf(batch)
        turns.push(() => kept.sink.records(copy))
      },
    },
    TURN_SWAPS,
  )
  market.playLive(batches)
  const startMs = performance.now()
  for (const turn of turns) {
    turn()
    await setImmediate()
  }
  const seconds = (performance.now() - startMs) / 1000
  const figures = waits.figures()
  kept.end()
  const rate = Math.round(SIZE.liveSwaps / seconds).toLocaleString('en-US')
  const at = `written → on the disk at ${rate} swaps/s`
  return [
    { what: `${at}, median`, ours: figures.journal_sync_p50_ms, unit: 'ms' },
    { what: `${at}, p99`, ours: figures.journal_sync_p99_ms, unit: 'ms', goal: DURABLE_P99_GOAL },
    { what: `${at}, longest`, ours: figures.journal_sync_longest_ms, unit: 'ms' },
  ]
}
