import { LRUCache } from 'lru-cache'
import type { FeedEvent, Swap } from '../../engine/event.ts'

/** Trades remembered of each side, an hour of a chain that is not busy; past it the oldest go. */
const REMEMBERED_MAX = 100_000
/** Amounts of the reserve were doubles: so far apart they may be the same. */
const ROUNDING_RAW = 16n

/** Amounts of the trades of one mint in one direction of a transaction. */
type Amounts = LRUCache<string, bigint[]>

/**
 * Knows a trade again that a source without slots told, when the chain tells it as well, and the other
 * way around. The engine cannot: their ordinals differ. What was told first counts.
 */
export class ReserveTrades {
  readonly #ofReserve: Amounts = new LRUCache({ max: REMEMBERED_MAX })
  readonly #ofChain: Amounts = new LRUCache({ max: REMEMBERED_MAX })
  /** Trades left out because the other side had told them. */
  leftOut = 0

  /** The events that the other side has not told. */
  untold(events: readonly FeedEvent[], isReserve: boolean): readonly FeedEvent[] {
    const [own, other] = isReserve
      ? [this.#ofReserve, this.#ofChain]
      : [this.#ofChain, this.#ofReserve]
    return events.filter((event) => event.type !== 'swap' || this.#isNew(event, own, other))
  }

  #isNew({ signature, mint, direction, baseRaw }: Swap, own: Amounts, other: Amounts): boolean {
    const key = `${signature} ${mint} ${direction}`
    const told = other.get(key) ?? []
    const index = told.findIndex((amount) => isSame(amount, baseRaw))
    if (index >= 0) {
      // A transaction may hold another one that is like it.
      told.splice(index, 1)
      this.leftOut++
      return false
    }
    own.set(key, [...(own.get(key) ?? []), baseRaw])
    return true
  }
}

function isSame(a: bigint, b: bigint): boolean {
  return (a > b ? a - b : b - a) <= ROUNDING_RAW
}
