import { LRUCache } from 'lru-cache'
import type { FeedEvent, Swap } from '../../engine/event.ts'

/** Curves and pools that are followed, the busiest of a day; past it the quietest are forgotten. */
const FOLLOWED_MAX = 20_000

/**
 * Holds the tokens that a curve or pool has before each swap against those it had after the one
 * before. A difference means that something moved them that is no swap (a deposit, a withdrawal, a
 * burn), or that a swap is missing. Nothing has to be mended: each swap brings its own reserves.
 */
export class ReserveCheck {
  readonly #baseRaw = new LRUCache<string, bigint>({ max: FOLLOWED_MAX })
  /** Swaps of curves whose reserves do not follow from the swap before: one is missing. */
  curveDrifts = 0
  /** The same for pools, which also deposits, withdrawals and burns move. */
  poolDrifts = 0

  /** Looks at events in the order of the chain. */
  check(events: readonly FeedEvent[]): void {
    for (const event of events) if (event.type === 'swap' && event.slot !== null) this.#swap(event)
  }

  #swap({ source, pool, direction, baseRaw, realBaseRaw }: Swap): void {
    const before = this.#baseRaw.get(pool)
    this.#baseRaw.set(pool, realBaseRaw)
    if (before === undefined) return
    const expected = direction === 'buy' ? before - baseRaw : before + baseRaw
    if (expected === realBaseRaw) return
    if (source === 'pump') this.curveDrifts++
    else this.poolDrifts++
  }
}
