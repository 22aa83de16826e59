import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import {
  allowedProcessors,
  besideProcessorOf,
  numbersOf,
} from '../../src/store/other-processors.ts'

/** Where there is one processor, or no `taskset`, nothing is put before a command. */
const isBeside = besideProcessorOf(process.pid).length > 0

test('lists of processors are read as the system writes them', () => {
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
    const others = numbersOf(words[1])
    const allowed = allowedProcessors(process.pid)
    expect(others).toHaveLength(allowed.length - 1)
    expect(allowed).toEqual(expect.arrayContaining([...others]))
    const status = execFileSync(taskset, [...words, 'cat', '/proc/self/status'], {
      encoding: 'utf8',
    })
    expect(numbersOf(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '')).toEqual(others)
  },
)
