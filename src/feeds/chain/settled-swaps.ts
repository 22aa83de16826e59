import type { FeedEvent, Swap } from '../../events/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { type Hop, routesOf } from './routes.ts'
import { signerOf } from './swap-signers.ts'
import { balanceOf, type ChainTransaction } from './transactions/transaction.ts'

export interface SettledSwaps {
  readonly events: readonly FeedEvent[]
  /** Coins that routes of the transaction passed on. */
  readonly middleMints: ReadonlySet<string>
}

/**
 * Says of the swaps of a transaction what no event alone knows: who traded, what he holds before and after,
 * and which of them are hops of one route. Swaps come in with `user` as signer and, of the AMM, with the
 * balances of the event.
 * @param pools curves and pools of the transaction
 */
export function settledSwaps(
  events: readonly FeedEvent[],
  pools: ReadonlySet<string>,
  transaction: ChainTransaction,
  counters: FeedCounters,
): SettledSwaps {
  const swaps = events.filter((event): event is Swap => event.type === 'swap')
  const hops = swaps.length > 1 ? routesOf(swaps, transaction) : NO_HOPS
  const middleMints = new Set<string>()
  const settled = (swap: Swap): Swap => {
    const hop = hops.get(swap)
    if (hop?.isMiddle === true) middleMints.add(swap.mint)
    // Nobody's balance of a middle coin moves: whoever traded its end traded it.
    const { signer, way } = signerOf(hop?.end ?? swap, swaps, pools, transaction)
    counters[way]++
    return settledSwap(swap, signer, hop, transaction)
  }
  return {
    events: events.map((event) => (event.type === 'swap' ? settled(event) : event)),
    middleMints,
  }
}

const NO_HOPS: ReadonlyMap<Swap, Hop> = new Map()

function settledSwap(
  swap: Swap,
  signer: string,
  hop: Hop | undefined,
  transaction: ChainTransaction,
): Swap {
  const { baseBalanceBeforeRaw, baseBalanceAfterRaw, ...rest } = swap
  const settled = { ...rest, signer, ...(hop !== undefined && { route: hop.route }) }
  if (hop?.isMiddle === true) return settled
  const balance = balanceOf(transaction, signer, swap.mint)
  if (balance !== null)
    return {
      ...settled,
      baseBalanceBeforeRaw: balance.beforeRaw,
      baseBalanceAfterRaw: balance.afterRaw,
    }
  // What the event has is of another's account.
  if (signer !== swap.signer || baseBalanceBeforeRaw === undefined) return settled
  return {
    ...settled,
    baseBalanceBeforeRaw,
    ...(baseBalanceAfterRaw !== undefined && { baseBalanceAfterRaw }),
  }
}
