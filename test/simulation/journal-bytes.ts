/**
 * Reads the journal of a folder from its bytes alone, by the layout in docs, with nothing of the
 * program's own reader: what is on the disk decides, not what the program believes.
 */
import { crc32 } from 'node:zlib'
import type { Disk } from '../../src/store/disk.ts'

const HEADER_BYTES = 128
const FRAME_HEADER_BYTES = 32
const TRAILER_BYTES = 8

/** Seq behind the last whole event frame in the newest segments of a folder; -1 without a journal. */
export function endSeqInFiles(disk: Disk, folder: string): number {
  const names = disk.list(folder).filter((name) => /^journal-\d+\.mfj$/.test(name))
  for (const name of names.toReversed()) {
    const { firstSeq, endSeq } = seqsOf(disk, `${folder}/${name}`)
    // A segment without a frame only says where it goes on: the one before has to show it.
    if (endSeq > firstSeq || name === names[0]) return endSeq
  }
  return -1
}

function seqsOf(disk: Disk, path: string): { firstSeq: number; endSeq: number } {
  const bytes = bytesOf(disk, path)
  if (bytes.length < HEADER_BYTES) return { firstSeq: -1, endSeq: -1 }
  const firstSeq = bytes.readDoubleLE(24)
  let endSeq = firstSeq
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES + TRAILER_BYTES <= bytes.length; ) {
    const padded = (bytes.readUInt32LE(at) + 7) & ~7
    const trailer = at + FRAME_HEADER_BYTES + padded
    if (trailer + TRAILER_BYTES > bytes.length) break
    if (bytes.readUInt32LE(trailer) !== crc32(bytes.subarray(at, trailer))) break
    endSeq = bytes.readDoubleLE(at + 8) + bytes.readUInt32LE(at + 24)
    at = trailer + TRAILER_BYTES
  }
  return { firstSeq, endSeq }
}

function bytesOf(disk: Disk, path: string): Buffer {
  const file = disk.open(path)
  const bytes = Buffer.alloc(file.size())
  file.read(bytes, 0)
  file.close()
  return bytes
}
