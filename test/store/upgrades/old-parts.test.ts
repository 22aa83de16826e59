import { expect, test } from 'vitest'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { loadOldParts } from '../../../src/store/upgrades/format-upgrades.ts'

/** What one call of the system reads at most: Node refuses to ask for more. */
const READ_MAX = 2 ** 31 - 1
/** Positions of a market of some weeks. */
const BYTES = 2 ** 31 + 8
const CRC_OF_ZEROS = 3_152_039_086

function never(): never {
  throw new Error('a snapshot is only read')
}

test('a part of an older snapshot may be longer than one read of the disk', () => {
  const zeros: DiskFile = {
    size: () => BYTES,
    read: (into, position) => {
      if (into.length > READ_MAX) throw new RangeError('The value of "length" is out of range.')
      return Math.min(into.length, BYTES - position)
    },
    ...{ append: never, truncate: never, sync: never, syncLater: never, close: never },
  }
  const entry = { name: 'positions', facts: [], at: 0, bytes: BYTES, crc: CRC_OF_ZEROS }
  expect(runToEnd(loadOldParts(zeros, [entry], () => [], []))).toBe(true)
})
