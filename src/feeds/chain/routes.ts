import { ROUTE_HOPS_MAX, type Swap } from '../../events/event.ts'
import { balanceOf, type ChainTransaction } from './transactions/transaction.ts'

/** A trade that is one of several on the way from one coin to another. */
export interface Hop {
  /** Its number on the way, from 1 on. */
  readonly route: number
  /** The route passes its coin on: nobody holds it because of this trade. */
  readonly isMiddle: boolean
  /** The trade whose coin the trader really got or gave. */
  readonly end: Swap
}

/**
 * Hops of one trader in one transaction where what one of them trades is what its neighbour is quoted in:
 * purchases SOL → A → B, sales B → A → SOL. `multi_hop_swap` makes them in one instruction, and routers in
 * several. Looks at the swaps in their order, with the `user` of the event as signer.
 */
export function routesOf(
  swaps: readonly Swap[],
  transaction: ChainTransaction,
): ReadonlyMap<Swap, Hop> {
  const hops = new Map<Swap, Hop>()
  for (const ofTrader of Map.groupBy(swaps, ({ signer }) => signer).values()) {
    let way: Swap[] = []
    for (const swap of ofTrader) {
      const last = way.at(-1)
      if (last !== undefined && way.length < ROUTE_HOPS_MAX && isNextHop(last, swap, transaction)) {
        way.push(swap)
        continue
      }
      number(way, hops)
      way = [swap]
    }
    number(way, hops)
  }
  return hops
}

function number(way: readonly Swap[], hops: Map<Swap, Hop>): void {
  if (way.length < 2) return
  const end = way[0].direction === 'buy' ? way[way.length - 1] : way[0]
  for (const [index, swap] of way.entries())
    hops.set(swap, { route: index + 1, isMiddle: swap !== end, end })
}

function isNextHop(one: Swap, next: Swap, transaction: ChainTransaction): boolean {
  if (one.direction !== next.direction || one.mint === next.mint) return false
  const middle = one.direction === 'buy' ? one : next
  const far = one.direction === 'buy' ? next : one
  return far.quoteMint === middle.mint && isPassedOn(middle, transaction)
}

/** Not so where the trader kept, or had, most of it: those are two trades of their own. */
function isPassedOn({ signer, mint, baseRaw }: Swap, transaction: ChainTransaction): boolean {
  const balance = balanceOf(transaction, signer, mint)
  if (balance === null) return true
  const movedRaw = balance.afterRaw - balance.beforeRaw
  return (movedRaw < 0n ? -movedRaw : movedRaw) * 2n <= baseRaw
}
