import { crc32 } from '../base/crc32.ts'
import { type Disk, type DiskFile, readAll } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { isUnreadable } from '../store/disk/node-disk.ts'
import { type NumberedFile, withFile } from '../store/folder/data-folder.ts'
import { archivedOf, type Contents, readContents } from '../store/snapshot/snapshot-file.ts'
import { needChunks } from '../store/snapshot/tape-archive.ts'

/** What is in a snapshot. */
export interface SnapshotReport {
  /** By its name. */
  readonly seq: number
  readonly name: string
  readonly bytes: number
  readonly epoch: string
  readonly digest: string
  /** Segment of the journal that goes on behind it. */
  readonly segment: number
  /** Records of the tape that it leaves to chunks. */
  readonly archivedRecords: number
  /** Records of the dormant tape that it leaves to chunks. */
  readonly archivedPositions: number
  /** The chunks it leaves them to. */
  readonly chunks: Contents['chunks']
  readonly parts: readonly { readonly name: string; readonly bytes: number }[]
  readonly status: 'whole' | 'damaged' | 'other version'
  /** What is damaged, or "". */
  readonly damage: string
}

const READ_BYTES = 8 << 20

/**
 * Reads a snapshot and checks every byte of its parts. `onBytes` takes how many were read; once it returns false,
 * the others are not read.
 */
export function reportSnapshot(
  disk: Disk,
  file: NumberedFile,
  onBytes: (bytes: number) => unknown = () => {},
): SnapshotReport {
  return withFile(disk.open(file.path), (open) => {
    const bytes = open.size()
    try {
      const contents = readContents(open, file.path)
      if (contents === null)
        return unreadable(file, bytes, 'damaged', 'its table of contents is torn or damaged')
      return ofContents(file, bytes, contents, damagedPart(open, contents.parts, onBytes))
    } catch (error) {
      if (isUnreadable(error)) return unreadable(file, bytes, 'damaged', 'it cannot be read (EIO)')
      if (!(error instanceof StoreError)) throw error
      return unreadable(file, bytes, 'other version', error.message)
    }
  })
}

/** Sees to the chunks of a snapshot as a start does (tape-archive.ts). */
export function neededChunks(
  disk: Disk,
  folder: string,
  { archivedRecords, archivedPositions, chunks }: SnapshotReport,
  chunkRecords: number,
): Generator<number, void> {
  const tapeOf = (archivedCount: number, crcs: readonly number[]) => {
    return { chunkRecords, archivedCount, chunkCrcs: [...crcs] }
  }
  const dormant = tapeOf(archivedPositions, chunks.positions)
  return needChunks(disk, folder, tapeOf(archivedRecords, chunks.swaps), dormant)
}

function ofContents(
  file: NumberedFile,
  bytes: number,
  contents: Contents,
  damaged: Contents['parts'][number] | null,
): SnapshotReport {
  const { seq, epoch, digest, segment, parts } = contents
  const damage =
    damaged !== null
      ? `part "${damaged.name}" at byte ${damaged.at} is not what was written`
      : seq !== file.number
        ? `it holds seq ${seq}`
        : ''
  return {
    seq: file.number,
    name: file.name,
    bytes,
    epoch,
    digest,
    segment,
    archivedRecords: archivedOf(contents, 'tape'),
    archivedPositions: archivedOf(contents, 'dormant tape'),
    chunks: contents.chunks,
    parts: parts.map(({ name, bytes }) => ({ name, bytes })),
    status: damage === '' ? 'whole' : 'damaged',
    damage,
  }
}

/** What is known of a snapshot that cannot be read. */
const NOTHING_KNOWN = {
  ...{ epoch: '', digest: '', segment: 0, archivedRecords: 0, archivedPositions: 0, parts: [] },
  chunks: { swaps: [], positions: [] },
}

function unreadable(
  { number: seq, name }: NumberedFile,
  bytes: number,
  status: SnapshotReport['status'],
  damage: string,
): SnapshotReport {
  return { seq, name, bytes, ...NOTHING_KNOWN, status, damage }
}

function damagedPart(
  file: DiskFile,
  parts: Contents['parts'],
  onBytes: (bytes: number) => unknown,
): Contents['parts'][number] | null {
  const buffer = new Uint8Array(READ_BYTES)
  for (const part of parts) {
    let crc = 0
    for (let done = 0; done < part.bytes; done += READ_BYTES) {
      const into = buffer.subarray(0, Math.min(READ_BYTES, part.bytes - done))
      if (!readAll(file, into, part.at + done)) return part
      crc = crc32(into, crc)
      if (onBytes(into.length) === false) return null
    }
    if (crc !== part.crc) return part
  }
  return null
}
