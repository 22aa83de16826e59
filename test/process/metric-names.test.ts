import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFeeds } from '../../src/app/feeds/feed-list.ts'
import { readConfig } from '../../src/config/config.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { REFUSALS } from '../../src/feeds/metadata/safe-fetch.ts'
import { helpOf } from '../../src/server/metrics/help-texts.ts'
import { HttpCounters, metricsText } from '../../src/server/metrics/metrics.ts'
import { newFolder } from '../new-folder.ts'
import { engineOf } from '../store/restoring.ts'
import { ROOT } from '../tidy/source-files.ts'
import { startProgram } from './program.ts'

const PROMTOOL = 'promtool'
/** A figure of the stream, where a source names it. */
const FIGURE = /^ +((?:replica|stream|sequencer)_\w+):/gm
const hasPromtool = spawnSync(PROMTOOL, ['--version']).error === undefined
if (!hasPromtool)
  console.log(
    'There is no promtool here (Debian package prometheus): its check of the metrics is skipped.',
  )

/** What promtool says of a text of metrics, line by line; none: nothing is wrong. */
function complaints(text: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  })
  const lines = (stdout + stderr).split('\n').filter((line) => line !== '')
  return status === 0 ? lines : [...lines, `exit code ${status}`]
}

/** Figures that only live feeds and what stands at their side have. */
async function feedFigures(): Promise<Readonly<Record<string, number>>> {
  const figures: Record<string, number> = {}
  for (const feed of ['yellowstone,solana', 'pumpportal']) {
    const config = readConfig([], {
      ...{ FEED: feed, DATA_DIR: 'none', METADATA: 'on', SOL_PRICE: 'coinbase,kraken' },
      ...{ YELLOWSTONE_URL: 'http://127.0.0.1:1', SOLANA_RPC_URL: 'http://127.0.0.1:1' },
      ...{ SOLANA_WS_URL: 'ws://127.0.0.1:1' },
    })
    const reports = { line: () => () => {}, trouble: () => {}, sentence: () => {} }
    const engine = engineOf('wall', 1 << 14)
    const time = { isAhead: () => false, nowMs: Date.now }
    const feeds = await makeFeeds(config, () => engine, newFeedCounters(), reports, time)
    for (const made of [...feeds.main, ...feeds.side]) Object.assign(figures, made.figures?.())
  }
  for (const code of REFUSALS) figures[`metadata_refused_${code}_total`] = 1
  return figures
}

/** A metric with its help and its samples. */
interface Family {
  readonly name: string
  readonly help: string
  readonly text: string
}

interface Told {
  readonly figures: Readonly<Record<string, number>>
  readonly families: readonly Family[]
}

function familiesOf(metrics: string): readonly Family[] {
  return metrics.split(/(?=^# HELP )/m).flatMap((text) => {
    const [, name, help] = /^# HELP (\S+) (.*)$/m.exec(text) ?? []
    return name === undefined ? [] : [{ name, help, text }]
  })
}

/** All figures that there are, with the text of a running program and that of the rest of them. */
async function everything(): Promise<Told> {
  const program = await startProgram({ SIM_TOKENS: '20', DATA_DIR: newFolder() })
  onTestFinished(() => void program.end('SIGKILL'))
  const text = await (await fetch(`${program.url}/metrics`)).text()
  const ready: unknown = await (await fetch(`${program.url}/readyz`)).json()
  const own = Object.entries(Object(ready)).filter(([, value]) => typeof value === 'number')
  const told = Object.fromEntries(own) as Record<string, number>
  // Only where TLS is spoken.
  const others = { ...(await feedFigures()), tls_certificate_ends_seconds: 1 }
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !(name in told)))
  const more = await metricsText(new HttpCounters(), rest)
  const families = new Map(
    [...familiesOf(text), ...familiesOf(more)].map((family) => [family.name, family]),
  )
  return { figures: { ...told, ...rest }, families: [...families.values()] }
}

let gathered: Promise<Told> | null = null

/** The same for all tests of this file. */
function all(): Promise<Told> {
  gathered ??= everything()
  return gathered
}

const textOf = (families: readonly Family[]) => families.map(({ text }) => text).join('')

test('every metric has a sentence that says more than its name', async () => {
  const { figures, families } = await all()
  expect(Object.keys(figures).length).toBeGreaterThan(200)
  expect(Object.keys(figures).filter((name) => helpOf(name) === null)).toEqual([])
  expect(families.length).toBeGreaterThan(200)
  for (const { name, help } of families) expect(help, name).toMatch(/^[A-Z0-9][^\n]+ .+ .+\.$/)
})

test('so have those of replicas and sequencers, which need a stream to run', () => {
  const named = ['src/app/replica.ts', 'src/app/sequencer.ts'].flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(FIGURE)].map(([, name]) => name),
  )
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => helpOf(name) === null)).toEqual([])
})

test.skipIf(!hasPromtool)('promtool finds no fault in any metric', async () => {
  const { families } = await all()
  expect(complaints(textOf(families))).toEqual([])
  // It is not the check that is blind.
  const inMs = [
    '# HELP mintfeed_loop_ms How long.',
    '# TYPE mintfeed_loop_ms gauge',
    'mintfeed_loop_ms 1',
  ]
  expect(complaints(`${inMs.join('\n')}\n`)).not.toEqual([])
})

test('metrics are in seconds and ratios where figures are in milliseconds and percent', async () => {
  const text = await metricsText(new HttpCounters(), {
    loop_delay_max_ms: 250,
    feed_pumpportal_continuity_percent: 75,
    feed_seconds_behind: 3,
    something_new_ms: 2,
    uptime_seconds: 7,
  })
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(samples).toEqual([
    'mintfeed_loop_delay_max_seconds 0.25',
    'mintfeed_feed_pumpportal_continuity_ratio 0.75',
    'mintfeed_feed_behind_seconds 3',
    'mintfeed_something_new_seconds 0.002',
    'mintfeed_uptime_seconds 7',
  ])
})
