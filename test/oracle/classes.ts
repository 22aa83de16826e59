/** Who is a holder, and which class a wallet is of in a mint (contract section 2). */
import type { Position } from './positions.ts'
import { isPro } from './traders.ts'
import { type FoldedSwap, poolAmmOf, type Token, type World } from './world.ts'

const NEVER_HOLDERS = [
  'BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s',
  '1nc1nerator11111111111111111111111111111111',
  '11111111111111111111111111111111',
]
const SNIPER_SLOTS = 3
const SNIPER_SECONDS = 2
const BUNDLE_SLOTS = 1
const BUNDLE_LAMPORTS = 50_000_000

export function isExcluded(token: Token, wallet: string): boolean {
  return (
    NEVER_HOLDERS.includes(wallet) ||
    (token.bondingCurve !== '' && wallet === token.bondingCurve) ||
    (poolAmmOf(token) !== '' && wallet === poolAmmOf(token))
  )
}

/** "" while nobody named it. */
export const creatorOf = (token: Token): string => token.state.creator

/** Neither the creator nor one of the addresses that are never flagged. */
function mayBeFlagged(token: Token, wallet: string): boolean {
  return wallet !== creatorOf(token) && !isExcluded(token, wallet)
}

/** Judged by the first of these swaps that bought. */
export function isSniper(token: Token, wallet: string, swaps: readonly FoldedSwap[]): boolean {
  const created = token.created?.event
  const first = swaps.find(({ swap }) => swap.direction === 'buy')?.swap
  if (!created || !first || !mayBeFlagged(token, wallet)) return false
  return first.slot === null || created.slot === null
    ? first.timestamp - created.timestamp <= SNIPER_SECONDS
    : first.slot - created.slot <= SNIPER_SLOTS
}

/**
 * The feed said so; or, where the creation is known, it had tokens before its first swap. Before the
 * creation nobody knows what a balance says.
 */
export function isInsider(token: Token, position: Position): boolean {
  const { wallet, swaps, wasHanded } = position
  if (!mayBeFlagged(token, wallet)) return false
  if (swaps.some(({ swap }) => swap.insider === true)) return true
  if (token.created === null) return false
  const first = swaps[0]
  return wasHanded || (first !== undefined && hadSome(first))
}

const hadSome = ({ swap, balanceBeforeRaw }: FoldedSwap): boolean =>
  balanceBeforeRaw > 0n || swap.direction === 'sell'

export function isFresh(token: Token, position: Position): boolean {
  return position.fresh && !isExcluded(token, position.wallet)
}

export function isProNow(world: World, token: Token, wallet: string): boolean {
  const trader = world.traders.get(wallet)
  return trader !== undefined && !isExcluded(token, wallet) && isPro(trader, world.proRule)
}

/** The wallets flagged as bundlers of this mint. */
export function bundlersOf(token: Token): Set<string> {
  const buys = token.swaps.filter(
    ({ swap, isMiddle }) =>
      swap.direction === 'buy' && !isMiddle && !isExcluded(token, swap.signer),
  )
  const groups = [...slotGroups(token, buys), ...transactionGroups(token)]
  const bundlers = groups.filter((group) => group.size >= 2).flatMap((group) => [...group])
  return new Set(bundlers.filter((wallet) => wallet !== creatorOf(token)))
}

/** For each slot up to the one after the creation: who bought for enough. */
function slotGroups(token: Token, buys: readonly FoldedSwap[]): Set<string>[] {
  const createdSlot = token.created?.event.slot ?? null
  if (createdSlot === null) return []
  const slots = new Map<number, Map<string, number>>()
  for (const { swap, lamports } of buys) {
    if (swap.slot === null || swap.slot > createdSlot + BUNDLE_SLOTS) continue
    const sums = slots.get(swap.slot) ?? new Map<string, number>()
    slots.set(swap.slot, sums.set(swap.signer, (sums.get(swap.signer) ?? 0) + lamports))
  }
  return [...slots.values()].map((sums) => {
    const enough = [...sums].filter(([, lamports]) => lamports >= BUNDLE_LAMPORTS)
    return new Set(enough.map(([wallet]) => wallet))
  })
}

/** For each transaction (a run of one signature in the mint's swaps): who bought in it. */
function transactionGroups(token: Token): Set<string>[] {
  const groups: Set<string>[] = []
  token.swaps.forEach(({ swap, isMiddle }, place) => {
    if (place === 0 || token.swaps[place - 1].swap.signature !== swap.signature)
      groups.push(new Set())
    const isBuyer = swap.direction === 'buy' && !isMiddle && !isExcluded(token, swap.signer)
    if (isBuyer) groups.at(-1)?.add(swap.signer)
  })
  return groups
}
