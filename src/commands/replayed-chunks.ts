import type { Engine } from '../engine/engine.ts'
import { TAPE_BLOCK_RECORDS, type Tape } from '../engine/tape.ts'
import { chunkPath, withFile } from '../store/data-folder.ts'
import type { Disk, DiskFile } from '../store/disk.ts'
import { codeOf } from '../store/node-disk.ts'
import { blockBytes } from '../store/tape-archive.ts'
import { readChunkBlock, readChunkTable } from '../store/tape-chunk.ts'

/** Compares chunks on the disk with the tape that a replay makes, as soon as one is settled. */
export class ReplayedChunks {
  readonly compared: { readonly chunk: number; readonly isSame: boolean }[] = []
  readonly #disk: Disk
  readonly #folder: string
  readonly #engine: Engine
  /** Records that snapshots leave to chunks; chunks behind them are none that anything reads. */
  readonly #archived: number
  #mayLeave = true

  constructor(at: { disk: Disk; folder: string }, engine: Engine, archived: number) {
    this.#disk = at.disk
    this.#folder = at.folder
    this.#engine = engine
    this.#archived = archived
  }

  /** To be called between frames; what was compared leaves memory, so that it stays small. */
  compare(): void {
    const { tape } = this.#engine.state
    for (;;) {
      const end = tape.archivedCount + tape.chunkRecords
      if (end > Math.min(this.#archived, this.#engine.settledSwaps)) return
      const chunk = tape.archivedCount / tape.chunkRecords
      const isSame = this.#isSame(tape, chunk)
      this.compared.push({ chunk, isSame })
      tape.archivedCount = end
      // Records that differ from the file must not be read from it.
      this.#mayLeave &&= isSame
      if (this.#mayLeave) tape.leaveMemory(end)
    }
  }

  #isSame(tape: Tape, chunk: number): boolean {
    const path = chunkPath(this.#folder, chunk)
    try {
      return withFile(this.#disk.open(path), (file) => isChunkOf(tape, chunk, file, path))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    }
  }
}

function isChunkOf(tape: Tape, chunk: number, file: DiskFile, path: string): boolean {
  const table = readChunkTable(file, chunk, path)
  const blocks = tape.chunkRecords / TAPE_BLOCK_RECORDS
  if (table?.crcs.length !== blocks || table.blockRecords !== TAPE_BLOCK_RECORDS) return false
  const first = chunk * tape.chunkRecords
  for (let block = 0; block < blocks; block++) {
    const replayed = blockBytes(tape, first + block * TAPE_BLOCK_RECORDS)
    const kept = new Uint8Array(replayed.length)
    if (!readChunkBlock(file, table, block, kept)) return false
    if (Buffer.compare(kept, replayed) !== 0) return false
  }
  return true
}
