import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { codeOf } from '../base/errors.ts'
import { PROGRAM_VERSION } from '../base/program-files.ts'
import { TAPE_CHUNK_RECORDS, type Tape } from '../engine/state/tape.ts'
import { NodeDisk, NodeFile } from '../store/disk/node-disk.ts'
import { listDataFiles, withFile } from '../store/folder/data-folder.ts'
import { heldMarket } from '../store/folder/market-mark.ts'
import { archivedOf, contentsDigest, readContents } from '../store/snapshot/snapshot-file.ts'
import { SWAP_CHUNKS } from '../store/snapshot/tape-chunk.ts'
import { bytesOf, seedPlace, tagOf } from './seed-files.ts'
import type { SeedList, SeedSnapshot } from './seed-list.ts'

/** Read from the disk at once: larger pieces wake the loop less often. */
const PIECE_BYTES = 256 << 10

/** What a running instance gives of its data folder: snapshots and the chunks that they need. */
export class SeedSource {
  readonly #folder: string
  readonly #epoch: string
  readonly #newestSeq: () => number
  readonly #tape: Pick<Tape, 'chunkCrcs'>
  readonly #dormantTape: Pick<Tape, 'chunkCrcs'>
  /** Bytes of each chunk of swaps that was listed: a chunk never changes, and there are thousands. */
  readonly #swapChunkBytes: number[] = []

  constructor(options: {
    readonly folder: string
    /** Of the stream now. */
    readonly epoch: string
    /** Seq of the newest snapshot that was read back as it was written. */
    readonly newestSeq: () => number
    /** They know the chunks that there are. */
    readonly tape: Pick<Tape, 'chunkCrcs'>
    readonly dormantTape: Pick<Tape, 'chunkCrcs'>
  }) {
    this.#folder = options.folder
    this.#epoch = options.epoch
    this.#newestSeq = options.newestSeq
    this.#tape = options.tape
    this.#dormantTape = options.dormantTape
  }

  /** The snapshots that are whole; those that go while it looks are left out. */
  list(): SeedList {
    const { snapshots } = listDataFiles(new NodeDisk(), this.#folder)
    return {
      program: PROGRAM_VERSION,
      market: heldMarket(this.#folder),
      epoch: this.#epoch,
      snapshots: snapshots
        .filter(({ number }) => number <= this.#newestSeq())
        .flatMap(({ name, path }) => unlessGone(() => offered(name, path)) ?? [])
        .map((snapshot) => ({
          ...snapshot,
          swapChunkBytes: snapshot.chunks.swaps.map((_, number) => this.#bytesOfChunk(number)),
        })),
    }
  }

  #bytesOfChunk(number: number): number {
    const bytes = this.#swapChunkBytes[number] || bytesOf(SWAP_CHUNKS.path(this.#folder, number))
    this.#swapChunkBytes[number] = bytes
    return bytes
  }

  /** Opens a file by a name that may be asked for; null: there is none, or not any more. */
  async open(name: string): Promise<ReturnType<typeof opened> | null> {
    const place = seedPlace(this.#folder, name)
    if (place === null || !this.#isGiven(place)) return null
    const handle = await open(place.path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    })
    if (handle === null) return null
    try {
      // Read from the file itself: another one may have its name since it was listed.
      const tag = tagOf(new NodeFile(handle.fd, place.path), place)
      const { size } = await handle.stat()
      if (tag !== null) return opened(handle, size, tag)
    } catch (error) {
      await handle.close()
      throw error
    }
    await handle.close()
    return null
  }

  #isGiven({ number, chunkKind }: NonNullable<ReturnType<typeof seedPlace>>): boolean {
    if (chunkKind === null) return number <= this.#newestSeq()
    return number < (chunkKind === SWAP_CHUNKS ? this.#tape : this.#dormantTape).chunkCrcs.length
  }
}

/** A file while it is given away: it stays whole, also when its name is removed meanwhile. */
function opened(handle: FileHandle, bytes: number, tag: string) {
  return {
    bytes,
    tag,
    /** Bytes from one place to another, that one included; closes the file at its end. */
    read: (start: number, end: number): Readable =>
      handle.createReadStream({ start, end, highWaterMark: PIECE_BYTES }),
    close: () => handle.close(),
  }
}

/** What the list says of a snapshot; null when it is damaged. */
function offered(name: string, path: string): SeedSnapshot | null {
  return withFile(new NodeDisk().open(path), (file) => {
    const contents = readContents(file, path)
    if (contents === null) return null
    const { seq, version, epoch, digest, chunks } = contents
    return {
      ...{ name, seq, bytes: file.size(), version, epoch, digest, tag: contentsDigest(contents) },
      chunks: {
        swaps: chunks.swaps.slice(0, archivedOf(contents, 'tape') / TAPE_CHUNK_RECORDS),
        positions: chunks.positions.slice(
          0,
          archivedOf(contents, 'dormant tape') / TAPE_CHUNK_RECORDS,
        ),
      },
    }
  })
}

function unlessGone<T>(look: () => T): T | null {
  try {
    return look()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
