import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { RECORDING, recordedLines } from '../../packaging/recorded-market.ts'
import { jsonOf, listAt, textAt } from '../../src/base/json-access.ts'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { launch, type Running } from './program.ts'

const hasMake = spawnSync('make', ['--version']).error === undefined
if (!hasMake) console.log('There is no make here: the test of make run-recorded is skipped.')

const BYTES_MAX = 300_000
const UNPRICED = /No price of SOL is known[^"]*SOL_PRICE: fixed:<usd>, file:<path>/

const packed = readFileSync(join(ROOT, RECORDING))
const lines = gunzipSync(packed).toString().trimEnd().split('\n')

/** The mint of most swaps, when its newest one was, and how many it has. */
function busiest(): { mint: string; swaps: number; to: number } {
  const counts = new Map<string, { swaps: number; to: number }>()
  for (const line of lines) {
    const value = jsonOf(line)
    const mint = textAt(value, 'mint')
    if (textAt(value, 'type') !== 'swap' || mint === null) continue
    const swaps = (counts.get(mint)?.swaps ?? 0) + 1
    counts.set(mint, { swaps, to: Number(Object(value).timestamp) })
  }
  const [[mint, { swaps, to }]] = [...counts].sort(([, a], [, b]) => b.swaps - a.swaps)
  return { mint, swaps, to }
}

/** Closes of a mint's candles of a minute, in dollars. */
async function closes(program: Running, mint: string, to: number): Promise<number[]> {
  await program.seen(/"msg":"feed ended"/)
  const url = /"url":"([^"]+)"/.exec(await program.seen(/"msg":"ready"/))?.[1]
  const query = `mint=${mint}&from=${to - 6_000}&to=${to}&resolution=1`
  const answer = await fetch(`${url}/api/v2/meme/chart/ohlcv?${query}`)
  expect(answer.status).toBe(200)
  const bars: unknown = await answer.json()
  return (listAt(bars, 'c') ?? []).map(Number)
}

test('the recording of the package is small, and what its script makes anew', () => {
  expect(packed.length).toBeLessThan(BYTES_MAX)
  expect(lines).toEqual(recordedLines())
})

test.skipIf(!hasMake)(
  'make run-recorded shows candles in dollars at once, and keeps nothing',
  async () => {
    const made = execFileSync('make', ['-n', 'run-recorded'], { cwd: ROOT, encoding: 'utf8' })
    const [command = ''] = made.split('\n').filter((line) => line.includes('bin/mintfeed.js'))
    const settings = Object.fromEntries(
      [...command.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(settings).toMatchObject({ DATA_DIR: 'none', FEED: `replay:${RECORDING}`, SPEED: 'max' })
    const program = launch({ ...settings, PORT: '0' })
    const { mint, swaps, to } = busiest()
    expect(swaps).toBeGreaterThan(100)
    const prices = await closes(program, mint, to)
    expect(prices.length).toBeGreaterThan(20)
    expect(prices.filter((price) => !(price > 0))).toEqual([])
    expect(program.lines.filter((line) => UNPRICED.test(line))).toEqual([])
    expect(await program.end('SIGTERM')).toBe(0)
  },
)

test.each([
  { name: 'many swaps', count: lines.length },
  { name: 'few swaps', count: 100 },
])('a replay of $name without any price of SOL says once what to do', async ({ count }) => {
  const file = join(newFolder(), 'unpriced.ndjson')
  const unpriced = lines.slice(0, count).filter((line) => !line.includes('"type":"sol_price"'))
  writeFileSync(file, unpriced.map((line) => `${line}\n`).join(''))
  const settings = { FEED: `replay:${file}`, SPEED: 'max', PORT: '0', DATA_DIR: 'none' }
  const program = launch(settings)
  await program.seen(/"msg":"feed ended"/)
  expect(program.lines.filter((line) => UNPRICED.test(line))).toEqual([
    expect.stringContaining('"level":40'),
  ])
  expect(await program.end('SIGTERM')).toBe(0)
  const priced = launch({ ...settings, SOL_PRICE: 'fixed:150' })
  await priced.seen(/"msg":"feed ended"/)
  expect(priced.lines.filter((line) => UNPRICED.test(line))).toEqual([])
  expect(await priced.end('SIGTERM')).toBe(0)
})
