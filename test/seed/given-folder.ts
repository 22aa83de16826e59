import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../src/base/random.ts'
import { TAPE_BLOCK_RECORDS, TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { dataPath } from '../../src/store/folder/data-folder.ts'
import { writeSnapshot } from '../../src/store/snapshot/snapshot-file.ts'
import {
  type ChunkKind,
  DORMANT_CHUNKS,
  SWAP_CHUNKS,
  writeChunk,
} from '../../src/store/snapshot/tape-chunk.ts'
import { newFolder } from '../new-folder.ts'

const STATE_BYTES = 3_000_001
const disk = new NodeDisk()

/** Bytes of some state, as long as those of a snapshot may be, and no others for the same number. */
function bytesOf(seed: number, count: number): Uint8Array {
  const random = new Random(seed)
  const numbers = Uint32Array.from({ length: Math.ceil(count / 4) }, () => random.next())
  return new Uint8Array(numbers.buffer, 0, count)
}

/** Blocks of chunks are pieces of it, each from another byte on. */
const BLOCKS = bytesOf(1, 20_000)

/** The folder of an instance that gives: one chunk of swaps and one of positions, or none, and snapshots. */
export class GivenFolder {
  readonly path = newFolder()
  readonly #chunks: { readonly swaps: number[]; readonly positions: number[] }
  newestSeq = 0
  epoch = 'of-the-giver'

  constructor(market: string | null = 'simulated', hasChunks = true) {
    const chunksOf = (kind: ChunkKind) => (hasChunks ? [this.#chunk(kind)] : [])
    this.#chunks = { swaps: chunksOf(SWAP_CHUNKS), positions: chunksOf(DORMANT_CHUNKS) }
    if (market !== null) fs.writeFileSync(join(this.path, 'market'), `${market}\n`)
    // What is never given.
    for (const name of ['lock', 'written', 'journal-0000000000000001.mfj', 'journal.ring'])
      fs.writeFileSync(join(this.path, name), 'secret')
  }

  /** Names of what a whole seed has of it. */
  get names(): string[] {
    return fs.readdirSync(this.path).filter((name) => /\.mf[stp]$/.test(name))
  }

  bytesOf(name: string): number {
    return fs.statSync(join(this.path, name)).size
  }

  snapshot(seq: number): string {
    const path = dataPath(this.path, 'snapshot', seq)
    const part = (name: string, facts: readonly number[], bytes: Uint8Array) => {
      const unused = () => {
        throw new Error('it is only written')
      }
      return { name, facts: () => facts, views: () => [bytes], open: unused, settle: unused }
    }
    const tapes = [TAPE_CHUNK_RECORDS + 1, TAPE_CHUNK_RECORDS * this.#chunks.swaps.length]
    const parts = [
      part('state', [STATE_BYTES], bytesOf(seq, STATE_BYTES)),
      part('tape', tapes, bytesOf(seq + 1, 1_000)),
      part('dormant tape', tapes, bytesOf(seq + 2, 1_000)),
    ]
    writeSnapshot(disk, this.path, path, parts, {
      ...{ seq, epoch: this.epoch, segment: 2, chunks: this.#chunks },
      settings: { clock: 'event', lateSlots: 32 },
    })
    this.newestSeq = seq
    return path
  }

  /** One of the two that were made first: a chunk never changes. */
  #chunk(kind: ChunkKind): number {
    const { folder, crcs } = chunksMade()
    fs.linkSync(kind.path(folder, 0), kind.path(this.path, 0))
    return crcs.get(kind) ?? 0
  }
}

let made: ReturnType<typeof makeChunks> | null = null

function chunksMade() {
  made ??= makeChunks()
  return made
}

/** They stay for all tests of a file. */
function makeChunks() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'mintfeed-'))
  const crcs = new Map<ChunkKind, number>()
  for (const kind of [SWAP_CHUNKS, DORMANT_CHUNKS]) {
    const blockBytes = TAPE_BLOCK_RECORDS * kind.recordBytes
    const blocks = Array.from({ length: TAPE_CHUNK_RECORDS / TAPE_BLOCK_RECORDS }, (_, i) =>
      BLOCKS.subarray(i, i + blockBytes),
    )
    crcs.set(kind, writeChunk(disk, folder, 0, TAPE_BLOCK_RECORDS, blocks, kind))
  }
  return { folder, crcs }
}
