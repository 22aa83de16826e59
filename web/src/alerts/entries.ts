/** Tokens that are remembered as told; the oldest go first. */
const TOLD_MAX = 2_000

/**
 * Which tokens enter a list. Those of its first state were there before; one that leaves and comes back, as they do
 * at the end of a list, is told once.
 */
export class Entries {
  #seen: Set<string> | null = null

  /** Takes the list as it is now; the answer has the tokens that entered it. */
  of<T extends { readonly mint: string }>(rows: readonly T[]): readonly T[] {
    const seen = this.#seen
    if (seen === null) {
      this.#seen = new Set(rows.map(({ mint }) => mint))
      return []
    }
    const entered = rows.filter(({ mint }) => !seen.has(mint))
    // Those that are there now are the newest that were seen, so that they are forgotten last.
    for (const { mint } of rows) {
      seen.delete(mint)
      seen.add(mint)
    }
    for (const mint of seen) {
      if (seen.size <= TOLD_MAX) break
      seen.delete(mint)
    }
    return entered
  }
}
