import { expect, test } from 'vitest'
import type { DiskFile } from '../../src/store/disk.ts'
import { type PlacedFile, RingSegment } from '../../src/store/journal-ring.ts'

const RING_BYTES = 64

type Done = (error: Error | null) => void

/** A segment behind a short ring, whose writes in the background end when they are told to. */
class Segment {
  /** What was asked of the file, in order. */
  readonly calls: string[] = []
  underWay: Done = () => {}
  readonly ring = new RingSegment(
    this.#file(),
    this.#placed(),
    { memory: new Uint8Array(RING_BYTES), underWay: new Uint8Array(RING_BYTES) },
    0,
  )

  #file(): DiskFile {
    return {
      append: (bytes) => bytes.length,
      sync: () => void this.calls.push('sync'),
      syncLater: (done) => {
        this.calls.push('sync in the background')
        done(null)
      },
      read: () => 0,
      truncate: () => {},
      size: () => 0,
      close: () => void this.calls.push('close'),
    }
  }

  #placed(): PlacedFile {
    return {
      write: (parts, at) => {
        this.calls.push(`write ${parts.reduce((sum, { length }) => sum + length, 0)} at ${at}`)
      },
      writeSyncedLater: (bytes, at, done) => {
        this.calls.push(`synced write ${bytes.length} at ${at}`)
        this.underWay = done
      },
      close: () => {},
    }
  }
}

/** One of which a part went to the file by itself, as the ring was full, and a write is under way. */
function filled(): { segment: Segment; outcomes: (Error | null)[] } {
  const segment = new Segment()
  const outcomes: (Error | null)[] = []
  for (let i = 0; i < 3; i++) segment.ring.append(new Uint8Array(RING_BYTES / 2))
  segment.ring.syncLater((error) => outcomes.push(error))
  expect(segment.calls).toEqual(['write 64 at 0', 'synced write 32 at 64'])
  return { segment, outcomes }
}

test('what a full ring was moved for lasts by a sync of the file behind the write', () => {
  const { segment, outcomes } = filled()
  segment.underWay(null)
  expect(segment.calls.slice(2)).toEqual(['sync in the background'])
  expect(outcomes).toEqual([null])
})

test('a write that ends behind the end of its segment is followed by nothing', () => {
  const { segment, outcomes } = filled()
  segment.ring.close()
  segment.underWay(null)
  expect(segment.calls.slice(2)).toEqual(['close'])
  expect(outcomes).toEqual([null])
})
