import { crc32 } from 'node:zlib'
import type { Random } from '../../oracle/random.ts'

/** A frame as it was written, and what a reader has to hand out for it. */
export interface WrittenFrame {
  readonly bytes: Uint8Array
  readonly kind: number
  readonly seq: number
  readonly syncedSeq: number
  readonly events: number
  readonly payload: Uint8Array
}

export interface WrittenSegment {
  readonly number: number
  readonly firstSeq: number
  readonly syncedSeq: number
  readonly header: Uint8Array
  readonly frames: readonly WrittenFrame[]
  /** The whole file. */
  readonly bytes: Uint8Array
}

/** How much of what lies before a frame was safe when it was written. */
export type Syncing = 'all' | 'none' | 'some'

export interface RunShape {
  readonly segments: number
  readonly framesMin: number
  readonly framesMax: number
  readonly payloadMax: number
  readonly syncing: Syncing
  /** Seq of the first event. */
  readonly firstSeq: number
}

const HEADER = 128
const FRAME_HEADER = 32
const KINDS = 6

/**
 * A journal as one run would have left it, put together byte by byte from the layout that
 * journal-format.ts describes and from none of the code that writes or reads it.
 */
export function writtenRun(random: Random, shape: RunShape): WrittenSegment[] {
  const epoch = randomBytes(random, 16)
  const segments: WrittenSegment[] = []
  let crc = 0
  let seq = shape.firstSeq
  const isBare = random.chance(0.3)
  for (let i = 0; i < shape.segments; i += 1) {
    const number = i + 1
    const firstSeq = seq
    const syncedSeq = syncedOf(random, shape, seq)
    const header = headerBytes({ number, seq, syncedSeq, crc, epoch })
    crc = crc32(header.subarray(0, 124))
    const frames: WrittenFrame[] = []
    // A segment that was only begun has a header and nothing else.
    const isLast = i > 0 && number === shape.segments
    const count = isLast && isBare ? 0 : random.integer(shape.framesMin, shape.framesMax)
    for (let f = 0; f < count; f += 1) {
      const frame = frameOf(random, shape, seq, crc, f === 0)
      crc = crc32(frame.bytes.subarray(0, frame.bytes.length - 8))
      seq += frame.events
      frames.push(frame)
    }
    const bytes = new Uint8Array(Buffer.concat([header, ...frames.map((frame) => frame.bytes)]))
    segments.push({ number, firstSeq, syncedSeq, header, frames, bytes })
  }
  return segments
}

function syncedOf(random: Random, { syncing, firstSeq }: RunShape, seq: number): number {
  if (syncing === 'all') return seq
  return syncing === 'none' ? firstSeq : random.integer(firstSeq, seq)
}

interface HeaderFields {
  readonly number: number
  readonly seq: number
  readonly syncedSeq: number
  readonly crc: number
  readonly epoch: Uint8Array
}

function headerBytes(fields: HeaderFields): Uint8Array {
  const bytes = Buffer.alloc(HEADER)
  bytes.write('MFJOURN\n', 0, 'latin1')
  bytes.writeUInt32LE(1, 8)
  bytes.writeUInt32LE(HEADER, 12)
  bytes.writeDoubleLE(fields.number, 16)
  bytes.writeDoubleLE(fields.seq, 24)
  bytes.writeDoubleLE(fields.syncedSeq, 32)
  bytes.writeUInt32LE(fields.crc, 40)
  bytes.set(fields.epoch, 48)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 124)), 124)
  return bytes
}

function frameOf(
  random: Random,
  shape: RunShape,
  seq: number,
  previousCrc: number,
  hasEvents: boolean,
): WrittenFrame {
  const payload = payloadOf(random, shape.payloadMax)
  const kind = random.integer(1, KINDS)
  const events = hasEvents || random.chance(0.7) ? random.integer(1, 5) : 0
  const syncedSeq = syncedOf(random, shape, seq)
  const padded = Math.ceil(payload.length / 8) * 8
  const bytes = Buffer.alloc(FRAME_HEADER + padded + 8)
  bytes.writeUInt32LE(payload.length, 0)
  bytes.writeUInt32LE(kind, 4)
  bytes.writeDoubleLE(seq, 8)
  bytes.writeDoubleLE(syncedSeq, 16)
  bytes.writeUInt32LE(events, 24)
  bytes.writeUInt32LE(previousCrc, 28)
  bytes.set(payload, FRAME_HEADER)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, FRAME_HEADER + padded)), FRAME_HEADER + padded)
  bytes.writeUInt32LE(payload.length, FRAME_HEADER + padded + 4)
  return { bytes, kind, seq, syncedSeq, events, payload }
}

/** Random bytes, now and then zeros, so that zeroed places do not always show. */
function payloadOf(random: Random, max: number): Uint8Array {
  const length = random.chance(0.1) ? 0 : random.integer(1, max)
  return random.chance(0.1) ? new Uint8Array(length) : randomBytes(random, length)
}

export function randomBytes(random: Random, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i += 1) bytes[i] = random.integer(0, 255)
  return bytes
}
