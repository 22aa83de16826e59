import { expect, onTestFinished, test } from 'vitest'
import { startProgram, until } from './program.ts'

type Figures = Readonly<Record<string, number>>

const SUMS = ['market', 'bounded', 'heap', 'buffers_rest', 'native_rest']

test.skipIf(process.platform !== 'linux')('sums come to the memory of the process', async () => {
  const program = await startProgram({ SIM_TOKENS: '100' })
  onTestFinished(() => void program.end('SIGKILL'))
  const figures = await until('swaps', async () => {
    const figures = (await (await fetch(`${program.url}/readyz`)).json()) as Figures
    return figures.swaps > 1000 ? figures : null
  })
  const sum = SUMS.reduce((bytes, name) => bytes + figures[`memory_${name}_bytes`], 0)
  expect(sum).toBe(figures.rss_anon_bytes + figures.swapped_bytes)
  // One reading comes a moment after the other.
  const resident = figures.rss_anon_bytes + figures.rss_file_bytes
  expect(Math.abs(resident / figures.rss_bytes - 1)).toBeLessThan(0.1)
  expect(figures.memory_market_bytes).toBeGreaterThan(0)
  expect(figures.memory_native_rest_bytes).toBeGreaterThan(0)
})
