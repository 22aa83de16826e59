import type { Page, Swap, TraderRecord } from '../../../client/src/mintfeed.ts'
import { parseTime } from '../text/time-form.ts'
import { swapName } from '../token/marks.ts'

/** Trades shown at most; older ones leave. */
export const TRADES_MAX = 200

/**
 * The newest of these, each once, newest first. Those of one transaction stay in their order: nothing in
 * them tells another.
 */
export function lastTrades(swaps: readonly Swap[]): readonly Swap[] {
  const byName = new Map(swaps.map((swap) => [swapName(swap), swap]))
  return [...byName.values()].sort(newestFirst).slice(0, TRADES_MAX)
}

/**
 * Of the trades that were read, token by token, those between which none is missing: behind the newest of a
 * token that was not read, or not to its beginning, the others would stand as if nothing lay between them.
 *
 * @param records of the wallet's tokens, the one traded last first
 * @param pages their newest trades, of as many tokens as were read; null: there was no answer
 */
export function tradesWithoutGaps(
  records: readonly Pick<TraderRecord, 'last_active_ts'>[],
  pages: readonly (Pick<Page<Swap>, 'total' | 'items'> | null)[],
): readonly Swap[] {
  const knownFrom = records.map(({ last_active_ts: newest }, at) => {
    const page = pages[at] ?? null
    if (page === null) return newest
    return page.total > page.items.length ? secondOf(page.items.at(-1)) : 0
  })
  // Of its second some may be missing: all trades of a wallet may lie in one.
  const from = Math.max(0, ...knownFrom)
  return pages.flatMap((page) => page?.items ?? []).filter((swap) => secondOf(swap) >= from)
}

function secondOf(swap: Swap | undefined): number {
  return parseTime(swap?.timestamp) ?? 0
}

function newestFirst(a: Swap, b: Swap): number {
  const order = b.slot - a.slot || b.tx_index - a.tx_index
  if (order !== 0 || a.timestamp === b.timestamp) return order
  return a.timestamp < b.timestamp ? 1 : -1
}
