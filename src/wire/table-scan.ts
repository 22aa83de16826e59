import type { Gate } from './table-columns.ts'

/** Tokens looked at together: few at first, since most filters let the newest pass. */
const FIRST_BATCH = 64
const LAST_BATCH = 1_024

/**
 * Runs tokens through the conditions of a filter, batch by batch: each condition is a loop over
 * what the ones before have left, where its column lies.
 */
export class TableScan {
  readonly #batch = new Uint32Array(LAST_BATCH)

  /** Calls `found` with each token that passes, from the end of the blocks on, until it says false. */
  run(
    blocks: readonly (readonly number[])[],
    gates: readonly Gate[],
    found: (token: number) => boolean,
  ): void {
    let size = FIRST_BATCH
    for (let i = blocks.length - 1; i >= 0; i--)
      for (let end = blocks[i].length; end > 0; ) {
        const start = Math.max(0, end - size)
        const left = this.#narrowed(blocks[i], start, end, gates)
        for (let at = 0; at < left; at++) if (!found(this.#batch[at])) return
        end = start
        size = Math.min(size * 2, LAST_BATCH)
      }
  }

  /** Puts the tokens that pass into the batch, the last one first; returns how many. */
  #narrowed(tokens: readonly number[], start: number, end: number, gates: readonly Gate[]): number {
    const batch = this.#batch
    let left = 0
    for (let place = end - 1; place >= start; place--) batch[left++] = tokens[place]
    for (const { column, min, max } of gates) {
      if (left === 0) return 0
      column.refresh(batch, left)
      left = column.narrow(batch, left, min, max)
    }
    return left
  }
}
