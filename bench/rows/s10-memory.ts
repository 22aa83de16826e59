import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atMost, type Goal, type Line } from '../line.ts'

const MEBIBYTE = 2 ** 20
const TOKEN_BYTES = 500
const POSITION_BYTES = 128
const SWAP_BYTES = 130
const CHILD = fileURLToPath(new URL('../processes/filled-engine.ts', import.meta.url))

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

/** S10: byte counters of the engine, and resident bytes of a process with it less one without. */
export async function run(): Promise<readonly Line[]> {
  return FILLINGS.flatMap(rowsOf)
}

function rowsOf(filling: Filling): Line[] {
  const empty = measure({ ...filling, tokens: 0, historyRate: 0, liveSwaps: 0 }, true)
  const full = measure(filling, true)
  const without = measure(filling, false)
  const grown = (name: string) => full[name] - empty[name]
  const counted = Object.keys(full).filter((name) => name.endsWith('_bytes'))
  const sum = counted.reduce((bytes, name) => bytes + grown(name), 0)
  const resident = full.rss - without.rss
  const { tokens, positions, swaps, wallets } = full
  const line = (what: string, ours: number, unit: string, goal?: Goal): Line => {
    return { what: `${filling.name}: ${what}`, ours, unit, ...(goal === undefined ? {} : { goal }) }
  }
  const about = `${tokens} tokens, ${positions} positions, ${swaps} swaps, ${wallets} wallets`
  const texts = grown('addresses_bytes') + grown('texts_bytes') + grown('search_bytes')
  const rows = [
    line(`${about}: counted`, sum / MEBIBYTE, 'MiB'),
    line('resident, all', resident / MEBIBYTE, 'MiB'),
    line('heap used', (full.heap - without.heap) / MEBIBYTE, 'MiB'),
  ]
  if (swaps === 0) {
    const counted = (grown('tokens_bytes') + texts) / tokens
    const own = line('rows, texts and search of a token', counted, 'B/token', atMost(TOKEN_BYTES))
    return [...rows, own, line('resident', resident / tokens, 'B/token')]
  }
  const position = grown('positions_bytes') / positions
  const swap = (grown('tape_bytes') + grown('bars_bytes')) / swaps
  return [
    ...rows,
    line('token rows', grown('tokens_bytes') / tokens, 'B/token'),
    line('position with its index', position, 'B/position', atMost(POSITION_BYTES)),
    line('swap on the tape, with bars', swap, 'B/swap', atMost(SWAP_BYTES)),
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
