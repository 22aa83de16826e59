import { TapeDamage } from '../../src/base/errors.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { TAPE_BLOCK_RECORDS, type Tape, type TapeArchive } from '../../src/engine/state/tape.ts'
import { SWAP_U32_LANES } from '../../src/events/swap-record.ts'

const POISON = 0xffffffff

/**
 * Blocks kept in memory and handed out in one buffer that is overwritten at every call: who holds
 * on to a block for too long reads something else.
 */
export class MemoryArchive implements TapeArchive {
  /** Calls of `block`. */
  reads = 0
  readonly #blocks: Uint32Array[] = []
  readonly #u32: Uint32Array
  readonly #f64: Float64Array

  constructor(lanes = SWAP_U32_LANES) {
    this.#u32 = new Uint32Array(TAPE_BLOCK_RECORDS * lanes)
    this.#f64 = new Float64Array(this.#u32.buffer)
  }

  block(block: number): ReturnType<TapeArchive['block']> {
    this.reads += 1
    this.#u32.fill(POISON)
    const kept = this.#blocks[block]
    if (kept === undefined) throw new TapeDamage(`There is no block ${block}.`)
    this.#u32.set(kept)
    return { u32: this.#u32, f64: this.#f64 }
  }

  /** Takes the records of every chunk that nothing can take back, and lets them leave memory. */
  takeFrom({ state: { tape }, settledSwaps }: Engine): void {
    this.take(tape, settledSwaps)
  }

  /** Takes whole chunks of the records before `settled`, and lets them leave memory. */
  take(tape: Tape, settled: number): void {
    tape.archive ??= this
    while (tape.archivedCount + tape.chunkRecords <= settled) {
      const end = tape.archivedCount + tape.chunkRecords
      for (let first = tape.archivedCount; first < end; first += TAPE_BLOCK_RECORDS)
        this.#blocks.push(blockOf(tape, first))
      tape.archivedCount = end
      tape.leaveMemory(end)
    }
  }
}

function blockOf(tape: Tape, first: number): Uint32Array {
  const { lanes } = tape
  const u32 = new Uint32Array(TAPE_BLOCK_RECORDS * lanes)
  for (let i = 0; i < TAPE_BLOCK_RECORDS; i += 1) {
    const at = tape.at(first + i)
    u32.set(tape.u32Of(first + i).subarray(at, at + lanes), i * lanes)
  }
  return u32
}
