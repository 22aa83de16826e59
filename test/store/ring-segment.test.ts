import { expect, test } from 'vitest'
import type { DiskFile } from '../../src/store/disk/disk.ts'
import { type PlacedFile, Ring, RingSegment } from '../../src/store/journal/journal-ring.ts'

const RING_BYTES = 64

type Done = (error: Error | null) => void

/** A segment behind a short ring, whose writes in the background end when they are told to. */
class Segment {
  /** What was asked of the file, in order. */
  readonly calls: string[] = []
  underWay: Done = () => {}
  /** What the write under way takes, as it is by then. */
  taken: readonly Uint8Array[] = []
  readonly file: RingSegment

  constructor(ring = new Ring(new Uint8Array(RING_BYTES))) {
    this.file = new RingSegment(this.#file(), this.#placed(), ring, 0)
  }

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
      write: (parts, at) => void this.calls.push(`write ${bytesOf(parts)} at ${at}`),
      writeSyncedLater: (parts, at, done) => {
        this.calls.push(`synced write ${bytesOf(parts)} at ${at}`)
        this.taken = parts
        this.underWay = done
      },
      close: () => {},
    }
  }
}

function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

/** One of which a part went to the file by itself, as the ring was full, and a write is under way. */
function filled(): { segment: Segment; outcomes: (Error | null)[] } {
  const segment = new Segment()
  const outcomes: (Error | null)[] = []
  for (let i = 0; i < 3; i++) segment.file.append(new Uint8Array(RING_BYTES / 2))
  segment.file.syncLater((error) => outcomes.push(error))
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
  segment.file.close()
  segment.underWay(null)
  expect(segment.calls.slice(2)).toEqual(['close'])
  expect(outcomes).toEqual([null])
})

test('what a write under way takes is not written over: a batch goes past the ring until it ends', () => {
  const segment = new Segment()
  segment.file.append(new Uint8Array(40).fill(1))
  segment.file.syncLater(() => {})
  segment.file.append(new Uint8Array(24).fill(2))
  expect(segment.calls).toEqual(['synced write 40 at 0'])
  segment.file.append(new Uint8Array(8).fill(3))
  expect(segment.calls.slice(1)).toEqual(['write 64 at 0', 'write 8 at 64'])
  segment.file.append(new Uint8Array(8).fill(4))
  expect(segment.calls.slice(3)).toEqual(['write 8 at 72'])
  expect(Buffer.concat(segment.taken)).toEqual(Buffer.alloc(40, 1))
  segment.underWay(null)
  segment.file.append(new Uint8Array(64).fill(5))
  expect(segment.calls).toHaveLength(4)
})

test('nor is that of the segment before by the next one, where they share the ring', () => {
  const ring = new Ring(new Uint8Array(RING_BYTES))
  const [full, next] = [new Segment(ring), new Segment(ring)]
  for (let i = 0; i < 3; i++) full.file.append(new Uint8Array(20).fill(i))
  full.file.syncLater(() => {})
  full.file.settle()
  next.file.append(new Uint8Array(8).fill(9))
  expect(next.calls).toEqual(['write 8 at 0'])
  expect(Buffer.concat(full.taken).subarray(0, 20)).toEqual(Buffer.alloc(20, 0))
  full.underWay(null)
  next.file.append(new Uint8Array(8).fill(9))
  expect(next.calls).toEqual(['write 8 at 0'])
})

test('a ring has room beside what is taken from it, and nowhere in it', () => {
  const taken = { from: 50, to: 70 }
  const isTaken = (byte: number) => (byte - taken.from + RING_BYTES) % RING_BYTES < 20
  const ring = new Ring(new Uint8Array(RING_BYTES))
  ring.take(taken.from + RING_BYTES, taken.to + RING_BYTES)
  for (let end = 0; end < 3 * RING_BYTES; end++)
    for (let bytes = 1; bytes <= RING_BYTES; bytes++) {
      const places = Array.from({ length: bytes }, (_, i) => (end + i) % RING_BYTES)
      expect(ring.isFree(end, bytes)).toBe(!places.some(isTaken))
    }
  ring.give()
  expect(ring.isFree(0, RING_BYTES)).toBe(true)
})
