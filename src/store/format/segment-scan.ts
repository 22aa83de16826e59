import { crc32 } from '../../base/crc32.ts'
import {
  FRAME,
  FRAME_HEADER_BYTES,
  FRAME_PAYLOAD_BYTES_MAX,
  FRAME_TRAILER_BYTES,
  frameBytes,
  KIND_MAX,
  padded,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
} from './journal-format.ts'

/**
 * Walks the frames of one segment that lies in memory, from the first to the first that is not
 * right. Each is checked: its crc, its chain to the one before, its place in the seq.
 */
export class SegmentScan {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  readonly #checkedTo: number
  #next: number
  #crc: number
  #seq: number
  kind = 0
  /** Seq of the frame's first event. */
  seq = 0
  syncedSeq = 0
  /** Events in the frame. */
  events = 0
  /** Where the frame starts. */
  start = 0
  payloadAt = 0
  payloadBytes = 0

  /**
   * `bytes` starts at a multiple of 8 in its buffer, so that records can be read where they lie;
   * frames that end at `checkedTo` or before were checked by another walk of the same bytes.
   */
  constructor(bytes: Uint8Array<ArrayBuffer>, headerCrc: number, firstSeq: number, checkedTo = 0) {
    this.#bytes = bytes
    this.#checkedTo = checkedTo
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.u32 = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
    this.f64 = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 3)
    this.#next = SEGMENT_HEADER_BYTES
    this.#crc = headerCrc
    this.#seq = firstSeq
  }

  /** Moves to the next frame; false at the end, or where a frame is not right (`hasBadTail`). */
  next(): boolean {
    const at = this.#next
    if (at < this.#checkedTo) {
      this.#pass(at, frameBytes(this.#view.getUint32(at + FRAME.payloadBytes, true)))
      return true
    }
    const bytes = frameAt(this.#view, this.#bytes, at)
    if (bytes === 0) return false
    if (this.#view.getUint32(at + FRAME.previousCrc, true) !== this.#crc) return false
    if (this.#view.getFloat64(at + FRAME.seq, true) !== this.#seq) return false
    this.#pass(at, bytes)
    return true
  }

  #pass(at: number, bytes: number): void {
    this.#take(at)
    this.#next = at + bytes
    this.#crc = this.#view.getUint32(at + bytes - FRAME_TRAILER_BYTES, true)
    this.#seq += this.events
  }

  /** Byte behind the last good frame. */
  get end(): number {
    return this.#next
  }

  /** Are there bytes that are no good frames? */
  get hasBadTail(): boolean {
    return this.#next < this.#bytes.length
  }

  /**
   * Is what is left the beginning of the next frame? A process that is killed leaves the last write so:
   * in order and cut short. Anything else behind the last good frame is damage.
   */
  get isUnfinished(): boolean {
    const at = this.#next
    const left = this.#bytes.length - at
    if (left < FRAME_HEADER_BYTES + FRAME_TRAILER_BYTES) return true
    const kind = this.#view.getUint32(at + FRAME.kind, true)
    const payloadBytes = this.#view.getUint32(at + FRAME.payloadBytes, true)
    return (
      kind > 0 &&
      kind <= KIND_MAX &&
      payloadBytes <= FRAME_PAYLOAD_BYTES_MAX &&
      frameBytes(payloadBytes) > left &&
      this.#view.getUint32(at + FRAME.previousCrc, true) === this.#crc &&
      this.#view.getFloat64(at + FRAME.seq, true) === this.#seq &&
      !this.#isWholeButForItsLength(at)
    )
  }

  /** A frame ends with its length once more: does it reach to the end of the bytes by that one? */
  #isWholeButForItsLength(at: number): boolean {
    const frame = this.#bytes.slice(at)
    const view = new DataView(frame.buffer)
    view.setUint32(FRAME.payloadBytes, view.getUint32(frame.length - 4, true), true)
    return frameAt(view, frame, 0) === frame.length
  }

  /** Seq behind the last good frame. */
  get endSeq(): number {
    return this.#seq
  }

  /** Crc of the last good frame. */
  get crc(): number {
    return this.#crc
  }

  /** The lanes of the segment, in which records start at u32 lane `payloadAt >>> 2`. */
  readonly u32: Uint32Array
  readonly f64: Float64Array

  get payload(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.payloadAt, this.payloadAt + this.payloadBytes)
  }

  #take(at: number): void {
    this.start = at
    this.kind = this.#view.getUint32(at + FRAME.kind, true)
    this.seq = this.#view.getFloat64(at + FRAME.seq, true)
    this.syncedSeq = this.#view.getFloat64(at + FRAME.syncedSeq, true)
    this.events = this.#view.getUint32(at + FRAME.events, true)
    this.payloadBytes = this.#view.getUint32(at + FRAME.payloadBytes, true)
    this.payloadAt = at + FRAME_HEADER_BYTES
  }
}

/** What is known of a segment's bytes past a damaged place. */
interface Evidence {
  /** Highest `syncedSeq` that a whole frame (or the header) behind the place tells. */
  readonly syncedSeq: number
  /** Whole frames found behind it. */
  readonly frames: number
}

/**
 * Looks for frames that are right in themselves behind a damaged place. Their `syncedSeq` decides
 * whether the damaged one had once been safe on the disk.
 */
export function evidenceBehind(bytes: Uint8Array, from: number): Evidence {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let syncedSeq = 0
  let frames = 0
  let at = padded(Math.max(from, SEGMENT_HEADER_BYTES))
  while (at + FRAME_HEADER_BYTES + FRAME_TRAILER_BYTES <= bytes.length) {
    const length = frameAt(view, bytes, at)
    if (length === 0) {
      at += 8
      continue
    }
    frames += 1
    syncedSeq = Math.max(syncedSeq, view.getFloat64(at + FRAME.syncedSeq, true))
    at += length
  }
  return { syncedSeq, frames }
}

/** A scan of a segment behind its last good frame; null without a header that can be read. */
export function scanned(bytes: Uint8Array<ArrayBuffer>): SegmentScan | null {
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer') return null
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  while (scan.next());
  return scan
}

/** Evidence of a whole segment behind the damaged place: its header counts too. */
export function evidenceOfSegment(bytes: Uint8Array): Evidence {
  const header = readSegmentHeader(bytes)
  const { syncedSeq, frames } = evidenceBehind(bytes, SEGMENT_HEADER_BYTES)
  if (header === null || header === 'newer') return { syncedSeq, frames }
  return { syncedSeq: Math.max(syncedSeq, header.syncedSeq), frames }
}

/** Length of the frame at a place when it is right in itself, else 0. */
function frameAt(view: DataView, bytes: Uint8Array, at: number): number {
  if (at + FRAME_HEADER_BYTES + FRAME_TRAILER_BYTES > bytes.length) return 0
  const payloadBytes = view.getUint32(at + FRAME.payloadBytes, true)
  const kind = view.getUint32(at + FRAME.kind, true)
  if (kind === 0 || kind > KIND_MAX || payloadBytes > FRAME_PAYLOAD_BYTES_MAX) return 0
  const length = frameBytes(payloadBytes)
  if (at + length > bytes.length) return 0
  const trailer = at + length - FRAME_TRAILER_BYTES
  if (view.getUint32(trailer + 4, true) !== payloadBytes) return 0
  return view.getUint32(trailer, true) === crc32(bytes.subarray(at, trailer)) ? length : 0
}
