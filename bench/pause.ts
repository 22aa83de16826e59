import { Child } from './child.ts'
import { median } from './medians.ts'
import type { Report } from './report.ts'

const TOKENS = 100_000
const RATE = 5_000
const WINDOWS = 4
const WINDOW_SECONDS = 12

/** The serving loop's delay while snapshots are made by the compactor, and while none is. */
export async function run(): Promise<Report> {
  const child = new Child('paused-service.ts', [TOKENS, RATE, WINDOWS, WINDOW_SECONDS])
  const quiet: number[] = []
  const busy: number[] = []
  const ratios: number[] = []
  try {
    await child.next()
    for (let i = 0; i < WINDOWS; i++) {
      const pair = await child.next()
      quiet.push(Number(pair.quietMs))
      busy.push(Number(pair.busyMs))
      ratios.push(Number(pair.busyMs) / Number(pair.quietMs))
    }
  } finally {
    child.stop()
  }
  const how = `${TOKENS} tokens, ${RATE} swaps/s, ${WINDOWS} pairs of windows of ${WINDOW_SECONDS} s in one run: snapshots back to back in ours, none in the peer`
  const row = {
    what: 'event-loop delay, p99.9',
    ours: median(busy),
    peer: median(quiet),
    ratio: median(ratios),
    unit: 'ms',
  }
  return { name: 'pause', how, rows: [row] }
}
