import { crc32 } from '../../base/crc32.ts'
import { JOURNAL_MAGIC, JOURNAL_VERSION, S, SEGMENT_HEADER_BYTES } from './journal-format.ts'

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
