import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import type { StatePart } from '../../../src/engine/memory/state-part.ts'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { SNAPSHOT_VERSION } from '../../../src/store/format/snapshot-format.ts'
import { loadParts } from '../../../src/store/snapshot/snapshot-file.ts'
import type { SnapshotUpgrade } from '../../../src/store/upgrades/format-upgrades.ts'
import { loadOldParts } from '../../../src/store/upgrades/old-parts.ts'

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
  const dropped: SnapshotUpgrade = { from: 0, parts: () => () => [] }
  const entry = { name: 'positions', facts: [], at: 0, bytes: BYTES, crc: CRC_OF_ZEROS }
  expect(runToEnd(loadOldParts(zeros, [entry], [dropped], []))).toBe(true)
})

test('parts of an older version with the same layout are read into their place, piece by piece', () => {
  const pages = [new Uint8Array(8), new Uint8Array(8)]
  const into: unknown[] = []
  const zeros: DiskFile = {
    size: () => 16,
    read: (bytes) => {
      into.push(bytes)
      return bytes.length
    },
    ...{ append: never, truncate: never, sync: never, syncLater: never, close: never },
  }
  const part: StatePart = {
    name: 'tape',
    ...{ facts: () => [], views: () => pages, open: () => pages, settle: () => {} },
  }
  const entry = { name: 'tape', facts: [], at: 0, bytes: 16, crc: crc32(new Uint8Array(16)) }
  const settings = { clock: 'event', lateSlots: 32 } as const
  const about = { seq: 1, epoch: '', segment: 1, settings, chunks: { swaps: [], positions: [] } }
  const contents = { ...about, digest: '', version: SNAPSHOT_VERSION - 1, parts: [entry] }
  const upgrades = { journal: [], snapshots: [{ from: SNAPSHOT_VERSION - 1 }] }
  expect(runToEnd(loadParts(zeros, contents, [part], upgrades))).toBe(true)
  expect(into).toHaveLength(2)
  expect(into[0]).toBe(pages[0])
  expect(into[1]).toBe(pages[1])
})
