import { LRUCache } from 'lru-cache'
import type { FeedEvent, Reserves, Swap } from '../../events/event.ts'

/** Curves and pools that are followed, the busiest of a day; past it the quietest are forgotten. */
const FOLLOWED_MAX = 20_000

/**
 * Holds the tokens that a curve or pool has before each swap against those it had after the one
 * before, or after what moved them without a swap. A difference means that a swap is missing, or something
 * that is no swap and that nobody gave (a withdrawal through another program, a burn). Nothing has to be
 * mended: each swap brings its own reserves.
 */
export class ReserveCheck {
  /** A mint has one curve and one pool that counts. */
  readonly #baseRaw = new LRUCache<string, bigint>({ max: FOLLOWED_MAX })
  /** Swaps of curves whose reserves do not follow from the swap before: one is missing. */
  curveDrifts = 0
  /** The same for pools. */
  poolDrifts = 0

  /** Looks at events in the order of the chain. */
  check(events: readonly FeedEvent[]): void {
    for (const event of events) {
      if (event.type === 'swap' && event.slot !== null) this.#swap(event)
      if (event.type === 'reserves' && event.slot !== null)
        this.#baseRaw.set(keyOf(event), event.realBaseRaw)
    }
  }

  #swap(swap: Swap): void {
    const { source, direction, baseRaw, realBaseRaw } = swap
    const before = this.#baseRaw.get(keyOf(swap))
    this.#baseRaw.set(keyOf(swap), realBaseRaw)
    if (before === undefined || isBehindCurve(swap, before)) return
    const expected = direction === 'buy' ? before - baseRaw : before + baseRaw
    if (expected === realBaseRaw) return
    if (source === 'pump') this.curveDrifts++
    else this.poolDrifts++
  }
}

/** What is bought behind the completion comes out of the pool to come: the curve has had nothing left. */
function isBehindCurve({ source, direction, realBaseRaw }: Swap, before: bigint): boolean {
  return source === 'pump' && direction === 'buy' && before === 0n && realBaseRaw === 0n
}

function keyOf({ source, mint }: Swap | Reserves): string {
  return `${source} ${mint}`
}
