import type { Engine } from '../../src/engine/engine.ts'
import { SWAP_F64_LANES, SWAP_U32_LANES } from '../../src/engine/swap-record.ts'
import {
  TAPE_BLOCK_RECORDS,
  type TapeArchive,
  type TapeBlock,
  TapeDamage,
} from '../../src/engine/tape.ts'

const POISON = 0xffffffff

/**
 * Blocks kept in memory and handed out in one buffer that is overwritten at every call: who holds
 * on to a block for too long reads something else.
 */
export class MemoryArchive implements TapeArchive {
  /** Calls of `block`. */
  reads = 0
  readonly #blocks: Uint32Array[] = []
  readonly #u32 = new Uint32Array(TAPE_BLOCK_RECORDS * SWAP_U32_LANES)
  readonly #f64 = new Float64Array(this.#u32.buffer)

  block(block: number): TapeBlock {
    this.reads += 1
    this.#u32.fill(POISON)
    const kept = this.#blocks[block]
    if (kept === undefined) throw new TapeDamage(`There is no block ${block}.`)
    this.#u32.set(kept)
    return { u32: this.#u32, f64: this.#f64 }
  }

  /** Takes the records of every chunk that nothing can take back, and lets them leave memory. */
  takeFrom({ state: { tape }, settledSwaps }: Engine): void {
    tape.archive ??= this
    while (tape.archivedCount + tape.chunkRecords <= settledSwaps) {
      const end = tape.archivedCount + tape.chunkRecords
      for (let first = tape.archivedCount; first < end; first += TAPE_BLOCK_RECORDS)
        this.#blocks.push(blockOf(tape, first))
      tape.archivedCount = end
      tape.leaveMemory(end)
    }
  }
}

function blockOf(tape: Engine['state']['tape'], first: number): Uint32Array {
  const block = new Float64Array(TAPE_BLOCK_RECORDS * SWAP_F64_LANES)
  const u32 = new Uint32Array(block.buffer)
  for (let i = 0; i < TAPE_BLOCK_RECORDS; i += 1) {
    const at = tape.at(first + i)
    u32.set(tape.u32Of(first + i).subarray(at, at + SWAP_U32_LANES), i * SWAP_U32_LANES)
  }
  return u32
}
