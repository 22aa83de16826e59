import type { Gate } from './table-columns.ts'

/** Tokens looked at together: few at first, since most filters let the newest pass. */
const FIRST_BATCH = 64
const LAST_BATCH = 1_024
/** A column that more than so many tokens are compared in is settled, once for all of them. */
const REFRESHED_MAX = 1_024

/** Tokens in the order of a table, read from the end. */
type Blocks = readonly (readonly number[])[]

/** A condition in a scan. */
interface Sieve {
  readonly gate: Gate
  isSettled: boolean
  /** Tokens that came to it, and those that it let pass. */
  came: number
  passed: number
}

/**
 * Runs tokens through the conditions of a filter, batch by batch: each condition is a loop over
 * what the ones before have left, where its column lies. Those that let the fewest pass come first.
 */
export class TableScan {
  readonly #batch = new Uint32Array(LAST_BATCH)

  /** Are so many found, or is there no more, before a column has to be settled? */
  endsSoon(blocks: Blocks, gates: readonly Gate[], limit: number): boolean {
    let count = 0
    const found = () => {
      count += 1
      return count < limit
    }
    return this.#run(blocks, gates, found, REFRESHED_MAX)
  }

  /** Calls `found` with each token that passes, from the end of the blocks on, until it says false. */
  run(blocks: Blocks, gates: readonly Gate[], found: (token: number) => boolean): void {
    this.#run(blocks, gates, found, Number.POSITIVE_INFINITY)
  }

  /** Looks at `most` tokens at most; false: there are more. */
  #run(
    blocks: Blocks,
    gates: readonly Gate[],
    found: (token: number) => boolean,
    most: number,
  ): boolean {
    const sieves = gates.map((gate) => ({ gate, isSettled: false, came: 0, passed: 0 }))
    const batch = this.#batch
    let looked = 0
    let size = FIRST_BATCH
    let count = 0
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = blocks[i]
      for (let place = block.length - 1; place >= 0; ) {
        const last = Math.max(0, place + 1 - (size - count))
        while (place >= last) batch[count++] = block[place--]
        // The next block goes on.
        if (count < size) break
        if (!tellFound(batch, sifted(sieves, batch, count), found)) return true
        looked += count
        count = 0
        size = Math.min(size * 2, LAST_BATCH)
        if (looked + size > most) return false
      }
    }
    tellFound(batch, sifted(sieves, batch, count), found)
    return true
  }
}

/** False once enough were found. */
function tellFound(batch: Uint32Array, count: number, found: (token: number) => boolean): boolean {
  for (let i = 0; i < count; i++) if (!found(batch[i])) return false
  return true
}

/** Keeps those of a batch that pass, in their order; returns how many. */
function sifted(sieves: Sieve[], batch: Uint32Array, count: number): number {
  let left = count
  for (let i = 0; i < sieves.length && left > 0; i++) {
    const sieve = sieves[i]
    left = narrowed(sieve, batch, left)
    if (i === 0 || !letsFewerPass(sieve, sieves[i - 1])) continue
    sieves[i] = sieves[i - 1]
    sieves[i - 1] = sieve
  }
  return left
}

function narrowed(sieve: Sieve, batch: Uint32Array, count: number): number {
  const { column, min, max } = sieve.gate
  if (!sieve.isSettled && sieve.came + count > REFRESHED_MAX) {
    column.settle()
    sieve.isSettled = true
  }
  if (!sieve.isSettled) column.refresh(batch, count)
  const left = column.narrow(batch, count, min, max)
  sieve.came += count
  sieve.passed += left
  return left
}

function letsFewerPass(sieve: Sieve, other: Sieve): boolean {
  return sieve.passed * other.came < other.passed * sieve.came
}
