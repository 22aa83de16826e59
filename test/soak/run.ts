/**
 * A market for DURATION (30m; also s and h): births, trades at RATE a second, SOCKETS live readers
 * that come and go, slow ones, pollers, snapshots; then a replay of everything by `verify`, a kill
 * and a second start whose answers have to be those of before. Ends with 1 when something was wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { durationMs } from '../../src/base/setting-values.ts'
import { pinTo } from '../attacks/places.ts'
import { launch, type Program, pause, startProgram } from '../process/program.ts'
import { Crowd } from './crowd.ts'
import { type Sample, slopePerHour } from './slope.ts'
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
const STALL_MS = 50
const MEBIBYTE = 2 ** 20
/** Figures that count the market itself: it grows, and that is no leak. */
const COUNTED = [
  'tape',
  'positions',
  'tokens',
  'texts',
  'wallets',
  'bars',
  'undo',
  'top_lists',
  'tape_cache',
  'dormant',
  'dormant_cache',
  'answer_cache',
]

interface Samples {
  readonly resident: Sample[]
  readonly uncounted: Sample[]
  readonly heap: Sample[]
  stalls: number
  longestStallMs: number
  last: ReadonlyMap<string, number>
}

const folder = mkdtempSync(join(tmpdir(), 'soak-'))
const settings = {
  DATA_DIR: folder,
  CLOCK: 'event',
  RATE_LIMIT: 'off',
  ADMIN_PORT: '0',
  SNAPSHOT_EVERY: `${SNAPSHOT_EVERY_S}s`,
}
const say = (text: string) => process.stdout.write(`${text}\n`)
const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`

async function figures(): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text()
  const lines = text.matchAll(/^mintfeed_(\w+(?:\{[^}]*\})?) (\S+)$/gm)
  return new Map([...lines].map(([, name, value]) => [name, Number(value)]))
}

async function sampled(program: Program): Promise<Samples> {
  const samples: Samples = {
    resident: [],
    uncounted: [],
    heap: [],
    stalls: 0,
    longestStallMs: 0,
    last: new Map(),
  }
  const startMs = performance.now()
  let nextLineMs = startMs
  let stallMs = 0
  while (performance.now() - startMs < DURATION_MS && program.child.exitCode === null) {
    await pause(SAMPLE_MS)
    const now = await figures()
    samples.last = now
    const atMs = performance.now() - startMs
    if (atMs < DURATION_MS * WARM_UP_SHARE) continue
    const of = (name: string) => now.get(name) ?? 0
    const counted = COUNTED.reduce((sum, name) => sum + of(`${name}_bytes`), 0)
    samples.resident.push({ atMs, value: of('rss_bytes') })
    samples.uncounted.push({ atMs, value: of('rss_bytes') - counted })
    samples.heap.push({ atMs, value: of('heap_used_bytes') })
    samples.longestStallMs = Math.max(samples.longestStallMs, of('loop_delay_now_ms'))
    // The figure stands for some seconds: the same one again is the same stall.
    if (of('loop_delay_now_ms') > STALL_MS && of('loop_delay_now_ms') !== stallMs) samples.stalls++
    stallMs = of('loop_delay_now_ms')
    if (performance.now() < nextLineMs) continue
    nextLineMs = performance.now() + 60_000
    say(
      `${Math.round(atMs / 1000)} s: ${of('swaps')} swaps, ${of('tokens')} tokens, ${mebibytes(of('rss_bytes'))}`,
    )
  }
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
const samples = await sampled(program)
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

const of = (name: string) => samples.last.get(name) ?? 0
say(
  `\nmemory       resident ${mebibytes(slopePerHour(samples.resident))}/h, without the market's own ${mebibytes(slopePerHour(samples.uncounted))}/h, heap ${mebibytes(slopePerHour(samples.heap))}/h (last: ${mebibytes(of('rss_bytes'))}, heap ${mebibytes(of('heap_used_bytes'))})`,
)
say(
  `stalls       ${samples.stalls} above ${STALL_MS} ms after warm-up (one in 5 s is seen), longest ${samples.longestStallMs.toFixed(1)} ms, longest collection of the last minute ${of('gc_pause_max_ms').toFixed(1)} ms`,
)
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
say(isWell ? 'soak: well' : 'soak: NOT well')
process.exit(isWell ? 0 : 1)
