import type { Swap } from '../../../client/src/mintfeed.ts'
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

function newestFirst(a: Swap, b: Swap): number {
  const order = b.slot - a.slot || b.tx_index - a.tx_index
  if (order !== 0 || a.timestamp === b.timestamp) return order
  return a.timestamp < b.timestamp ? 1 : -1
}
