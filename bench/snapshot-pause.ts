import { Child } from './child.ts'
import { atMost, type Line } from './line.ts'
import { median, spreadPercent } from './medians.ts'
import { settings } from './settings.ts'

const TOKENS = 100_000
const RATE = 5_000
const WINDOWS = 5
const WINDOW_SECONDS = 10 * settings.timeScale
/** What a snapshot may add to the longest of a thousand turns. */
const ADDED_MS = 1

/** The serving loop's delay while snapshots are made by the compactor, and while none is. */
export async function snapshotPause(): Promise<Line> {
  const child = new Child('processes/paused-service.ts', [TOKENS, RATE, WINDOWS, WINDOW_SECONDS])
  const quiet: number[] = []
  const busy: number[] = []
  try {
    await child.next()
    for (let i = 0; i < WINDOWS; i++) {
      const pair = await child.next()
      quiet.push(Number(pair.quietMs))
      busy.push(Number(pair.busyMs))
    }
  } finally {
    child.stop()
  }
  const ratios = busy.map((ms, i) => ms / quiet[i])
  return {
    what: `event-loop delay p99.9, snapshots back to back, ${TOKENS} tokens, ${RATE} swaps/s`,
    unit: 'ms',
    ours: median(busy),
    peer: { name: 'no snapshots', value: median(quiet) },
    ratio: median(ratios),
    spreadPercent: spreadPercent(ratios),
    goal: atMost(median(quiet) + ADDED_MS),
    saturated: `${WINDOWS} pairs of windows of ${WINDOW_SECONDS} s`,
  }
}
