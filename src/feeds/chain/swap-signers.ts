import { isAddress } from '../../base/address-text.ts'
import type { Swap } from '../../events/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { balanceOf, type ChainTransaction } from './transactions/transaction.ts'

/** How it was found who traded. */
type Way = Extract<keyof FeedCounters, `signers${string}`>

export interface SwapSigner {
  readonly signer: string
  readonly way: Way
}

/**
 * Who traded: `user` of the event if he signed the transaction or his balance of the mint moved, as a
 * router's account does neither; else the one owner whose balance moved by exactly the amount; else who
 * paid the fee. With logs alone `user`.
 * @param swaps all of the transaction, with `user` as signer
 * @param pools curves and pools of the transaction: what they give and get is the other side of the trade
 */
export function signerOf(
  swap: Swap,
  swaps: readonly Swap[],
  pools: ReadonlySet<string>,
  transaction: ChainTransaction,
): SwapSigner {
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
  if (movers.length === 1) return { signer: movers[0].owner, way: 'signersByAmount' }
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
