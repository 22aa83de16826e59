import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { TapeDamage } from '../../src/base/errors.ts'
import type { Tape } from '../../src/engine/state/tape.ts'
import { listDataFiles, type NumberedFile } from '../../src/store/folder/data-folder.ts'
import { JOURNAL_VERSION } from '../../src/store/format/journal-format.ts'
import { SNAPSHOT_VERSION } from '../../src/store/snapshot/snapshot-file.ts'
import { DiskTapeArchive } from '../../src/store/snapshot/tape-archive.ts'
import { CHUNK_VERSION, SWAP_CHUNKS } from '../../src/store/snapshot/tape-chunk.ts'
import { history } from '../oracle/histories.ts'
import { FOLDER, recovered, refusal, writtenFolder } from './damage/folder.ts'
import type { ImageDisk } from './damage/image-disk.ts'

/** Where versions, and the crc over them, stand in the files. */
const VERSION_AT = 8
const SEGMENT_CRC_AT = 124
const CHUNK_CRC_AT = 36
const FOOTER_VERSION_FROM_END = 12

const whole = writtenFolder({ events: history(5, 200), segmentsAt: [170], snapshotsAt: [2] })
const files = listDataFiles(whole, FOLDER)
const [snapshot] = files.snapshots

/** Changes a copy of a file; a crc at `crcAt` is made right again. */
function changed(
  disk: ImageDisk,
  { path }: NumberedFile,
  change: (bytes: Buffer) => void,
  crcAt?: number,
): void {
  const bytes = Buffer.from(disk.bytesOf(path))
  change(bytes)
  if (crcAt !== undefined) bytes.writeUInt32LE(crc32(bytes.subarray(0, crcAt)), crcAt)
  disk.files.set(path, bytes)
}

const toVersion = (version: number) => (bytes: Buffer) => {
  bytes.writeUInt32LE(version, VERSION_AT)
}

function toSnapshotVersion(version: number): (bytes: Buffer) => void {
  return (bytes) => {
    bytes.writeUInt32LE(version, VERSION_AT)
    bytes.writeUInt32LE(version, bytes.length - FOOTER_VERSION_FROM_END)
  }
}

function expectNewer(disk: ImageDisk, path: string): void {
  const before = new Map(disk.files)
  const error = refusal(disk)
  expect(error.code).toBe('newer_version')
  expect(error.message).toBe(
    `${path} was written by a later version of mintfeed: start that version, or another DATA_DIR.`,
  )
  expect(disk.files).toEqual(before)
}

test.each([0, 1])('a journal segment of a later version is refused and left alone', (at) => {
  const disk = whole.copy()
  disk.files.delete(snapshot.path)
  changed(disk, files.segments[at], toVersion(JOURNAL_VERSION + 1), SEGMENT_CRC_AT)
  expectNewer(disk, files.segments[at].path)
})

test('a snapshot of a later version is refused and left alone', () => {
  const disk = whole.copy()
  changed(disk, snapshot, toSnapshotVersion(SNAPSHOT_VERSION + 1))
  expectNewer(disk, snapshot.path)
})

test('a chunk of a later version is refused and left alone', () => {
  const disk = whole.copy()
  changed(disk, files.chunks[0], toVersion(CHUNK_VERSION + 1), CHUNK_CRC_AT)
  expectNewer(disk, files.chunks[0].path)
})

test('a chunk of a later version that comes while the program runs is damage of the tape', () => {
  const disk = whole.copy()
  const { tape } = recovered(disk).engine.state
  tape.leaveMemory(tape.archivedCount)
  // The windows of the last day have read its blocks: one that keeps none.
  tape.archive = new DiskTapeArchive(disk, FOLDER, tape, SWAP_CHUNKS)
  changed(disk, files.chunks[0], toVersion(CHUNK_VERSION + 1), CHUNK_CRC_AT)
  expect(() => firstOf(tape)).toThrow(TapeDamage)
  expect(() => firstOf(tape)).toThrow('later version')
})

test('a version that only one end of a snapshot tells is damage, not a later version', () => {
  const changes = [
    toVersion(SNAPSHOT_VERSION + 1),
    (bytes: Buffer) => {
      bytes.writeUInt32LE(SNAPSHOT_VERSION + 1, bytes.length - FOOTER_VERSION_FROM_END)
    },
  ]
  for (const change of changes) {
    const disk = whole.copy()
    changed(disk, snapshot, change)
    expect(recovered(disk).found.damagedSnapshots).toEqual([snapshot.path])
  }
})

test('a version whose crc is not right is damage, not a later version', () => {
  const torn = whole.copy()
  changed(torn, files.chunks[0], toVersion(CHUNK_VERSION + 1))
  expect(refusal(torn).code).toBe('missing')
  const segment = whole.copy()
  changed(segment, files.segments[1], toVersion(JOURNAL_VERSION + 1))
  expect(refusal(segment).code).not.toBe('newer_version')
})

test('a snapshot of an older version that nothing reads is refused with a sentence', () => {
  const disk = whole.copy()
  changed(disk, snapshot, toSnapshotVersion(0))
  const { code, message } = refusal(disk)
  expect(code).toBe('older_version')
  expect(message).toContain(
    `${snapshot.path} has version 0 of its format, which this mintfeed does`,
  )
})

function firstOf(tape: Tape): number {
  return tape.u32Of(0)[tape.at(0)]
}
