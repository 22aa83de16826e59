import type { OrderedTokens } from '../../engine/index/token-order.ts'
import type { Predicate } from './table-columns.ts'
import type { TokenRun } from './token-column.ts'

/** Tokens looked at together: few at first, since most filters let the newest pass. */
const FIRST_BATCH = 64
const LAST_BATCH = 1_024
/** A column that more than so many tokens are compared in is settled, once for all of them. */
const REFRESHED_MAX = 1_024

/** Tokens in the order of a table, read from the end. */
type Blocks = OrderedTokens['blocks']

/** A condition in a scan. */
interface PredicateStats {
  readonly predicate: Predicate
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
  /** Tokens of a batch that passed what they came to, the last at its end. */
  readonly #kept = new Uint32Array(LAST_BATCH)

  /** Are so many found, or is there no more, before a column has to be settled? */
  endsSoon(blocks: Blocks, predicates: readonly Predicate[], limit: number): boolean {
    let count = 0
    const found = () => {
      count += 1
      return count < limit
    }
    return this.#run(blocks, predicates, found, REFRESHED_MAX)
  }

  /** Calls `found` with each token that passes, from the end of the blocks on, until it says false. */
  run(blocks: Blocks, predicates: readonly Predicate[], found: (token: number) => boolean): void {
    this.#run(blocks, predicates, found, Number.POSITIVE_INFINITY)
  }

  /** Looks at `most` tokens at most; false: there are more. */
  #run(
    blocks: Blocks,
    predicates: readonly Predicate[],
    found: (token: number) => boolean,
    most: number,
  ): boolean {
    const stats = predicates.map((predicate) => ({
      predicate,
      isSettled: false,
      came: 0,
      passed: 0,
    }))
    const kept = this.#kept
    let looked = 0
    let size = FIRST_BATCH
    let count = 0
    let from = LAST_BATCH
    for (let i = blocks.length - 1; i >= 0; i--) {
      const { tokens, count: end } = blocks[i]
      for (let to = end; to > 0; ) {
        const run = { tokens, from: Math.max(0, to - (size - count)), to }
        // The first condition reads tokens where they stand.
        from = stats.length === 0 ? copied(run, kept, from) : filtered(stats[0], run, kept, from)
        count += to - run.from
        to = run.from
        // The next block goes on.
        if (count < size) break
        if (!giveFound(kept, filteredByOthers(stats, kept, from), found)) return true
        looked += count
        count = 0
        from = LAST_BATCH
        size = Math.min(size * 2, LAST_BATCH)
        if (looked + size > most) return false
      }
    }
    giveFound(kept, filteredByOthers(stats, kept, from), found)
    return true
  }
}

/** False once enough were found. */
function giveFound(kept: Uint32Array, from: number, found: (token: number) => boolean): boolean {
  for (let i = LAST_BATCH - 1; i >= from; i--) if (!found(kept[i])) return false
  return true
}

function copied({ tokens, from, to }: TokenRun, kept: Uint32Array, end: number): number {
  const first = end - (to - from)
  kept.set(tokens.subarray(from, to), first)
  return first
}

/** Keeps those that pass the other conditions too; returns where they begin. */
function filteredByOthers(stats: PredicateStats[], kept: Uint32Array, first: number): number {
  let from = first
  for (let i = 1; i < stats.length && from < LAST_BATCH; i++) {
    const stat = stats[i]
    from = filtered(stat, { tokens: kept, from, to: LAST_BATCH }, kept, LAST_BATCH)
    if (!letsFewerPass(stat, stats[i - 1])) continue
    stats[i] = stats[i - 1]
    stats[i - 1] = stat
  }
  return from
}

/** `Column.filter` of values that are up to date. */
function filtered(stat: PredicateStats, run: TokenRun, kept: Uint32Array, end: number): number {
  const { predicate } = stat
  const { column } = predicate
  const count = run.to - run.from
  if (!stat.isSettled && (stat.came + count > REFRESHED_MAX || column.unsettled <= count)) {
    column.settle()
    stat.isSettled = true
  }
  if (!stat.isSettled) column.refresh(run)
  const from = column.filter(run, kept, end, predicate)
  stat.came += count
  stat.passed += end - from
  return from
}

function letsFewerPass(stat: PredicateStats, other: PredicateStats): boolean {
  return stat.passed * other.came < other.passed * stat.came
}
