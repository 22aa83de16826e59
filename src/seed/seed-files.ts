import fs from 'node:fs'
import { TAPE_BLOCK_RECORDS, TAPE_CHUNK_RECORDS } from '../engine/state/tape.ts'
import type { DiskFile } from '../store/disk/disk.ts'
import { dataFileOf, dataPath } from '../store/folder/data-folder.ts'
import { contentsDigest, hasItsDigest, readContents } from '../store/snapshot/snapshot-file.ts'
import {
  type ChunkKind,
  chunkBytes,
  DORMANT_CHUNKS,
  hasItsBlocks,
  readChunkTable,
  SWAP_CHUNKS,
} from '../store/snapshot/tape-chunk.ts'
import type { SeedSnapshot } from './seed-list.ts'

/** A snapshot, or a chunk with its number, and where a folder has it. */
interface SeedPlace {
  readonly path: string
  readonly number: number
  /** Null: a snapshot, whose number is its seq. */
  readonly chunkKind: ChunkKind | null
}

/** A file as it is given. */
export interface SeedFile extends SeedPlace {
  readonly bytes: number
  /** Its ETag, without the quotes. */
  readonly tag: string
}

/** What a name stands for; null: nothing that is given. */
export function seedPlace(folder: string, name: string): SeedPlace | null {
  const file = dataFileOf(name)
  if (file === null || file.kind === 'segment') return null
  const { kind, number } = file
  const chunkKinds = { snapshot: null, chunk: SWAP_CHUNKS, dormantChunk: DORMANT_CHUNKS }
  return { path: dataPath(folder, kind, number), number, chunkKind: chunkKinds[kind] }
}

export function snapshotFile(folder: string, { seq, bytes, tag }: SeedSnapshot): SeedFile {
  return { path: dataPath(folder, 'snapshot', seq), number: seq, chunkKind: null, bytes, tag }
}

/** The chunks that a snapshot needs. */
export function chunksOf(folder: string, snapshot: SeedSnapshot): readonly SeedFile[] {
  const { chunks, swapChunkBytes } = snapshot
  const filesOf = (crcs: readonly number[], chunkKind: ChunkKind, sizes: readonly number[] = []) =>
    crcs.map((crc, number) => ({
      ...{ path: chunkKind.path(folder, number), number, chunkKind, tag: String(crc) },
      bytes: sizes[number] ?? chunkBytes(TAPE_CHUNK_RECORDS, TAPE_BLOCK_RECORDS, chunkKind),
    }))
  const swaps = filesOf(chunks.swaps, SWAP_CHUNKS, swapChunkBytes)
  return [...swaps, ...filesOf(chunks.positions, DORMANT_CHUNKS)]
}

/** Bytes of a file; 0 where there is none. */
export function bytesOf(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The tag of an open file, read from itself; null when it is none, or damaged where that stands. */
export function tagOf(open: DiskFile, { path, number, chunkKind }: SeedPlace): string | null {
  if (chunkKind !== null) {
    const table = readChunkTable(open, number, path, chunkKind)
    return table === null ? null : String(table.crc)
  }
  const contents = readContents(open, path)
  return contents === null ? null : contentsDigest(contents)
}

/** Whether every byte that is read of an open file is what its tag stands for; yields after some of them. */
export function* isWhole(open: DiskFile, file: SeedFile): Generator<number, boolean> {
  const { path, number, chunkKind } = file
  if (open.size() !== file.bytes || tagOf(open, file) !== file.tag) return false
  if (chunkKind !== null) {
    const table = readChunkTable(open, number, path, chunkKind)
    return table !== null && (yield* hasItsBlocks(open, table))
  }
  const contents = readContents(open, path)
  return contents !== null && (yield* hasItsDigest(open, contents))
}
