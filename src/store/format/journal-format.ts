import { crc32 } from '../../base/crc32.ts'

/**
 * The layout of a journal segment, version 5. Everything is little-endian and 8-byte aligned.
 *
 *     segment   header (128 bytes), then frames
 *     frame     header (32 bytes), payload (padded with zeros to 8 bytes), trailer (8 bytes)
 *
 * `seq` counts the events that arrived, duplicates and refused ones among them; a frame's seq is
 * that of its first event. `syncedSeq` says, at the time of writing, below which seq everything was
 * known to be on the disk: when a frame is damaged, a later one tells by it whether the damaged one
 * had been safe once (damage) or never was (a crash before the sync).
 */
const JOURNAL_MAGIC = 'MFJOURN\n'
export const JOURNAL_VERSION = 5

export const SEGMENT_HEADER_BYTES = 128
/** Byte offsets in a segment's header. */
export const S = {
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
export const FRAME_TRAILER_BYTES = 8
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
  /** Any other event (packed-event.ts). Version 4; reserves and balances since version 5. */
  packed: 8,
} as const
export const KIND_MAX = 8

/** Largest payload; what is longer is cut into several frames by the writer. */
export const FRAME_PAYLOAD_BYTES_MAX = 1 << 24

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
  bytes.write(JOURNAL_MAGIC, S.magic, 'latin1')
  bytes.writeUInt32LE(JOURNAL_VERSION, S.version)
  bytes.writeUInt32LE(SEGMENT_HEADER_BYTES, S.headerBytes)
  bytes.writeDoubleLE(header.index, S.index)
  bytes.writeDoubleLE(header.firstSeq, S.firstSeq)
  bytes.writeDoubleLE(header.syncedSeq, S.syncedSeq)
  bytes.writeUInt32LE(header.previousCrc, S.previousCrc)
  uuidBytes(header.epoch).copy(bytes, S.epoch)
  uuidBytes(header.boot).copy(bytes, S.boot)
  const crc = crc32(bytes.subarray(0, S.crc))
  bytes.writeUInt32LE(crc, S.crc)
  return { bytes, crc }
}

/**
 * Reads a header: null when it is torn or damaged, `newer` when a later program wrote it, which
 * this one must not touch.
 */
export function readSegmentHeader(bytes: Uint8Array): SegmentHeader | 'newer' | null {
  if (bytes.length < SEGMENT_HEADER_BYTES) return null
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, SEGMENT_HEADER_BYTES)
  const crc = view.readUInt32LE(S.crc)
  if (crc !== crc32(view.subarray(0, S.crc))) return null
  if (view.toString('latin1', S.magic, S.magic + 8) !== JOURNAL_MAGIC) return null
  const version = view.readUInt32LE(S.version)
  if (version > JOURNAL_VERSION) return 'newer'
  return {
    version,
    index: view.readDoubleLE(S.index),
    firstSeq: view.readDoubleLE(S.firstSeq),
    syncedSeq: view.readDoubleLE(S.syncedSeq),
    previousCrc: view.readUInt32LE(S.previousCrc),
    epoch: uuidText(view.subarray(S.epoch, S.epoch + 16)),
    boot: uuidText(view.subarray(S.boot, S.boot + 16)),
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
