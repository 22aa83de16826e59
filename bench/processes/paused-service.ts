/**
 * The service with a simulated market and a data folder; tells its parent the loop's delay in
 * windows without and with snapshots. Arguments: tokens, swaps a second, pairs, seconds a window.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { readConfig } from '../../src/base/config.ts'
import { Durability } from '../../src/durability.ts'
import { SimulatorFeed } from '../../src/feeds/simulator.ts'
import { Service } from '../../src/service.ts'
import { onParent, tellParent } from '../child.ts'

const NANOSECONDS = 1e6
/** Swaps a token of the history: it is over when they are there. */
const HISTORY_SWAPS = 12

const [tokens, rate, pairs, windowSeconds] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'mintfeed-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
onParent(() => undefined)

const config = readConfig(['--data-dir', folder, '--snapshot-every', '24h'], {})
const service = new Service(config)
const ignore = () => undefined
const log = {
  info: ignore,
  warn: ignore,
  error: (fields: object) => process.stderr.write(`${JSON.stringify(fields)}\n`),
}
const told = { log, onFailure: ignore, onDiskCall: ignore }
const durability = await Durability.open({ config, folder, service, ...told })
const feed = new SimulatorFeed({
  ...{ seed: 1, tokens, rate, startSeconds: Math.floor(Date.now() / 1000) },
  clock: () => Date.now() / 1000,
  addressBook: service.engine.state.book,
})
void feed.start(service)
while (service.engine.counts.swaps < tokens * HISTORY_SWAPS) await setTimeout(500)
await durability.snapshot()
tellParent({ ready: 1 })

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

/** p99.9 of the loop's delay over a window. */
async function windowOf(work: () => Promise<void>): Promise<number> {
  delay.reset()
  const end = Date.now() + windowSeconds * 1000
  while (Date.now() < end) await work()
  return delay.percentile(99.9) / NANOSECONDS
}

for (let i = 0; i < pairs; i++) {
  const quietMs = await windowOf(() => setTimeout(100))
  const busyMs = await windowOf(() => durability.snapshot())
  tellParent({ quietMs, busyMs })
}
await setTimeout(1_000)
