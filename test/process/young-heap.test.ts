import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { startProgram } from './program.ts'

const MEBIBYTE = 2 ** 20
const PROBE = join(ROOT, 'test/process/young-heap-probe.ts')

test('the space of new objects grows to all of it in one step', async () => {
  const program = await startProgram({ SIM_TOKENS: '100', NODE_OPTIONS: `--import=${PROBE}` })
  onTestFinished(() => void program.end('SIGKILL'))
  // Some doublings are over before the program's first line runs.
  const widened = /young heap of (\d{8,})/
  const bytes = Number(widened.exec(await program.seen(widened))?.[1])
  expect(bytes).toBe(2 * 16 * MEBIBYTE)
})
