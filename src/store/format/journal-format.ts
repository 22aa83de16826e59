/**
 * The layout of a journal segment, version 6. Everything is little-endian and 8-byte aligned.
 *
 *     segment   header (128 bytes), then frames
 *     frame     header (32 bytes), payload (padded with zeros to 8 bytes), trailer (8 bytes)
 *
 * `seq` counts the events that arrived, duplicates and refused ones among them; a frame's seq is
 * that of its first event. `syncedSeq` says, at the time of writing, below which seq everything was
 * known to be on the disk: when a frame is damaged, a later one shows by it whether the damaged one
 * had been safe once (damage) or never was (a crash before the sync).
 *
 * `FrameWriter` makes frames, `SegmentScan` walks them; what an event's payload holds is in packed-event.ts and in
 * events/swap-record.ts.
 */
import { crc32 } from '../../base/crc32.ts'

const JOURNAL_MAGIC = 'MFJOURN\n'
export const JOURNAL_VERSION = 6

export const SEGMENT_HEADER_BYTES = 128
/** Byte offsets in a segment's header. */
export const SEGMENT = {
  magic: 0,
  version: 8,
  headerBytes: 12,
  index: 16,
  firstSeq: 24,
  syncedSeq: 32,
  previousCrc: 40,
  epoch: 48,
  boot: 64,
  crc: 124,
} as const

export const FRAME_HEADER_BYTES = 32
const FRAME_TRAILER_BYTES = 8
/** Byte offsets in a frame's header; the trailer is [crc of header and payload, payload bytes]. */
export const FRAME = {
  payloadBytes: 0,
  kind: 4,
  seq: 8,
  syncedSeq: 16,
  events: 24,
  previousCrc: 28,
} as const

/** What a frame holds. 0 is no kind, so that zeroed sectors are no frames. */
export const Kind = {
  /** The wall clock, unix seconds (f64), that events after it were taken at. */
  clock: 1,
  /** Addresses, mints and wallets that records after it name by number. */
  definitions: 2,
  /** Swap records (swap-record.ts); with fees of October 2026, hops and decimals of quotes since version 5. */
  records: 3,
  /**
   * Any other event as its event line (contract section 7); since version 4 only where `packed` has no
   * room for one of its values.
   */
  event: 4,
  /** How the engine was set when the events after it were folded (JSON). */
  settings: 5,
  /** The process stopped in order and everything before is on the disk. */
  closed: 6,
  /** Tokens that are put to rest, by number (u32); no event, and no line of an export. Version 2. */
  rest: 7,
  /** Any other event (packed-event.ts). Version 4; reserves and balances since version 5, gaps since 6. */
  packed: 8,
} as const
const KIND_MAX = 8

/** Largest payload; what is longer is cut into several frames by the writer. */
const FRAME_PAYLOAD_BYTES_MAX = 1 << 24

/** Bytes of a frame with such a payload. */
export function frameBytes(payloadBytes: number): number {
  return FRAME_HEADER_BYTES + padded(payloadBytes) + FRAME_TRAILER_BYTES
}

/** Rounded up to whole 8 bytes; also for sizes that no 32-bit integer holds. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

/** What stands at the start of a journal segment. */
export interface SegmentHeader {
  readonly version: number
  /** Number of the segment, from 1, without gaps. */
  readonly index: number
  /** Seq of its first event. */
  readonly firstSeq: number
  readonly syncedSeq: number
  /** Crc of the last frame of the segment before; 0 in the first of a folder. */
  readonly previousCrc: number
  /** Uuid: as long as it is the same, nothing of the stream was lost. */
  readonly epoch: string
  /** Uuid of the machine's boot the segment was written in; all zeros when unknown. */
  readonly boot: string
  /** Crc of the header: what its first frame is chained to. */
  readonly crc: number
}

/** The bytes of a header of the present version, and its crc. */
export function writeSegmentHeader(header: Omit<SegmentHeader, 'version' | 'crc'>): {
  bytes: Uint8Array
  crc: number
} {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES)
  bytes.write(JOURNAL_MAGIC, SEGMENT.magic, 'latin1')
  bytes.writeUInt32LE(JOURNAL_VERSION, SEGMENT.version)
  bytes.writeUInt32LE(SEGMENT_HEADER_BYTES, SEGMENT.headerBytes)
  bytes.writeDoubleLE(header.index, SEGMENT.index)
  bytes.writeDoubleLE(header.firstSeq, SEGMENT.firstSeq)
  bytes.writeDoubleLE(header.syncedSeq, SEGMENT.syncedSeq)
  bytes.writeUInt32LE(header.previousCrc, SEGMENT.previousCrc)
  uuidBytes(header.epoch).copy(bytes, SEGMENT.epoch)
  uuidBytes(header.boot).copy(bytes, SEGMENT.boot)
  const crc = crc32(bytes.subarray(0, SEGMENT.crc))
  bytes.writeUInt32LE(crc, SEGMENT.crc)
  return { bytes, crc }
}

/**
 * Reads a header: null when it is torn or damaged, `newer` when a later program wrote it, which
 * this one must not touch.
 */
export function readSegmentHeader(bytes: Uint8Array): SegmentHeader | 'newer' | null {
  if (bytes.length < SEGMENT_HEADER_BYTES) return null
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, SEGMENT_HEADER_BYTES)
  const crc = view.readUInt32LE(SEGMENT.crc)
  if (crc !== crc32(view.subarray(0, SEGMENT.crc))) return null
  if (view.toString('latin1', SEGMENT.magic, SEGMENT.magic + 8) !== JOURNAL_MAGIC) return null
  const version = view.readUInt32LE(SEGMENT.version)
  if (version > JOURNAL_VERSION) return 'newer'
  return {
    version,
    index: view.readDoubleLE(SEGMENT.index),
    firstSeq: view.readDoubleLE(SEGMENT.firstSeq),
    syncedSeq: view.readDoubleLE(SEGMENT.syncedSeq),
    previousCrc: view.readUInt32LE(SEGMENT.previousCrc),
    epoch: uuidText(view.subarray(SEGMENT.epoch, SEGMENT.epoch + 16)),
    boot: uuidText(view.subarray(SEGMENT.boot, SEGMENT.boot + 16)),
    crc,
  }
}

function uuidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex')
  if (bytes.length !== 16) throw new Error(`"${text}" is no uuid`)
  return bytes
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  const parts = [0, 8, 12, 16, 20, 32].map((at, i, all) => hex.slice(at, all[i + 1]))
  return parts.slice(0, 5).join('-')
}

const FIRST_BYTES = 1 << 16
/** Bytes of UTF-8 that one unit of a string takes at most. */
const UTF8_BYTES_MAX = 3
const ENCODER = new TextEncoder()

/**
 * Puts frames behind each other into one buffer, each chained to the one before by its crc: one
 * batch of a feed is one buffer and one write. Reused: `begin`, add frames, write `bytes`.
 */
export class FrameWriter {
  readonly #lanes = new GrowingLanes(FIRST_BYTES)
  /** Crc of the last frame: what the next one is chained to. */
  crc = 0
  #length = 0
  #syncedSeq = 0

  /** Starts a batch behind the frame with this crc. */
  begin(previousCrc: number, syncedSeq: number): void {
    this.#length = 0
    this.crc = previousCrc
    this.#syncedSeq = syncedSeq
  }

  /** The frames added since `begin`; valid until the next one. */
  get bytes(): Uint8Array {
    return this.#lanes.bytes.subarray(0, this.#length)
  }

  /** Adds a frame with a copy of the payload. */
  add(kind: number, seq: number, events: number, payload: Uint8Array): void {
    this.#makeRoom(payload.length)
    this.#lanes.bytes.set(payload, this.#length + FRAME_HEADER_BYTES)
    this.#close(kind, seq, events, payload.length)
  }

  /** Adds a frame with a text as its payload. */
  addText(kind: number, seq: number, events: number, text: string): void {
    this.#makeRoom(text.length * UTF8_BYTES_MAX)
    const into = this.#lanes.bytes.subarray(this.#length + FRAME_HEADER_BYTES)
    this.#close(kind, seq, events, ENCODER.encodeInto(text, into).written)
  }

  #makeRoom(payloadBytes: number): void {
    this.#lanes.makeRoom(this.#length + frameBytes(payloadBytes))
  }

  /** Puts header and trailer around a payload that lies in its place. */
  #close(kind: number, seq: number, events: number, payloadBytes: number): void {
    if (payloadBytes > FRAME_PAYLOAD_BYTES_MAX) throw new Error('a journal frame is too long')
    const { bytes, u32, f64 } = this.#lanes
    const start = this.#length
    u32[(start + FRAME.payloadBytes) >>> 2] = payloadBytes
    u32[(start + FRAME.kind) >>> 2] = kind
    f64[(start + FRAME.seq) >>> 3] = seq
    f64[(start + FRAME.syncedSeq) >>> 3] = this.#syncedSeq
    u32[(start + FRAME.events) >>> 2] = events
    u32[(start + FRAME.previousCrc) >>> 2] = this.crc
    const payloadAt = start + FRAME_HEADER_BYTES
    const trailer = payloadAt + padded(payloadBytes)
    bytes.fill(0, payloadAt + payloadBytes, trailer)
    this.crc = crc32(bytes.subarray(start, trailer))
    u32[trailer >>> 2] = this.crc
    u32[(trailer + 4) >>> 2] = payloadBytes
    this.#length = trailer + FRAME_TRAILER_BYTES
  }
}

/** Bytes that grow as they are asked for, and the same as lanes; what they hold stays. */
export class GrowingLanes {
  bytes: Uint8Array<ArrayBuffer>
  u32: Uint32Array<ArrayBuffer>
  f64: Float64Array<ArrayBuffer>

  /** A multiple of 8. */
  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes)
    this.u32 = new Uint32Array(this.bytes.buffer)
    this.f64 = new Float64Array(this.bytes.buffer)
  }

  /** Makes them so many at least. */
  makeRoom(bytes: number): void {
    if (bytes > this.bytes.length) this.#widen(bytes)
  }

  #widen(bytes: number): void {
    let size = this.bytes.length
    while (size < bytes) size *= 2
    const wider = new Uint8Array(size)
    wider.set(this.bytes)
    this.bytes = wider
    this.u32 = new Uint32Array(wider.buffer)
    this.f64 = new Float64Array(wider.buffer)
  }
}

/**
 * Walks the frames of one segment that lies in memory, from the first to the first that is not
 * right. Each is checked: its crc, its chain to the one before, its place in the seq.
 */
export class SegmentScan {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  readonly #checkedTo: number
  /** The lanes of the segment, in which records start at u32 lane `payloadAt >>> 2`. */
  readonly u32: Uint32Array
  readonly f64: Float64Array
  /** Byte, seq and crc behind the last good frame. */
  end = SEGMENT_HEADER_BYTES
  endSeq: number
  crc: number
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
    this.crc = headerCrc
    this.endSeq = firstSeq
  }

  /** Moves to the next frame; false at the end, or where a frame is not right (`hasBadTail`). */
  next(): boolean {
    const at = this.end
    if (at < this.#checkedTo) {
      this.#pass(at, frameBytes(this.#view.getUint32(at + FRAME.payloadBytes, true)))
      return true
    }
    const bytes = frameAt(this.#view, this.#bytes, at)
    if (bytes === 0) return false
    if (this.#view.getUint32(at + FRAME.previousCrc, true) !== this.crc) return false
    if (this.#view.getFloat64(at + FRAME.seq, true) !== this.endSeq) return false
    this.#pass(at, bytes)
    return true
  }

  #pass(at: number, bytes: number): void {
    this.start = at
    this.kind = this.#view.getUint32(at + FRAME.kind, true)
    this.seq = this.#view.getFloat64(at + FRAME.seq, true)
    this.syncedSeq = this.#view.getFloat64(at + FRAME.syncedSeq, true)
    this.events = this.#view.getUint32(at + FRAME.events, true)
    this.payloadBytes = this.#view.getUint32(at + FRAME.payloadBytes, true)
    this.payloadAt = at + FRAME_HEADER_BYTES
    this.end = at + bytes
    this.crc = this.#view.getUint32(at + bytes - FRAME_TRAILER_BYTES, true)
    this.endSeq += this.events
  }

  /** Are there bytes that are no good frames? */
  get hasBadTail(): boolean {
    return this.end < this.#bytes.length
  }

  /**
   * Is what is left the beginning of the next frame? A process that is killed leaves the last write so:
   * in order and cut short. Anything else behind the last good frame is damage.
   */
  get isUnfinished(): boolean {
    const at = this.end
    const left = this.#bytes.length - at
    if (left < FRAME_HEADER_BYTES + FRAME_TRAILER_BYTES) return true
    const kind = this.#view.getUint32(at + FRAME.kind, true)
    const payloadBytes = this.#view.getUint32(at + FRAME.payloadBytes, true)
    return (
      kind > 0 &&
      kind <= KIND_MAX &&
      payloadBytes <= FRAME_PAYLOAD_BYTES_MAX &&
      frameBytes(payloadBytes) > left &&
      this.#view.getUint32(at + FRAME.previousCrc, true) === this.crc &&
      this.#view.getFloat64(at + FRAME.seq, true) === this.endSeq &&
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

  get payload(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.payloadAt, this.payloadAt + this.payloadBytes)
  }
}

/** A scan of a segment behind its last good frame; null without a header that can be read. */
export function scanned(bytes: Uint8Array<ArrayBuffer>): SegmentScan | null {
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer') return null
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  while (scan.next());
  return scan
}

/**
 * Looks for frames that are right in themselves behind a damaged place of a segment; returns how many there are, and
 * the highest `syncedSeq` in them, which decides whether the damaged frame had once been safe on the disk. From byte
 * 0 on the header, if it is right, counts too.
 */
export function evidenceBehind(
  bytes: Uint8Array,
  from: number,
): { readonly syncedSeq: number; readonly frames: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const header = from === 0 ? readSegmentHeader(bytes) : null
  let syncedSeq = header === null || header === 'newer' ? 0 : header.syncedSeq
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
