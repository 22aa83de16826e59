/**
 * A market for DURATION (30m; also s and h): births, trades at RATE a second, SOCKETS live readers
 * that come and go, slow ones, pollers, snapshots; then a replay of everything by `verify`, a kill
 * and a second start whose answers have to be those of before. Ends with 1 when something was wrong.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { durationMs } from '../../src/config/setting-values.ts'
import { pinTo } from '../attacks/places.ts'
import { launch, type Program, startProgram } from '../process/program.ts'
import { Crowd } from './crowd.ts'
import { aliveBytes, type Figures, leakOf, leakVerdict, memoryLines } from './memory-report.ts'
import { ownStalls, stallLines, stallsIn } from './stalls-report.ts'
import { differences, testimony, witnessedMints } from './witness.ts'

const DURATION_MS = durationMs('DURATION', process.env.DURATION || '30m')
const RATE = process.env.RATE || '1000'
const SOCKETS = Number(process.env.SOCKETS || 1000)
const SEED = Number(process.env.SEED || 1)
/** Snapshots are as frequent as short runs need to see some. */
const SNAPSHOT_EVERY_S = Math.max(10, Math.min(300, Math.round(DURATION_MS / 6000)))
const SAMPLE_MS = 1000
/** The beginning, in which caches fill and code is compiled, is not part of the slope. */
const WARM_UP_SHARE = 0.3
const WARM_UP_MS = DURATION_MS * WARM_UP_SHARE
/** The soak has all garbage collected so often, to see what is alive. */
const COLLECTIONS = 24
/** Looks at each of these times; the one that shows least counts, for buffers go when they like. */
const LOOKS = 6
/** Stalls this near to a collection that the soak ordered are the soak's own. */
const COLLECTION_REACH_MS = 500
const MEBIBYTE = 2 ** 20
/** A slope of less says little: caches fill and V8's heap finds its size for minutes. */
const JUDGED_FROM_MS = 30 * 60_000

// One that is ended takes its programs along.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const folder = mkdtempSync(join(tmpdir(), 'soak-'))
/** As packaging/ sets it. */
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
const settings = {
  DATA_DIR: folder,
  ...ALLOCATOR,
  CLOCK: 'event',
  RATE_LIMIT: 'off',
  ADMIN_PORT: '0',
  SNAPSHOT_EVERY: `${SNAPSHOT_EVERY_S}s`,
}
const say = (text: string) => process.stdout.write(`${text}\n`)
const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`

const askAdmin = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${admin}${path}`, init)

async function figuresAt(atMs: number): Promise<Figures> {
  const text = await (await askAdmin('/metrics')).text()
  const lines = text.matchAll(/^mintfeed_(\w+(?:\{[^}]*\})?) (\S+)$/gm)
  const figures = new Map([...lines].map(([, name, value]) => [name, Number(value)]))
  return { atMs, of: (name) => figures.get(name) ?? 0 }
}

interface Samples {
  /** Of each second after the warm-up. */
  readonly figures: Figures[]
  /** When all garbage had just been collected. */
  readonly settled: Figures[]
  /** When the soak had it collected, in unix milliseconds. */
  readonly collectedAtMs: number[]
}

/** Has the garbage collected, and looks when what it held outside the heap has gone too. */
async function collect({ settled, collectedAtMs }: Samples, startMs: number): Promise<void> {
  const looks: Figures[] = []
  for (let round = 0; round < LOOKS; round++) {
    collectedAtMs.push(Date.now())
    await askAdmin('/collect', { method: 'POST' })
    await pause(SAMPLE_MS / 2)
    looks.push(await figuresAt(Date.now() - startMs))
  }
  settled.push(looks.reduce((a, b) => (aliveBytes(b) < aliveBytes(a) ? b : a)))
}

/** Figures of each second after the warm-up. */
async function sampled(program: Program, startMs: number): Promise<Samples> {
  const samples: Samples = { figures: [], settled: [], collectedAtMs: [] }
  let nextLineMs = startMs
  let nextCollectionMs = startMs + WARM_UP_MS
  while (Date.now() - startMs < DURATION_MS && program.child.exitCode === null) {
    await pause(SAMPLE_MS)
    const now = await figuresAt(Date.now() - startMs)
    if (now.atMs < WARM_UP_MS) continue
    samples.figures.push(now)
    if (Date.now() >= nextCollectionMs) {
      nextCollectionMs += (DURATION_MS - WARM_UP_MS) / COLLECTIONS
      await collect(samples, startMs)
    }
    if (Date.now() < nextLineMs) continue
    nextLineMs = Date.now() + 60_000
    say(
      `${Math.round(now.atMs / 1000)} s: ${now.of('swaps')} swaps, ${now.of('tokens')} tokens, ${mebibytes(now.of('rss_bytes'))}, ${now.of('loop_own_stalls_total')} stalls of the program and ${now.of('loop_stalls_total') - now.of('loop_own_stalls_total')} of the machine`,
    )
  }
  if (program.child.exitCode === null) await collect(samples, startMs)
  return samples
}

/** Exit code of `mintfeed verify` on the folder. */
async function verified(): Promise<number | null> {
  const command = launch({}, ['verify', '--data-dir', folder])
  return command.ended
}

/** A quiet start of the same folder: no feed, so that its time stands. */
function quiet(): Promise<Program> {
  return startProgram({ ...settings, FEED: 'none', ADMIN_PORT: '' })
}

say(`soak: ${DURATION_MS / 1000} s, ${RATE} swaps a second, ${SOCKETS} readers, SEED=${SEED}`)
const program = await startProgram({
  ...settings,
  SIM_SEED: String(SEED),
  SIM_TOKENS: '2000',
  SIM_RATE: RATE,
})
const admin = /"port":(\d+)/.exec(await program.seen(/admin surface/))?.[1]
// A reader that shares the service's core would be measured with it.
const isApart = pinTo(0, program.child.pid ?? 0) && pinTo(1, process.pid)
if (!isApart) say('soak: readers and service share their cores')
const crowd = new Crowd(program.url, SOCKETS, SEED)
await crowd.start()
const startMs = Date.now()
const samples = await sampled(program, startMs)
const seen = stallsIn(await (await askAdmin('/stalls')).json())
const isOrdered = (atMs: number) =>
  samples.collectedAtMs.some((at) => Math.abs(at - atMs) < COLLECTION_REACH_MS)
const stalls = seen.filter(({ atMs }) => atMs - startMs >= WARM_UP_MS && !isOrdered(atMs))
crowd.stop()
const isAlive = program.child.exitCode === null
const defects = program.lines.filter((line) => /"level":(?:50|60)|A route threw/.test(line))
// Killed in the middle of the market: the journal has everything that anybody saw.
await program.end('SIGKILL')
const first = await quiet()
const mints = await witnessedMints(first.url)
const before = await testimony(first.url, mints)
await first.end('SIGTERM')
const verifyCode = await verified()
const second = await quiet()
const differing = differences(before, await testimony(second.url, mints))
await second.end('SIGKILL')
rmSync(folder, { recursive: true, force: true })

const of = (name: string) => samples.figures[samples.figures.length - 1]?.of(name) ?? 0
say('')
for (const line of [
  ...memoryLines(samples.figures, samples.settled),
  ...stallLines(stalls, startMs),
])
  say(line)
say(`collections  longest of the last minute ${(of('gc_pause_max_seconds') * 1000).toFixed(1)} ms`)
say(
  `market       ${of('swaps')} swaps, ${of('tokens')} tokens, ${of('wallets')} wallets, snapshot at seq ${of('snapshot_seq')}, ${of('snapshot_failures_total')} snapshots failed`,
)
say(`clients      ${JSON.stringify(crowd.counts)}`)
say(
  `errors       ${crowd.errors.size === 0 ? 'none' : JSON.stringify(Object.fromEntries(crowd.errors))}`,
)
say(
  `log          ${defects.length} lines of errors${defects
    .slice(0, 3)
    .map((line) => `\n  ${line}`)
    .join('')}`,
)
say(`replay       mintfeed verify ended with ${verifyCode}`)
say(
  `differences  ${differing.length} of ${before.size} answers about ${mints.length} tokens after a second replay${differing
    .slice(0, 5)
    .map((path) => `\n  ${path}`)
    .join('')}`,
)
const isWell =
  isAlive &&
  defects.length === 0 &&
  crowd.errors.size === 0 &&
  verifyCode === 0 &&
  differing.length === 0
const isJudged = DURATION_MS >= JUDGED_FROM_MS
const heldOr = (isMissed: boolean) => (isMissed ? 'missed' : 'held')
say(
  `goals        memory ${leakVerdict(leakOf(samples.settled))}${isJudged ? '' : ' (says little below 30 minutes)'}, stalls ${heldOr(ownStalls(stalls).length > 0)}, differences ${heldOr(differing.length > 0)}`,
)
say(isWell ? 'soak: well' : 'soak: NOT well')
process.exit(isWell ? 0 : 1)
