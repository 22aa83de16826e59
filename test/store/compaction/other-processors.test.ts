import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  allowedProcessors,
  besideProcessorOf,
} from '../../../src/store/compaction/compactor-process.ts'

/** Where there is one processor, or no `taskset`, nothing is put before a command. */
const isBeside = besideProcessorOf(process.pid).length > 0

/** The processors of a process with this status. */
function processorsIn(status: string): readonly number[] {
  const reading = vi.spyOn(fs, 'readFileSync').mockReturnValue(status)
  const processors = allowedProcessors(process.pid)
  reading.mockRestore()
  return processors
}

test('lists of processors are read as the system writes them', () => {
  const numbersOf = (list: string) => processorsIn(`Cpus_allowed_list:\t${list}\n`)
  expect(numbersOf('0-3,8')).toEqual([0, 1, 2, 3, 8])
  expect(numbersOf('5')).toEqual([5])
  expect(numbersOf('0,2,4-5')).toEqual([0, 2, 4, 5])
  expect(numbersOf('')).toEqual([])
})

test('beside a process that is gone, a command runs wherever it may', () => {
  expect(besideProcessorOf(2 ** 30)).toEqual([])
})

test.runIf(isBeside)(
  'beside a process that runs, a command may run on all processors but one, in words that busybox knows as well',
  () => {
    const [taskset, ...words] = besideProcessorOf(process.pid)
    expect(words).toEqual(['-c', expect.stringMatching(/^[\d,]+$/)])
    const others = words[1].split(',').map(Number)
    const allowed = allowedProcessors(process.pid)
    expect(others).toHaveLength(allowed.length - 1)
    expect(allowed).toEqual(expect.arrayContaining(others))
    const status = execFileSync(taskset, [...words, 'cat', '/proc/self/status'], {
      encoding: 'utf8',
    })
    expect(processorsIn(status)).toEqual(others)
  },
)

test.runIf(isBeside)('where the system refuses that, a command runs wherever it may', () => {
  const read = fs.readFileSync
  const reading = vi.spyOn(fs, 'readFileSync').mockImplementation((path, options) =>
    // Processors that there are not, as where a group of processes was just given others.
    String(path).endsWith('/status') ? 'Cpus_allowed_list:\t900-903\n' : read(path, options),
  )
  onTestFinished(() => reading.mockRestore())
  expect(besideProcessorOf(process.pid)).toEqual([])
})

test.runIf(isBeside)('where a service has another PATH, a command stays beside it as well', () => {
  vi.stubEnv('PATH', '/opt/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(besideProcessorOf(process.pid)).not.toEqual([])
})
