import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as setTimer } from 'node:timers'
import { setTimeout } from 'node:timers/promises'
import { Service } from '../../src/app/service.ts'
import type { Config } from '../../src/config/config.ts'
import { LATE_SLOTS } from '../../src/engine/order/reorder-window.ts'
import type { EventSink, RecordSink } from '../../src/events/event-sink.ts'
import { SWAP_RECORD_BYTES } from '../../src/events/swap-record.ts'
import { loadMapFile, shortenPoolSlices } from '../../src/store/disk/kernel-calls.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { WaitTimes } from '../../src/store/disk/watched-disk.ts'
import { FileCommitMarker } from '../../src/store/folder/commit-marker.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { MappedRing } from '../../src/store/journal/journal-ring.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { atMost, type Line, ratioAtLeast } from '../line.ts'
import { feedLines, marketLines } from '../market-lines.ts'
import { pairedRounds } from '../paired-rounds.ts'
import { type MarketSize, RecordedMarket } from '../recorded-market.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { PAIRS, settings } from '../settings.ts'
import { playInTurns } from '../turns.ts'
import { warmMemory } from '../warm-memory.ts'

const SIZE: MarketSize = {
  tokens: 2_000,
  historyRate: 50,
  liveSwaps: Math.round(500_000 * settings.timeScale),
  liveRate: 1_000,
}
/** Swaps a write: what a slot of the chain brings, a busy replay, and the most that is written at once. */
const BATCHES = [16, 256, 1_024] as const
const TURNS = ['none', 'bare', 'journal'] as const
const PEER_NAMES = { none: 'no journal', bare: 'a bare write' } as const
const SATURATED = 'one core; syncs in the background'
const RATIO_GOAL = ratioAtLeast(0.9)
const DURABLE_P99_GOAL = atMost(10)
/** The rounds of one machine spread by 10 to 30 %, and what the journal costs is told in parts of one. */
const ROUNDS = 2 * PAIRS
/** Between two rounds. */
const FILE_ENDS_MS = 20
/** Swaps a turn of the loop while syncs are timed. */
const TURN_SWAPS = 64
/** Enough for some thousand syncs. */
const SYNCED_SWAPS = Math.round(2_000_000 * settings.timeScale)

/**
 * S9: what the journal costs the fold, what of that any file would cost, and how long until what was
 * written is on the disk.
 */
export async function run(): Promise<readonly Line[]> {
  await shortenPoolSlices()
  const market = new RecordedMarket(SIZE)
  const rows: Line[] = []
  for (const swaps of BATCHES) rows.push(...(await compare(market, swaps)))
  rows.push(await compareLines())
  rows.push(...(await syncTimes()))
  return rows
}

/** As the service keeps its journal. */
const map = await loadMapFile()

/** Takes records in front of the fold. */
interface Front {
  readonly sink: RecordSink
  end(): void
}

interface Kept extends Front {
  readonly sink: EventSink
  readonly journal: Journal
}

const FRONTS = {
  none: (service: Service): Front => ({ sink: service.engine, end() {} }),
  bare: writeBare,
  journal: (service: Service): Front => keep(service, 'group', new WaitTimes()),
} as const

/** The records of each batch as they are, in one write, and nothing else: no sums, no heads, no syncs. */
function writeBare(service: Service): Front {
  const scratch = scratchFolder()
  const file = openSync(join(scratch.path, 'records'), 'w')
  const sink: RecordSink = {
    records: (batch) => {
      writeSync(file, batch.bytes, 0, batch.count * SWAP_RECORD_BYTES)
      service.engine.records(batch)
    },
  }
  const end = () => {
    closeSync(file)
    scratch.remove()
  }
  return { sink, end }
}

function keep(service: Service, fsync: Config['fsync'], waits: WaitTimes): Kept {
  const scratch = scratchFolder()
  const folder = scratch.path
  const journal = new Journal(
    {
      ...{ disk: new NodeDisk(), folder, fsync, epoch: randomUUID(), boot: bootId() },
      mark: new FileCommitMarker(folder, map),
      ring: new MappedRing(folder, map, () => {}),
      clockMs: () => performance.now(),
      later: setTimer,
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

async function compare(market: RecordedMarket, swaps: number): Promise<readonly Line[]> {
  const rounds: Record<keyof typeof FRONTS, number>[] = []
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const rates = await roundOf(market, swaps, round % 2 === 0)
    if (round > 0) rounds.push(rates)
  }
  const line = (ours: 'bare' | 'journal', peer: 'none' | 'bare') => {
    const [own, peers] = [ours, peer].map((front) => rounds.map((rates) => rates[front]))
    return { ...pairedRounds(own, peers, PEER_NAMES[peer]), unit: 'swaps/s', saturated: SATURATED }
  }
  const at = `${swaps} swaps a write`
  return [
    { what: `fold with the journal, ${at}`, ...line('journal', 'none'), goal: RATIO_GOAL },
    { what: `fold with a bare write of the records, ${at}`, ...line('bare', 'none') },
    { what: `fold with the journal beside a bare write, ${at}`, ...line('journal', 'bare') },
  ]
}

/** Whoever comes later finds a warmer machine: they take turns. */
async function roundOf(
  market: RecordedMarket,
  swaps: number,
  isForward: boolean,
): Promise<Record<keyof typeof FRONTS, number>> {
  const rates = { none: 0, bare: 0, journal: 0 }
  const order = isForward ? TURNS : TURNS.toReversed()
  for (const front of order) {
    rates[front] = await foldRate(market, swaps, FRONTS[front])
    // A write in the background ends, and the file with it: else the disk clears all of them while syncs are timed.
    await setTimeout(FILE_ENDS_MS)
  }
  return rates
}

async function foldRate(
  market: RecordedMarket,
  swaps: number,
  frontOf: (service: Service) => Front,
): Promise<number> {
  const service = market.warmService()
  const front = frontOf(service)
  await warmMemory()
  const folded = service.engine.counts.swaps
  const startMs = performance.now()
  await playInTurns(market, front.sink, swaps)
  const seconds = (performance.now() - startMs) / 1000
  front.end()
  return (service.engine.counts.swaps - folded) / seconds
}

/** The same from event lines on, as a replay at full speed has it: a write for each read of a pipe. */
async function compareLines(): Promise<Line> {
  const text = marketLines(SIZE.tokens)
  const own: number[] = []
  const peers: number[] = []
  for (let pair = 0; pair <= PAIRS; pair++) {
    const isOwnFirst = pair % 2 === 0
    const first = await eventRate(text, isOwnFirst)
    const second = await eventRate(text, !isOwnFirst)
    if (pair === 0) continue
    own.push(isOwnFirst ? first : second)
    peers.push(isOwnFirst ? second : first)
  }
  return {
    what: 'event lines through the feed into the fold with the journal',
    ...pairedRounds(own, peers, PEER_NAMES.none),
    unit: 'events/s',
    goal: RATIO_GOAL,
    saturated: SATURATED,
  }
}

async function eventRate(text: Buffer, isJournaled: boolean): Promise<number> {
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  const kept = isJournaled ? keep(service, 'group', new WaitTimes()) : null
  await warmMemory()
  const startMs = performance.now()
  await feedLines(text, kept?.sink ?? service)
  const seconds = (performance.now() - startMs) / 1000
  kept?.end()
  return service.engine.seq / seconds
}

/** Of one long run: where it begins, V8 compiles and collects on the cores that a sync needs. */
async function syncTimes(): Promise<Line[]> {
  const market = new RecordedMarket({ ...SIZE, liveSwaps: SYNCED_SWAPS })
  const waits = new WaitTimes()
  const service = market.warmService()
  const kept = keep(service, 'group', waits)
  // What the rounds before have left is no garbage of this one.
  await warmMemory()
  const startMs = performance.now()
  await playInTurns(market, kept.sink, TURN_SWAPS)
  const seconds = (performance.now() - startMs) / 1000
  const figures = waits.figures()
  kept.end()
  const rate = Math.round(SYNCED_SWAPS / seconds).toLocaleString('en-US')
  const at = `written → on the disk at ${rate} swaps/s`
  return [
    { what: `${at}, median`, ours: figures.journal_sync_p50_ms, unit: 'ms' },
    { what: `${at}, p99`, ours: figures.journal_sync_p99_ms, unit: 'ms', goal: DURABLE_P99_GOAL },
    { what: `${at}, longest`, ours: figures.journal_sync_longest_ms, unit: 'ms' },
  ]
}
