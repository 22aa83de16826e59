import { LRUCache } from 'lru-cache'
import type { FeedEvent, SwapContent } from '../../events/event.ts'

/** Trades remembered of each side, an hour of a chain that is not busy; past it the oldest go. */
export const REMEMBERED_MAX = 100_000
/** Trades of one transaction alike in mint and direction, of which a real one has a few; past it the oldest go. */
export const ALIKE_MAX = 64
/** Amounts of the reserve were doubles: so far apart they may be the same. */
const ROUNDING_RAW = 16n

/** Amounts of the trades of one mint in one direction of a transaction. */
type Amounts = LRUCache<string, bigint[]>

/**
 * Knows a trade again that a source without slots delivered, when the chain delivers it as well, and the other
 * way around. The engine cannot: their ordinals differ. What was delivered first counts.
 */
export class ReserveTrades {
  readonly #ofReserve: Amounts = new LRUCache({ max: REMEMBERED_MAX })
  readonly #ofChain: Amounts = new LRUCache({ max: REMEMBERED_MAX })
  /** Trades left out because the other side had delivered them. */
  leftOut = 0

  /** `earlierReserveTrades`: what the runs before took of it, which the chain may deliver in this one. */
  constructor(earlierReserveTrades: readonly SwapContent[] = []) {
    for (const trade of earlierReserveTrades) remember(trade, this.#ofReserve)
  }

  /** The events that the other side has not delivered. */
  withoutRepeats(events: readonly FeedEvent[], isReserve: boolean): readonly FeedEvent[] {
    const [own, other] = isReserve
      ? [this.#ofReserve, this.#ofChain]
      : [this.#ofChain, this.#ofReserve]
    return events.filter((event) => event.type !== 'swap' || this.#isNew(event, own, other))
  }

  #isNew(trade: SwapContent, own: Amounts, other: Amounts): boolean {
    const repeats = other.get(keyOf(trade)) ?? []
    const index = repeats.findIndex((amount) => isSame(amount, trade.baseRaw))
    if (index >= 0) {
      // A transaction may hold another one that is like it.
      repeats.splice(index, 1)
      this.leftOut++
      return false
    }
    remember(trade, own)
    return true
  }
}

function keyOf({ signature, mint, direction }: SwapContent): string {
  return `${signature} ${mint} ${direction}`
}

function remember(trade: SwapContent, amounts: Amounts): void {
  const key = keyOf(trade)
  const alike = [...(amounts.get(key) ?? []), trade.baseRaw]
  amounts.set(key, alike.slice(-ALIKE_MAX))
}

function isSame(a: bigint, b: bigint): boolean {
  return (a > b ? a - b : b - a) <= ROUNDING_RAW
}
