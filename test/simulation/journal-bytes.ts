/**
 * Reads the journal of a folder from its bytes alone, by the layout in docs, with nothing of the
 * program's own reader: what is on the disk decides, not what the program believes.
 */
import { crc32 } from 'node:zlib'
import type { Disk } from '../../src/store/disk/disk.ts'

const HEADER_BYTES = 128
const FRAME_HEADER_BYTES = 32
const TRAILER_BYTES = 8

const RING_NAME = 'journal.ring'

/**
 * Seq behind the last whole event frame in the newest segments of a folder, the last of which goes on in
 * the ring; -1 without a journal.
 */
export function endSeqInFiles(disk: Disk, folder: string): number {
  const all = disk.list(folder)
  const names = all.filter((name) => /^journal-\d+\.mfj$/.test(name))
  const ring = all.includes(RING_NAME) ? bytesOf(disk, `${folder}/${RING_NAME}`) : null
  for (const name of names.toReversed()) {
    const isLast = name === names.at(-1)
    const { firstSeq, endSeq } = seqsOf(disk, `${folder}/${name}`, isLast ? ring : null)
    // A segment without a frame only says where it goes on: the one before has to show it.
    if (endSeq > firstSeq || name === names[0]) return endSeq
  }
  return -1
}

/** Where a walk through frames stands. */
interface Walked {
  /** Byte behind the last one. */
  readonly at: number
  readonly endSeq: number
  readonly crc: number
}

function seqsOf(
  disk: Disk,
  path: string,
  ring: Buffer | null,
): { firstSeq: number; endSeq: number } {
  const bytes = bytesOf(disk, path)
  if (bytes.length < HEADER_BYTES) return { firstSeq: -1, endSeq: -1 }
  const firstSeq = bytes.readDoubleLE(24)
  const crc = bytes.readUInt32LE(HEADER_BYTES - 4)
  const inFile = walk(bytes, { at: HEADER_BYTES, endSeq: firstSeq, crc })
  if (ring === null || ring.length === 0) return { firstSeq, endSeq: inFile.endSeq }
  const from = inFile.at % ring.length
  const turned = Buffer.concat([ring.subarray(from), ring.subarray(0, from)])
  return { firstSeq, endSeq: walk(turned, { ...inFile, at: 0 }).endSeq }
}

/** On over whole frames, each of which names the crc of the one before and the seq that comes next. */
function walk(bytes: Buffer, { at, endSeq, crc }: Walked): Walked {
  while (at + FRAME_HEADER_BYTES + TRAILER_BYTES <= bytes.length) {
    const trailer = at + FRAME_HEADER_BYTES + Math.ceil(bytes.readUInt32LE(at) / 8) * 8
    if (trailer + TRAILER_BYTES > bytes.length) break
    if (bytes.readUInt32LE(trailer) !== crc32(bytes.subarray(at, trailer))) break
    if (bytes.readUInt32LE(at + 28) !== crc || bytes.readDoubleLE(at + 8) !== endSeq) break
    endSeq += bytes.readUInt32LE(at + 24)
    crc = bytes.readUInt32LE(trailer)
    at = trailer + TRAILER_BYTES
  }
  return { at, endSeq, crc }
}

function bytesOf(disk: Disk, path: string): Buffer {
  const file = disk.open(path)
  const bytes = Buffer.alloc(file.size())
  file.read(bytes, 0)
  file.close()
  return bytes
}
