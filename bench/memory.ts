import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Report, Row } from './report.ts'

const CHILD = fileURLToPath(new URL('./processes/filled-engine.ts', import.meta.url))

interface Filling {
  readonly name: string
  readonly tokens: number
  readonly historyRate: number
  readonly liveSwaps: number
}

const FILLINGS: readonly Filling[] = [
  { name: 'idle', tokens: 100_000, historyRate: 0, liveSwaps: 0 },
  { name: 'busy', tokens: 2_000, historyRate: 50, liveSwaps: 600_000 },
  { name: 'spread', tokens: 100_000, historyRate: 4, liveSwaps: 0 },
]

/** Byte counters of the engine and resident bytes of a process that holds it. */
export async function run(): Promise<Report> {
  const rows = FILLINGS.flatMap(rowsOf)
  const how =
    'byte counters after the market, and resident bytes of a process with engine less one without'
  return { name: 'memory', how, rows }
}

function rowsOf(filling: Filling): Row[] {
  const empty = measure({ ...filling, tokens: 0, historyRate: 0, liveSwaps: 0 }, true)
  const full = measure(filling, true)
  const without = measure(filling, false)
  const grown = (name: string) => full[name] - empty[name]
  const counted = Object.keys(full).filter((name) => name.endsWith('_bytes'))
  const sum = counted.reduce((bytes, name) => bytes + grown(name), 0)
  const resident = full.rss - without.rss
  const { tokens, positions, swaps, wallets } = full
  const line = (what: string, ours: number, unit: string): Row => {
    return { what: `${filling.name}: ${what}`, ours, unit }
  }
  const about = `${tokens} tokens, ${positions} positions, ${swaps} swaps, ${wallets} wallets`
  const texts = grown('texts_bytes')
  const rows = [
    line(`${about}, counted`, sum / 2 ** 20, 'MiB'),
    line('resident, all', resident / 2 ** 20, 'MiB'),
    line('heap used', (full.heap - without.heap) / 2 ** 20, 'MiB'),
    line('token rows', grown('tokens_bytes') / tokens, 'B/token'),
    line('texts of tokens, addresses, search', texts / (tokens + wallets), 'B/token or wallet'),
  ]
  if (swaps === 0) return [...rows, line('resident', resident / tokens, 'B/token')]
  return [
    ...rows,
    line('position rows and index', grown('positions_bytes') / positions, 'B/position'),
    line('tape', grown('tape_bytes') / swaps, 'B/swap'),
    line('bars', grown('bars_bytes') / swaps, 'B/swap'),
    line('resident, all', resident / swaps, 'B/swap'),
  ]
}

function measure(filling: Filling, hasEngine: boolean): Record<string, number> {
  const args = [filling.tokens, filling.historyRate, filling.liveSwaps, hasEngine ? 1 : 0]
  const child = spawnSync(process.execPath, ['--expose-gc', CHILD, ...args.map(String)], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (child.status !== 0) throw new Error(`filled-engine ended with ${child.stderr}`)
  const figures: unknown = JSON.parse(child.stdout)
  return numbersOf(figures)
}

function numbersOf(value: unknown): Record<string, number> {
  if (typeof value !== 'object' || value === null) throw new Error('no figures came')
  return Object.fromEntries(Object.entries(value).map(([name, figure]) => [name, Number(figure)]))
}
