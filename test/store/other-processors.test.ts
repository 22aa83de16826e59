import { expect, test } from 'vitest'
import { besideProcessorOf, numbersOf } from '../../src/store/other-processors.ts'

test('lists of processors are read as the system writes them', () => {
  expect(numbersOf('0-3,8')).toEqual([0, 1, 2, 3, 8])
  expect(numbersOf('5')).toEqual([5])
  expect(numbersOf('0,2,4-5')).toEqual([0, 2, 4, 5])
  expect(numbersOf('')).toEqual([])
})

test('beside a process that is gone, a command runs wherever it may', () => {
  expect(besideProcessorOf(2 ** 30)).toEqual([])
})
