import { isAddress } from '../../base/base58.ts'
import {
  type Balance,
  type ChainPosition,
  type FeedEvent,
  ROUTE_HOPS_MAX,
  type Swap,
} from '../../events/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { isCoinMint } from './layouts/programs.ts'
import {
  balanceOf,
  type ChainTransaction,
  type TokenBalanceChange,
} from './transactions/transaction.ts'

const NO_HOPS: ReadonlyMap<Swap, Hop> = new Map()

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
): {
  readonly events: readonly FeedEvent[]
  /** Coins that routes of the transaction passed on. */
  readonly middleMints: ReadonlySet<string>
} {
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

/**
 * Who traded: `user` of the event if he signed the transaction or his balance of the mint moved, as a
 * router's account does neither; else the one owner whose balance moved by exactly the amount; else who
 * paid the fee. With logs alone `user`.
 * @param swaps all of the transaction, with `user` as signer
 * @param pools curves and pools of the transaction: what they give and get is the other side of the trade
 */
function signerOf(
  swap: Swap,
  swaps: readonly Swap[],
  pools: ReadonlySet<string>,
  transaction: ChainTransaction,
): {
  readonly signer: string
  /** How it was found who traded. */
  readonly way: Extract<keyof FeedCounters, `signers${string}`>
} {
  const { signer: user, mint } = swap
  const { signers, balances } = transaction
  if (signers.length === 0 && balances.length === 0) return { signer: user, way: 'signersUntold' }
  if (signers.includes(user)) return { signer: user, way: 'signersSigned' }
  const own = balanceOf(transaction, user, mint)
  if (own !== null && own.beforeRaw !== own.afterRaw) return { signer: user, way: 'signersMoved' }
  const amounts = amountsOf(swap, swaps)
  const movers = balances.filter(
    (balance) =>
      balance.mint === mint &&
      !pools.has(balance.owner) &&
      isAddress(balance.owner) &&
      amounts.includes(balance.afterRaw - balance.beforeRaw),
  )
  const [mover, other] = movers
  if (mover !== undefined && other === undefined)
    return { signer: mover.owner, way: 'signersByAmount' }
  const [payer] = signers
  return payer === undefined
    ? { signer: user, way: 'signersUntold' }
    : { signer: payer, way: 'signersPaid' }
}

/** What a balance moves by: this trade, or all of the same user in this mint (a purchase that completes a curve goes on). */
function amountsOf({ signer, mint, direction, baseRaw }: Swap, swaps: readonly Swap[]): bigint[] {
  const alike = swaps.filter((other) => other.signer === signer && other.mint === mint)
  const sumRaw = alike.reduce(
    (sum, other) => (other.direction === 'buy' ? sum + other.baseRaw : sum - other.baseRaw),
    0n,
  )
  const ownRaw = direction === 'buy' ? baseRaw : -baseRaw
  // A sum of nothing is the balance of everybody who stands in the transaction.
  return sumRaw === 0n || sumRaw < 0n !== ownRaw < 0n ? [ownRaw] : [ownRaw, sumRaw]
}

/** A trade that is one of several on the way from one coin to another. */
interface Hop {
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
function routesOf(swaps: readonly Swap[], transaction: ChainTransaction): ReadonlyMap<Swap, Hop> {
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
  const [first] = way
  const last = way.at(-1)
  if (first === undefined || last === undefined || first === last) return
  const end = first.direction === 'buy' ? last : first
  for (const [index, swap] of way.entries())
    hops.set(swap, { route: index + 1, isMiddle: swap !== end, end })
}

function isNextHop(one: Swap, next: Swap, transaction: ChainTransaction): boolean {
  if (one.direction !== next.direction || one.mint === next.mint) return false
  const middle = one.direction === 'buy' ? one : next
  const far = one.direction === 'buy' ? next : one
  return far.quoteMint === middle.mint && isPassedOn(middle, transaction)
}

/** Not so where the trader holds, or held, most of it: those are two trades of their own. */
function isPassedOn({ signer, mint, baseRaw }: Swap, transaction: ChainTransaction): boolean {
  const balance = balanceOf(transaction, signer, mint)
  if (balance === null) return true
  const movedRaw = balance.afterRaw - balance.beforeRaw
  return (movedRaw < 0n ? -movedRaw : movedRaw) * 2n <= baseRaw
}

/** Balance events of one transaction, which holds at most that many accounts; what is more is left out and counted. */
const OWNERS_MAX = 128

/**
 * What owners hold after a transaction, where its swaps do not say it: of each mint that its events name,
 * and of each coin that a swap was paid in. Tokens that were handed on stand nowhere else.
 * @param pools curves and pools of the transaction, which never hold
 * @param ordinal of the first of them, behind the events of the transaction
 */
export function balanceEvents(
  { events, middleMints }: ReturnType<typeof settledSwaps>,
  pools: ReadonlySet<string>,
  transaction: ChainTransaction,
  ordinal: number,
  counters: FeedCounters,
): readonly Balance[] {
  const last = events.at(-1)
  if (last === undefined || transaction.balances.length === 0) return []
  const said = saidBy(events)
  const isUnsaid = ({ owner, mint, beforeRaw, afterRaw }: TokenBalanceChange) =>
    !pools.has(owner) &&
    isAddress(owner) &&
    said.get(keyOf(owner, mint)) !== afterRaw &&
    // A route leaves nothing of a coin that it passes on with anybody.
    (beforeRaw !== afterRaw || !middleMints.has(mint))
  const unsaid = [...mintsOf(events)].flatMap((mint) =>
    transaction.balances.filter((balance) => balance.mint === mint && isUnsaid(balance)),
  )
  counters.leftOutBalances += Math.max(unsaid.length - OWNERS_MAX, 0)
  const { slot, txIndex, signature } = transaction
  const position: Omit<ChainPosition, 'ordinal'> = {
    ...{ slot, txIndex, signature },
    timestamp: last.timestamp,
  }
  return unsaid.slice(0, OWNERS_MAX).map(({ owner, mint, afterRaw }, k) => ({
    type: 'balance',
    ...position,
    ordinal: ordinal + k,
    mint,
    wallet: owner,
    balanceRaw: afterRaw,
  }))
}

/** Mints in ascending order. */
function mintsOf(events: readonly FeedEvent[]): readonly string[] {
  const mints = new Set<string>()
  for (const event of events) {
    if ('mint' in event) mints.add(event.mint)
    if (event.type === 'swap' && event.quoteMint !== undefined && isCoinMint(event.quoteMint))
      mints.add(event.quoteMint)
  }
  return [...mints].sort()
}

/** Balances after the transaction that its swaps carry. */
function saidBy(events: readonly FeedEvent[]): ReadonlyMap<string, bigint> {
  const said = new Map<string, bigint>()
  for (const event of events)
    if (event.type === 'swap' && event.baseBalanceAfterRaw !== undefined)
      said.set(keyOf(event.signer, event.mint), event.baseBalanceAfterRaw)
  return said
}

function keyOf(owner: string, mint: string): string {
  return `${owner} ${mint}`
}
