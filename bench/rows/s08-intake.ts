import { execFileSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { Service } from '../../src/app/service.ts'
import { LATE_SLOTS } from '../../src/engine/order/reorder-window.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { SegmentPrefetcher } from '../../src/store/journal/segment-prefetcher.ts'
import { recover } from '../../src/store/recovery/recovery.ts'
import { archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import { atLeast, type Line } from '../line.ts'
import { feedLines, marketLines } from '../market-lines.ts'
import { median, spreadPercent } from '../medians.ts'
import { pairedRounds } from '../paired-rounds.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { settings } from '../settings.ts'

const BUILD = fileURLToPath(new URL('../processes/build-folder.ts', import.meta.url))
const TOKENS = 2_000
const ROUNDS = 7
const LINES_GOAL = 150_000
const FRAMES = Math.round(500_000 * settings.timeScale)
const FRAMES_GOAL = 1_000_000

/** S8: lines of JSON through the feed into the fold, and the journal's frames at a start. */
export async function run(): Promise<readonly Line[]> {
  return [await ingest(), ...(await replay())]
}

async function ingest(): Promise<Line> {
  const text = marketLines(TOKENS)
  const lines = text.toString().trimEnd().split('\n')
  const rates: number[] = []
  const parsed: number[] = []
  for (let i = 0; i <= ROUNDS * 2; i++) {
    const own = await linesPerSecond(text, lines.length)
    const peer = parsesPerSecond(lines)
    // The first rounds warm up.
    if (i <= ROUNDS) continue
    rates.push(own)
    parsed.push(peer)
  }
  return {
    what: `NDJSON through the feed into the fold, ${lines.length} lines`,
    unit: 'lines/s of CPU',
    ...pairedRounds(rates, parsed, 'JSON.parse alone'),
    goal: atLeast(LINES_GOAL),
    saturated: 'one core',
  }
}

async function linesPerSecond(text: Buffer, lines: number): Promise<number> {
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  const startCpu = process.cpuUsage()
  await feedLines(text, service)
  const { user, system } = process.cpuUsage(startCpu)
  if (service.engine.seq === 0) throw new Error('nothing was folded')
  return lines / ((user + system) / 1e6)
}

function parsesPerSecond(lines: readonly string[]): number {
  const startCpu = process.cpuUsage()
  let fields = 0
  for (const line of lines) fields += JSON.parse(line).type.length
  const { user, system } = process.cpuUsage(startCpu)
  return fields === 0 ? 0 : lines.length / ((user + system) / 1e6)
}

/** Frames folded a second at a start: with one swap a frame, and as a busy feed writes them. */
async function replay(): Promise<Line[]> {
  const lines: Line[] = []
  for (const swaps of [1, 64]) {
    const scratch = scratchFolder()
    const folder = scratch.path
    try {
      const args = [TOKENS, 50, Math.ceil(FRAMES / swaps), swaps].map(String)
      execFileSync(process.execPath, [BUILD, folder, ...args])
      const rates = Array.from({ length: ROUNDS }, () => swapsReplayed(folder))
      const unit = 'swaps/s'
      lines.push({
        what: `own journal replayed, ${swaps} ${swaps === 1 ? 'swap' : 'swaps'} a frame`,
        ...{ unit, ours: median(rates), spreadPercent: spreadPercent(rates) },
        goal: atLeast(FRAMES_GOAL),
        saturated: 'one core folds, one reads ahead',
      })
    } finally {
      scratch.remove()
    }
  }
  return lines
}

/** Only the journal behind the snapshot counts. */
function swapsReplayed(folder: string): number {
  const disk = new NodeDisk()
  const newEngine = () => archivedEngine(disk, folder)
  const engine = newEngine()
  const ahead = new SegmentPrefetcher(disk)
  const own = { engine, newEngine, newEpoch: () => 'bench', ahead }
  const about = { disk, folder, boot: bootId(), written: null, ...own }
  let startMs = 0
  let swapsBefore = 0
  try {
    for (const { step } of recover(about)) {
      if (step !== 'journal' || startMs !== 0) continue
      startMs = performance.now()
      swapsBefore = engine.counts.swaps
    }
    return (engine.counts.swaps - swapsBefore) / ((performance.now() - startMs) / 1000)
  } finally {
    ahead.close()
  }
}
