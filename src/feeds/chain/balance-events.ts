import { isAddress } from '../../base/base58.ts'
import type { Balance, ChainPosition, FeedEvent } from '../../events/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { isCoinMint } from './layouts/programs.ts'
import type { SettledSwaps } from './settled-swaps.ts'
import type { ChainTransaction, TokenBalanceChange } from './transactions/transaction.ts'

/** Owners told of one transaction, which holds at most that many accounts; what is more is left out and counted. */
const OWNERS_MAX = 128

/**
 * What owners hold after a transaction, where its swaps do not say it: of each mint that its events name,
 * and of each coin that a swap was paid in. Tokens that were handed on stand nowhere else.
 * @param pools curves and pools of the transaction, which never hold
 * @param ordinal of the first of them, behind the events of the transaction
 */
export function balanceEvents(
  { events, middleMints }: SettledSwaps,
  pools: ReadonlySet<string>,
  transaction: ChainTransaction,
  ordinal: number,
  counters: FeedCounters,
): readonly Balance[] {
  const last = events.at(-1)
  if (last === undefined || transaction.balances.length === 0) return []
  const said = saidBy(events)
  const isUntold = ({ owner, mint, beforeRaw, afterRaw }: TokenBalanceChange) =>
    !pools.has(owner) &&
    isAddress(owner) &&
    said.get(keyOf(owner, mint)) !== afterRaw &&
    // A route leaves nothing of a coin that it passes on with anybody.
    (beforeRaw !== afterRaw || !middleMints.has(mint))
  const untold = [...mintsOf(events)].flatMap((mint) =>
    transaction.balances.filter((balance) => balance.mint === mint && isUntold(balance)),
  )
  counters.leftOutBalances += Math.max(untold.length - OWNERS_MAX, 0)
  const { slot, txIndex, signature } = transaction
  const position: Omit<ChainPosition, 'ordinal'> = {
    ...{ slot, txIndex, signature },
    timestamp: last.timestamp,
  }
  return untold.slice(0, OWNERS_MAX).map(({ owner, mint, afterRaw }, k) => ({
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
