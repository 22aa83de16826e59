import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/process/free-port.ts'
import { atMost, type Line } from './line.ts'
import { median } from './medians.ts'
import { pairedRounds } from './paired-rounds.ts'
import { scratchFolder } from './scratch-folder.ts'
import { Served, send } from './served.ts'
import { settings } from './settings.ts'

const TOKENS = 100_000
const RATE = 5_000
const WINDOWS = 5
const WINDOW_SECONDS = 10 * settings.timeScale
/** What a snapshot may add to the longest of a thousand turns. */
const ADDED_MS = 1
const PROBE = fileURLToPath(new URL('./processes/loop-delay-probe.ts', import.meta.url))

/** The serving loop's delay while snapshots are made by the compactor, and while none is. */
export async function snapshotPause(): Promise<Line> {
  const scratch = scratchFolder()
  const adminPort = await freePort()
  const served = await Served.start(TOKENS, RATE, scratch.path, {
    settings: { ADMIN_PORT: String(adminPort), SNAPSHOT_EVERY: '24h' },
    probe: PROBE,
  })
  const snapshot = async () => void (await send(adminPort, 'POST', '/snapshot'))
  const quiet: number[] = []
  const busy: number[] = []
  try {
    await snapshot()
    for (let i = 0; i < WINDOWS; i++) {
      quiet.push(await delayWhile(served, () => setTimeout(100)))
      busy.push(await delayWhile(served, snapshot))
    }
  } finally {
    await served.stop()
    scratch.remove()
  }
  return {
    what: `event-loop delay p99.9, snapshots back to back, ${TOKENS} tokens, ${RATE} swaps/s`,
    unit: 'ms',
    ...pairedRounds(busy, quiet, 'no snapshots'),
    goal: atMost(median(quiet) + ADDED_MS),
    saturated: `${WINDOWS} pairs of windows of ${WINDOW_SECONDS} s`,
  }
}

/** p99.9 of the loop's delay over a window of that work, in ms. */
async function delayWhile(served: Served, work: () => Promise<void>): Promise<number> {
  await served.probed()
  const end = Date.now() + WINDOW_SECONDS * 1000
  while (Date.now() < end) await work()
  return Number((await served.probed()).delayMs)
}
