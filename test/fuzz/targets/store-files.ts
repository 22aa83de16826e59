import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Random } from '../../../src/base/random.ts'
import { StoreError } from '../../../src/store/disk/failure.ts'
import {
  evidenceBehind,
  FRAME,
  FRAME_HEADER_BYTES,
  frameBytes,
  padded,
  readSegmentHeader,
  SEGMENT,
  SEGMENT_HEADER_BYTES,
  SegmentScan,
} from '../../../src/store/format/journal-format.ts'
import {
  FOOTER,
  readContents,
  SNAPSHOT_FOOTER_BYTES,
} from '../../../src/store/snapshot/snapshot-file.ts'
import {
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
} from '../../../src/store/snapshot/tape-chunk.ts'
import { Random as ImageRandom } from '../../oracle/random.ts'
import { ImageDisk } from '../../store/damage/image-disk.ts'
import { writtenSnapshot } from '../../store/damage/snapshot-images.ts'
import { ROOT } from '../../tidy/source-files.ts'
import { type FuzzTarget, holds } from '../target.ts'

const KINDS = ['segment', 'snapshot', 'chunk'] as const
/** Of the golden files, which are longer: what is wrong shows in the first frames. */
const IMAGE_BYTES = 3072

const golden = (name: string) => readFileSync(join(ROOT, 'test/store/golden/v1', name))

/**
 * Journal segments, snapshots and chunks of the tape. The first byte of an input says which, the
 * second whether its checksums are made right again after a mutation: otherwise nearly every one
 * would end at the first crc.
 */
export class StoreFiles implements FuzzTarget {
  readonly name = 'store-files'
  readonly words = [
    'MFJOURN1',
    'MFTAPE1\n',
    '"parts":',
    '"bytes":',
    '"facts":[',
    '\u0000\u0000\u0000\u0000',
  ]
  readonly #segment = golden('journal-0000000000000001.mfj').subarray(0, IMAGE_BYTES)
  readonly #chunk = golden('tape-0000000000000000.mft').subarray(0, IMAGE_BYTES)

  make(random: Random): Buffer {
    const kind = random.below(KINDS.length)
    const image = { segment: this.#segment, chunk: this.#chunk, snapshot: null }[KINDS[kind]]
    const bytes = image ?? writtenSnapshot(new ImageRandom(random.below(1000))).bytes
    return Buffer.concat([Buffer.of(kind, random.chance(0.7) ? 1 : 0), damaged(bytes, random)])
  }

  run(input: Buffer): void {
    if (input.length < 2) return
    // Copied: readers want records at multiples of eight in their buffer.
    const bytes = new Uint8Array(input.subarray(2))
    const kind = KINDS[input[0] % KINDS.length]
    const isSealed = input[1] % 2 === 1
    if (kind === 'segment') readSegment(isSealed ? sealedSegment(bytes) : bytes)
    else if (kind === 'snapshot') readSnapshot(isSealed ? sealedSnapshot(bytes) : bytes)
    else readChunk(bytes)
  }
}

function damaged(image: Uint8Array, random: Random): Buffer {
  const bytes = Buffer.from(image)
  for (let count = random.below(4); count > 0; count--) {
    const at = random.below(bytes.length)
    if (random.chance(0.5)) bytes[at] = random.below(256)
    else if (at + 4 <= bytes.length) bytes.writeUInt32LE(random.next() >>> 0, at)
  }
  return random.chance(0.2) ? bytes.subarray(0, random.below(bytes.length)) : bytes
}

const FRAME_TRAILER_BYTES = frameBytes(0) - FRAME_HEADER_BYTES

/** Makes the crcs and the chain of a segment right for what stands in it. */
function sealedSegment(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length < SEGMENT_HEADER_BYTES) return bytes
  const view = new DataView(bytes.buffer)
  let crc = crc32(bytes.subarray(0, SEGMENT.crc))
  view.setUint32(SEGMENT.crc, crc, true)
  let at = SEGMENT_HEADER_BYTES
  while (at + frameBytes(0) <= bytes.length) {
    const payloadBytes = view.getUint32(at + FRAME.payloadBytes, true)
    const trailer = at + frameBytes(payloadBytes) - FRAME_TRAILER_BYTES
    if (trailer + FRAME_TRAILER_BYTES > bytes.length) break
    view.setUint32(at + FRAME.previousCrc, crc, true)
    crc = crc32(bytes.subarray(at, trailer))
    view.setUint32(trailer, crc, true)
    view.setUint32(trailer + 4, payloadBytes, true)
    at = trailer + FRAME_TRAILER_BYTES
  }
  return bytes
}

function readSegment(bytes: Uint8Array<ArrayBuffer>): void {
  const { frames } = evidenceBehind(bytes, 0)
  holds(frames <= bytes.length, 'there are no more frames than bytes')
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer') return
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  let end = SEGMENT_HEADER_BYTES
  while (scan.next()) {
    holds(scan.end > end && scan.end <= bytes.length, 'a frame lies behind the last, in the file')
    holds(scan.payloadAt + scan.payloadBytes <= bytes.length, 'a payload lies in the file')
    end = scan.end
  }
}

/** Makes the crc of the table of contents right for what stands there. */
function sealedSnapshot(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length < SNAPSHOT_FOOTER_BYTES) return bytes
  const view = new DataView(bytes.buffer, bytes.length - SNAPSHOT_FOOTER_BYTES)
  const at = view.getFloat64(FOOTER.contentsAt, true)
  const end = bytes.length - SNAPSHOT_FOOTER_BYTES
  if (!(at >= 0 && at <= end)) return bytes
  view.setFloat64(FOOTER.contentsBytes, end - at, true)
  view.setUint32(FOOTER.crc, crc32(bytes.subarray(at, end)), true)
  return bytes
}

function readSnapshot(bytes: Uint8Array): void {
  refusing(() => readContents(fileOf(bytes), 'snapshot'))
}

function readChunk(bytes: Uint8Array): void {
  refusing(() => {
    const file = fileOf(bytes)
    const table = readChunkTable(file, 0, 'chunk', SWAP_CHUNKS)
    if (table === null || table.crcs.length === 0) return
    holds(table.crcs.length * 4 <= padded(bytes.length), 'a table of crcs lies in the file')
    readChunkBlock(file, table, 0, new Uint8Array(64))
  })
}

/** A file of a later version is refused with a sentence. */
function refusing(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    holds(error.message.length > 0, 'a refusal says why')
  }
}

function fileOf(bytes: Uint8Array) {
  const disk = new ImageDisk()
  disk.files.set('file', bytes)
  return disk.open('file')
}
