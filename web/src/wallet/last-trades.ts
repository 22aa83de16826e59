import type { Swap } from '../../../client/src/mintfeed.ts'
import { swapName } from '../token/marks.ts'

/** Trades shown at most; older ones leave. */
export const TRADES_MAX = 200

/**
 * Trades with others that came, each once; all newest first. Those of one transaction stay as they
 * came: nothing in them tells their order.
 */
export function withTrades(shown: readonly Swap[], came: readonly Swap[]): readonly Swap[] {
  const byName = new Map([...came, ...shown].map((swap) => [swapName(swap), swap]))
  return [...byName.values()].sort(newestFirst).slice(0, TRADES_MAX)
}

function newestFirst(a: Swap, b: Swap): number {
  const order = b.slot - a.slot || b.tx_index - a.tx_index
  if (order !== 0 || a.timestamp === b.timestamp) return order
  return a.timestamp < b.timestamp ? 1 : -1
}
