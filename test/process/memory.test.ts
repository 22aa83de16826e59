import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { startProgram, until } from './program.ts'

type Figures = Readonly<Record<string, number>>

const SUMS = ['market', 'bounded', 'heap', 'buffers_rest', 'native_rest']

/** Figures of a process that folded a market of so many tokens, or made it for nobody. */
function marketOf(tokens: number, hasEngine: boolean): Figures {
  const program = join(ROOT, 'bench/processes/filled-engine.ts')
  const args = [tokens, 100, 20_000, hasEngine ? 1 : 0].map(String)
  const child = spawnSync(process.execPath, ['--expose-gc', program, ...args], { encoding: 'utf8' })
  expect(child.stderr).toBe('')
  return JSON.parse(child.stdout) as Figures
}

test('nearly every byte of the buffers of an engine lies in a part that figures name', () => {
  const full = marketOf(2_000, true)
  const without = marketOf(2_000, false)
  const parts = Object.entries(full).filter(([name]) => name.endsWith('_bytes'))
  const named = parts.reduce((sum, [, bytes]) => sum + bytes, 0)
  const held = full.buffers - without.buffers
  expect(held).toBeGreaterThan(40_000_000)
  expect(Math.abs(named / held - 1)).toBeLessThan(0.01)
})

test.skipIf(process.platform !== 'linux')('sums come to the memory of the process', async () => {
  const program = await startProgram({ SIM_TOKENS: '100' })
  onTestFinished(() => void program.end('SIGKILL'))
  const figures = await until('swaps', async () => {
    const figures = (await (await fetch(`${program.url}/readyz`)).json()) as Figures
    return figures.swaps > 1000 ? figures : null
  })
  const sum = SUMS.reduce((bytes, name) => bytes + figures[`memory_${name}_bytes`], 0)
  expect(sum).toBe(figures.rss_anon_bytes)
  // One reading comes a moment after the other.
  const resident = figures.rss_anon_bytes + figures.rss_file_bytes
  expect(Math.abs(resident / figures.rss_bytes - 1)).toBeLessThan(0.1)
  expect(figures.memory_market_bytes).toBeGreaterThan(0)
  expect(figures.memory_native_rest_bytes).toBeGreaterThan(0)
})
