import { crc32 } from 'node:zlib'
import type { WrittenFrame, WrittenSegment } from './journal-run.ts'

/** A segment file of an image. */
export interface ImageSegment {
  readonly number: number
  readonly bytes: Uint8Array
}

export type Verdict =
  | { readonly kind: 'whole' }
  | { readonly kind: 'cut' | 'damaged'; readonly place: number; readonly byte: number }
  | { readonly kind: 'missing' }

/** What a reader has to make of an image. */
export interface Expected {
  readonly frames: readonly WrittenFrame[]
  readonly verdict: Verdict
  /** Seq behind the last good frame. */
  readonly seq: number
}

const HEADER = 128
/** Bytes of a frame without a payload. */
const FRAME_LEAST = 40
const KINDS = 6

/**
 * Says what a reader has to make of a damaged journal, knowing what had been written: what is good
 * is told by comparing bytes with those, never by a crc; only what counts as a whole frame behind a
 * bad place goes by the layout.
 */
export function expectedOf(
  image: readonly ImageSegment[],
  runs: readonly (readonly WrittenSegment[])[],
  fromSeq: number,
): Expected {
  const headers = image.map(({ bytes }) => headerOf(bytes, runs))
  const first = firstPlace(headers, fromSeq)
  const frames: WrittenFrame[] = []
  let seq = fromSeq
  // Crc and seq of what went before: a segment follows only what has been read to its end.
  let before: { segment: WrittenSegment; isAllRead: boolean } | null = null
  for (let place = first; place < image.length; place += 1) {
    const { bytes, number } = image[place]
    const written = headers[place]
    const isNext =
      before === null ||
      (before.isAllRead && written !== null && follows(written, before.segment, runs))
    if (written === null || written.number !== number || !isNext)
      return { frames, verdict: verdictAt(image, headers, place, 0, seq), seq }
    if (written.firstSeq > seq) return { frames, verdict: { kind: 'missing' }, seq }
    seq = written.firstSeq
    let at = HEADER
    let read = 0
    for (const frame of written.frames) {
      if (!isAt(bytes, at, frame.bytes)) break
      if (frame.seq >= fromSeq) frames.push(frame)
      read += 1
      at += frame.bytes.length
      seq += frame.events
    }
    if (at < bytes.length)
      return { frames, verdict: verdictAt(image, headers, place, at, seq), seq }
    before = { segment: written, isAllRead: read === written.frames.length }
  }
  return { frames, verdict: { kind: 'whole' }, seq: Math.max(seq, fromSeq) }
}

/** The segment whose header stands at the start of a file, as it was written. */
function headerOf(
  bytes: Uint8Array,
  runs: readonly (readonly WrittenSegment[])[],
): WrittenSegment | null {
  for (const run of runs)
    for (const segment of run) if (isAt(bytes, 0, segment.header)) return segment
  return null
}

/** The last segment that begins at or before a seq, else the first. */
function firstPlace(headers: readonly (WrittenSegment | null)[], fromSeq: number): number {
  for (let place = headers.length - 1; place > 0; place -= 1) {
    const header = headers[place]
    if (header !== null && header.firstSeq <= fromSeq) return place
  }
  return 0
}

/** Was a segment written behind another? */
function follows(
  segment: WrittenSegment,
  before: WrittenSegment,
  runs: readonly (readonly WrittenSegment[])[],
): boolean {
  const run = runs.find((one) => one.includes(before))
  return run !== undefined && run[run.indexOf(before) + 1] === segment
}

function isAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  if (at + part.length > bytes.length) return false
  return Buffer.compare(bytes.subarray(at, at + part.length), part) === 0
}

/** A bad place is a torn tail unless something whole from there on says that it had been safe. */
function verdictAt(
  image: readonly ImageSegment[],
  headers: readonly (WrittenSegment | null)[],
  place: number,
  byte: number,
  seq: number,
): Verdict {
  let safe = syncedFrom(image[place].bytes, Math.max(byte, HEADER))
  if (byte === 0) safe = Math.max(safe, headers[place]?.syncedSeq ?? 0)
  for (let later = place + 1; later < image.length; later += 1) {
    safe = Math.max(safe, headers[later]?.syncedSeq ?? 0)
    safe = Math.max(safe, syncedFrom(image[later].bytes, HEADER))
  }
  return { kind: safe > seq ? 'damaged' : 'cut', place, byte }
}

const doubles = new DataView(new ArrayBuffer(8))

/** Highest `syncedSeq` of the whole frames from a place on. */
function syncedFrom(bytes: Uint8Array, from: number): number {
  let synced = 0
  for (let at = from; at + FRAME_LEAST <= bytes.length; ) {
    const payload = u32(bytes, at)
    const kind = u32(bytes, at + 4)
    const length = FRAME_LEAST + Math.ceil(payload / 8) * 8
    const trailer = at + length - 8
    const isWhole =
      kind >= 1 &&
      kind <= KINDS &&
      at + length <= bytes.length &&
      u32(bytes, trailer + 4) === payload &&
      u32(bytes, trailer) === crc32(bytes.subarray(at, trailer))
    if (isWhole) synced = Math.max(synced, f64(bytes, at + 16))
    at += isWhole ? length : 8
  }
  return synced
}

function u32(bytes: Uint8Array, at: number): number {
  const high = (bytes[at + 3] << 24) >>> 0
  return high + (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16))
}

function f64(bytes: Uint8Array, at: number): number {
  for (let i = 0; i < 8; i += 1) doubles.setUint8(i, bytes[at + i])
  return doubles.getFloat64(0, true)
}
