import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { freePort } from '../../test/process/free-port.ts'
import { plainFields } from '../child.ts'
import { atMost, type Line } from '../line.ts'
import { median, spreadPercent } from '../medians.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { snapshotPause } from '../snapshot-pause.ts'

const STARTS = 3
const SECONDS_GOAL = 5
const SECONDS_PER_GIGABYTE_GOAL = 2.5
const POLL_MS = 50
const PATIENCE_MS = 120_000
const GIGABYTE = 1e9
const BUILD = fileURLToPath(new URL('../processes/build-folder.ts', import.meta.url))

/** What the folders hold: a snapshot and a tail of the journal, one swap a frame. */
const FOLDERS = [
  { tokens: 100_000, historyRate: 3, tailFrames: 1_000_000, swapsPerFrame: 1 },
  { tokens: 400_000, historyRate: 24, tailFrames: 0, swapsPerFrame: 1 },
] as const

/** S12: from the start to the first answer on a folder as a kill left it; what snapshots hold up. */
export async function run(): Promise<readonly Line[]> {
  const rows: Line[] = []
  for (const folder of FOLDERS) rows.push(...(await measure(folder)))
  return [...rows, await snapshotPause()]
}

async function measure(size: (typeof FOLDERS)[number]): Promise<Line[]> {
  const scratch = scratchFolder()
  const folder = scratch.path
  try {
    const args = [size.tokens, size.historyRate, size.tailFrames, size.swapsPerFrame].map(String)
    const built = execFileSync(process.execPath, [BUILD, folder, ...args], { encoding: 'utf8' })
    const { snapshotBytes } = plainFields(JSON.parse(built))
    const gigabytes = Number(snapshotBytes) / GIGABYTE
    const seconds: number[] = []
    for (let i = 0; i < STARTS; i++) seconds.push(await secondsToFirstAnswer(folder))
    const what = `${size.tokens} tokens, snapshot of ${gigabytes.toFixed(2)} GB, tail of ${size.tailFrames} frames`
    const row = { what, ours: median(seconds), unit: 's', spreadPercent: spreadPercent(seconds) }
    if (size.tailFrames > 0) return [{ ...row, goal: atMost(SECONDS_GOAL) }]
    const perGigabyte = {
      ...{ what: 'the same for each GB', ours: median(seconds) / gigabytes, unit: 's/GB' },
      goal: atMost(SECONDS_PER_GIGABYTE_GOAL),
    }
    return [row, perGigabyte]
  } finally {
    scratch.remove()
  }
}

async function secondsToFirstAnswer(folder: string): Promise<number> {
  const port = await freePort()
  const env = {
    ...{ DATA_DIR: folder, FEED: 'none', CLOCK: 'event', SNAPSHOT_EVERY: '24h' },
    ...{ PORT: String(port), RATE_LIMIT: 'off', LOG_LEVEL: 'error' },
    ...process.env,
  }
  const command = [...NODE_FLAGS, programPath()]
  const startMs = performance.now()
  const child = spawn(process.execPath, command, { env, stdio: 'ignore' })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    while ((await statusOf(port)) !== 200) {
      if (performance.now() - startMs > PATIENCE_MS) throw new Error('the start took too long')
      await setTimeout(POLL_MS)
    }
    return (performance.now() - startMs) / 1000
  } finally {
    process.off('exit', kill)
    kill()
    await once(child, 'exit')
  }
}

/** Status of a read, 0 when nothing listens yet. */
function statusOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(
      { port, host: '127.0.0.1', path: '/api/v2/search/tokens/detailed?query=a' },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      },
    )
    asked.on('error', () => resolve(0))
    asked.end()
  })
}
