import { expect, test } from 'vitest'
import { compact } from '../../src/store/compaction/compaction.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles, type NumberedFile, withFile } from '../../src/store/folder/data-folder.ts'
import { readContents } from '../../src/store/snapshot/snapshot-file.ts'
import {
  type ChunkKind,
  DORMANT_CHUNKS,
  readChunkTable,
  SWAP_CHUNKS,
} from '../../src/store/snapshot/tape-chunk.ts'
import { CrashDisk } from './disks/crash-disk.ts'
import { CrashService, newUuid } from './disks/crash-service.ts'
import { FOLDER, Story } from './disks/story.ts'

test('room is asked for the snapshot and for the chunks that are written with it', () => {
  const story = new Story(5, 520, 'off', 'event')
  const disk = new CrashDisk()
  const service = new CrashService(story, disk, newUuid())
  let chunksBefore = 0
  for (const [i, batch] of story.batches.entries()) {
    service.feed(batch)
    if (i !== Math.floor(story.batches.length / 2) && i !== story.batches.length - 1) continue
    let asked = 0
    runToEnd(
      compact({
        disk,
        folder: FOLDER,
        untilSegment: service.journal.boundary(),
        newEngine: () => story.newEngine(disk),
        keepsJournal: false,
        checkRoom: (bytes) => {
          asked += bytes
        },
      }),
    )
    const { snapshots, chunks, dormantChunks } = listDataFiles(disk, FOLDER)
    const allChunks =
      bytesOf(disk, chunks, SWAP_CHUNKS) + bytesOf(disk, dormantChunks, DORMANT_CHUNKS)
    const [newest] = snapshots.slice(-1)
    expect(asked).toBe(partBytes(disk, newest) + allChunks - chunksBefore)
    expect(allChunks).toBeGreaterThan(chunksBefore)
    chunksBefore = allChunks
  }
})

/** Records of chunks, in bytes. */
function bytesOf(disk: CrashDisk, files: readonly NumberedFile[], kind: ChunkKind): number {
  return files.reduce((sum, { path, number }) => {
    const table = withFile(disk.open(path), (file) => readChunkTable(file, number, path, kind))
    if (table === null) throw new Error(`${path} is no chunk`)
    return sum + table.crcs.length * table.blockRecords * table.recordBytes
  }, 0)
}

function partBytes(disk: CrashDisk, { path }: NumberedFile): number {
  const contents = withFile(disk.open(path), (file) => readContents(file, path))
  return contents?.parts.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0
}
