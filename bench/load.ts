/**
 * A large market for DURATION (10m): TOKENS tokens, RATE swaps a second, SOCKETS live readers and
 * POLLS table polls a second, half of them with filters never sent before. Prints a line a minute
 * and a table at the end: latency from the intended send time, loop delay, collections, memory. DESK=on polls trending
 * tokens and filters of windows too, and has 50 alert rules; DESK=rules has the rules alone.
 */
import { writeFileSync } from 'node:fs'
import { Random } from '../src/base/random.ts'
import { durationMs } from '../src/config/setting-values.ts'
import { slopePerHour } from '../test/soak/slope.ts'
import { popularBody, popularGroupBody } from './bodies.ts'
import { Child, plainFields } from './child.ts'
import { get, HttpLoad, postTables } from './drivers/http-load.ts'
import { randomBodies } from './random-filters.ts'
import { scratchFolder } from './scratch-folder.ts'
import { Served, send } from './served.ts'
import { settings } from './settings.ts'

const DURATION_MS = durationMs('DURATION', process.env.DURATION || '10m')
const TOKENS = Number(process.env.TOKENS || 100_000)
const RATE = Number(process.env.RATE || 5_000)
const SOCKETS = Number(process.env.SOCKETS || 1_000)
const POLLS = Number(process.env.POLLS || 200)
/** One line of the table; its latencies have a histogram of their own. */
const MINUTE_MS = Math.min(60_000, DURATION_MS)
const SAMPLE_MS = 1_000
const MEBIBYTE = 2 ** 20
const NEW_FILTERS = 250
const IS_DESK = process.env.DESK === 'on'
const HAS_RULES = IS_DESK || process.env.DESK === 'rules'
const ALERT_RULES = Number(process.env.ALERT_RULES ?? 50)
/** Figures of what the market itself holds: it grows with every swap. */
const HELD = ['market', 'bounded']

type Figures = Readonly<Record<string, string | number>>

const say = (text: string) => process.stdout.write(`${text}\n`)

async function figures(port: number): Promise<Figures> {
  return plainFields(JSON.parse((await send(port, 'GET', '/readyz')).toString()))
}

/** Mints of the three tables as a reader finds them. */
async function listedMints(port: number): Promise<string> {
  const tables: unknown = JSON.parse(
    (await send(port, 'POST', '/api/v2/meme', '{"limit":100}')).toString(),
  )
  if (typeof tables !== 'object' || tables === null) throw new Error('no tables')
  const rows: { mint: string }[] = Object.values(tables).flat()
  return rows.map(({ mint }) => mint).join()
}

/** Samples every second until told to stop. */
function sampling(port: number): { stop(): void; readonly samples: Figures[] } {
  const samples: Figures[] = []
  const timer = setInterval(() => {
    figures(port).then(
      (sample) => samples.push(sample),
      () => {},
    )
  }, SAMPLE_MS)
  return { stop: () => clearInterval(timer), samples }
}

function mostOf(samples: readonly Figures[], name: string): number {
  return samples.reduce((most, sample) => Math.max(most, Number(sample[name])), 0)
}

function requestsOf(): string[] {
  const random = new Random(settings.seed)
  return randomBodies(settings.seed, NEW_FILTERS).flatMap((body, i) => {
    const popular = random.chance(0.5) ? popularBody : popularGroupBody
    return [IS_DESK && i % 5 === 0 ? deskRequest(i / 5) : postTables(popular), postTables(body)]
  })
}

/** What a desk polls: what trends, and tables by their windows. */
function deskRequest(i: number): string {
  if (i % 2 === 0) return get('/api/v2/trending?window=5m&by=volume')
  const filters = { windows: { '5m': { volumeUsd: { min: i } } } }
  return postTables(JSON.stringify({ type: 'new', order_by: '5m.traders', newPools: filters }))
}

/** The file of the rules; its settings. */
function deskSettings(folder: string): Readonly<Record<string, string>> {
  if (!HAS_RULES) return {}
  const rules = Array.from({ length: ALERT_RULES }, (_, i) => ({
    id: `rule-${i}`,
    when:
      i % 2 === 0
        ? { kind: 'market_cap', value: 5_000 * (i + 1), direction: 'either' }
        : { kind: 'filter', filter: { type: 'new', newPools: { volumeUsd: { min: 1_000 * i } } } },
    to: { live: true },
  }))
  const path = `${folder}/alert-rules.json`
  writeFileSync(path, JSON.stringify({ rules }))
  return { ALERTS_FILE: path }
}

// Whoever ends it ends the program with it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const scratch = scratchFolder()
say(
  `load: ${DURATION_MS / 1000} s, ${TOKENS} tokens, ${RATE} swaps/s, ${SOCKETS} readers, ${POLLS} polls/s, SEED=${settings.seed}`,
)
const desk = deskSettings(scratch.path)
const served = await Served.start(TOKENS, RATE, `${scratch.path}/data`, { settings: desk })
const readers = new Child('drivers/crowd-readers.ts')
const load = await HttpLoad.start()
try {
  await readers.next()
  const { port } = served
  const order = { port, readers: SOCKETS, seed: settings.seed, mints: await listedMints(port) }
  await readers.ask(order)
  const requests = requestsOf()
  const { stop, samples } = sampling(port)
  say(
    'minute  polls p50 ms  p99 ms  longest  loop longest ms  GC longest ms  trades out/s  RSS MiB  heap MiB',
  )
  const minutes: {
    samples: readonly Figures[]
    p50Ms: number
    p99Ms: number
    longestMs: number
  }[] = []
  for (let minute = 0; minute * MINUTE_MS < DURATION_MS; minute++) {
    const from = samples.length
    await readers.ask({ count: 1 })
    const polls = await load.latency(served, requests, POLLS, MINUTE_MS)
    const counts = await readers.ask({ count: 1 })
    if (Number(counts.closed) > 0) throw new Error(`${counts.closed} readers were closed`)
    const own = samples.slice(from)
    const last = own[own.length - 1]
    const [p50Ms, p99Ms, longestMs] = [polls.p50Ms, polls.p99Ms, polls.longestMs].map(Number)
    minutes.push({ samples: own, p50Ms, p99Ms, longestMs })
    const cells = [
      minute + 1,
      p50Ms.toFixed(2),
      p99Ms.toFixed(1),
      longestMs.toFixed(0),
      mostOf(own, 'loop_delay_now_ms').toFixed(1),
      mostOf(own, 'gc_pause_max_ms').toFixed(1),
      Math.round((Number(counts.trades) / MINUTE_MS) * 1000),
      (Number(last.rss_bytes) / MEBIBYTE).toFixed(0),
      (Number(last.heap_used_bytes) / MEBIBYTE).toFixed(0),
    ]
    say(
      cells
        .map((cell, i) => String(cell).padStart([6, 13, 7, 8, 16, 14, 13, 8, 9][i] ?? 8))
        .join(' '),
    )
  }
  stop()
  tellTotals(samples)
  tellFold(samples[Math.floor(samples.length * 0.2)], samples[samples.length - 1])
} finally {
  load.stop()
  readers.stop()
  await served.stop()
  scratch.remove()
}

/** Swaps folded a second of the processor, with all that was served meanwhile. */
function tellFold(first: Figures, last: Figures): void {
  const grown = (name: string) => Number(last[name]) - Number(first[name])
  const rate = Math.round(grown('swaps') / grown('cpu_seconds_total'))
  say(`swaps folded a second of the processor: ${rate}`)
}

/** What grew: in all, and without what the market holds. */
function tellTotals(samples: readonly Figures[]): void {
  // The first part, in which caches fill and code is compiled, is no growth.
  const settled = samples.slice(Math.floor(samples.length * 0.3))
  const growth = (value: (sample: Figures) => number) => {
    const points = settled.map((sample, i) => ({ atMs: i * SAMPLE_MS, value: value(sample) }))
    return `${(slopePerHour(points) / MEBIBYTE).toFixed(0)} MiB/h`
  }
  const held = (sample: Figures) =>
    HELD.reduce((sum, name) => sum + Number(sample[`memory_${name}_bytes`]), 0)
  const [first, last] = [samples[0], samples[samples.length - 1]]
  const delta = (name: string) => Number(last[name]) - Number(first[name])
  const seconds = delta('uptime_seconds')
  const perSecond = (name: string) => (delta(name) / seconds).toFixed(0)
  say('')
  say(
    `swaps        ${perSecond('swaps')}/s, ${last.swaps} in all, ${last.tokens} tokens, ${last.positions} positions`,
  )
  say(
    `polls        ${perSecond('answer_cache_hits_total')}/s from kept answers, ${perSecond('answer_cache_misses_total')}/s made`,
  )
  say(
    `processor    ${((delta('cpu_seconds_total') / seconds) * 100).toFixed(0)} % of a core, all threads`,
  )
  say(
    `loop delay   seconds with one above 50 ms: ${settled.filter((sample) => Number(sample.loop_delay_now_ms) > 50).length} of ${settled.length}`,
  )
  say(`collections  ${((delta('gc_seconds_total') / seconds) * 100).toFixed(2)} % of the time`)
  say(
    `on the disk  p99 ${last.journal_sync_p99_ms} ms after the write, snapshot at seq ${last.snapshot_seq}, ${last.snapshot_failures_total} failed`,
  )
  say(
    `memory       resident ${growth((sample) => Number(sample.rss_bytes))}, held by the market and what has a bound ${growth(held)}, the rest ${growth((sample) => Number(sample.rss_bytes) - held(sample))}, heap ${growth((sample) => Number(sample.heap_used_bytes))}`,
  )
}
