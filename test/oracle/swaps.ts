/** A swap on the wire, the pages of them, and the two live messages. */
import type { Swap } from '../../src/events/event.ts'
import type { Page } from '../../src/protocol/queries.ts'
import { isExcluded, isSniper } from './classes.ts'
import { type Coins, quoteDecimals } from './coins.ts'
import { addSaturating, dateText, whole, wire } from './exact.ts'
import { compareKeys } from './order.ts'
import { decimalsOf, type FoldedSwap, type Token } from './world.ts'

function swapRow(coins: Coins, token: Token, folded: FoldedSwap): object {
  const { swap, value } = folded
  const decimals = decimalsOf(token)
  const inQuote = quoteDecimals(coins, token.quote)
  const flagged = !isExcluded(token, swap.signer)
  return {
    slot: swap.slot ?? 0,
    tx_index: folded.txIndex,
    signature: swap.signature,
    timestamp: dateText(swap.timestamp),
    source: swap.source,
    direction: swap.direction,
    signer: swap.signer,
    mint: swap.mint,
    pool: swap.pool,
    base_mint_amount: whole(swap.baseRaw, decimals),
    quote_mint_amount: whole(swap.quoteRaw, inQuote),
    base_mint_price_usd: wire(value.priceUsd),
    sol_price_usd: folded.solPriceUsd,
    volume_usd: folded.worth.microUsd / 1e6,
    m_cap_usd: wire(value.marketCapUsd),
    bonding_curve_progress: isBehindMigration(token, folded) ? 100 : folded.progressPct,
    liquidity_usd: wire(value.liquidityUsd),
    chain_fee: whole(swap.chainFeeRaw ?? 0n, 9),
    platform_fee: whole(platformFeeRaw(swap), inQuote),
    creator_fee: whole(swap.creatorFeeRaw, inQuote),
    base_balance_before: whole(folded.balanceBeforeRaw, decimals),
    base_balance_after: whole(folded.balanceAfterRaw, decimals),
    fresh_wallet: flagged && folded.fresh,
    sniper_wallet: folded.afterCreation && sniperAt(token, folded),
    pro_trader: flagged && folded.pro,
  }
}

/** Also of a migration that was told long after the swap. One without a slot has that of the event before it. */
function isBehindMigration({ migrated }: Token, { swap, key }: FoldedSwap): boolean {
  if (migrated === null) return false
  return swap.slot === null ? key.slot > migrated.key.slot : compareKeys(key, migrated.key) > 0
}

/** A curve has no liquidity providers: what a feed tells as their fee is the platform's. */
function platformFeeRaw({ source, platformFeeRaw, lpFeeRaw = 0n }: Swap): bigint {
  return source === 'pump' ? addSaturating(platformFeeRaw, lpFeeRaw) : platformFeeRaw
}

/** What is shown of a swap on request: `lp_fee` and `cashback`, in its quote. */
export function additiveFees(coins: Coins, token: Token, { swap }: FoldedSwap): object {
  const inQuote = quoteDecimals(coins, token.quote)
  const lpFeeRaw = swap.source === 'pump' ? 0n : (swap.lpFeeRaw ?? 0n)
  return {
    lp_fee: whole(lpFeeRaw, inQuote),
    cashback: whole(swap.cashbackRaw ?? 0n, inQuote),
  }
}

/** Were its dollars those of a known price, in the quote that is known now? */
export function wasPriced({ quote }: Token, { solPriceUsd, lamportsPerUnit }: FoldedSwap): boolean {
  if (quote.kind === 'usdc') return true
  return solPriceUsd > 0 && (quote.kind === 'sol' || lamportsPerUnit > 0)
}

/** The wallet's class as its swaps up to this one show it. */
function sniperAt(token: Token, folded: FoldedSwap): boolean {
  const { signer } = folded.swap
  const upTo = token.swaps.slice(0, token.swaps.indexOf(folded) + 1)
  const own = upTo.filter(({ swap, isMiddle }) => swap.signer === signer && !isMiddle)
  return isSniper(token, signer, own)
}

/** Newest first. */
export function swapPage(
  coins: Coins,
  token: Token | undefined,
  wallet: string | null,
  page: Page,
  /** What is shown beside the fields of the specification. */
  extras: (folded: FoldedSwap) => object = () => ({}),
): object {
  const matching = (token?.swaps ?? []).filter(
    ({ swap }) => wallet === null || swap.signer === wallet,
  )
  const newestFirst = matching.toReversed()
  return pageOf(newestFirst, page, (folded) => ({
    ...(token && swapRow(coins, token, folded)),
    ...extras(folded),
  }))
}

export function pageOf<T>(all: readonly T[], { page, limit }: Page, row: (item: T) => object) {
  const items = all.slice((page - 1) * limit, page * limit).map(row)
  return { total: all.length, page, limit, items }
}

export function swapOf(token: Token | undefined, signature: string, ordinal: number) {
  return token?.swaps.find(({ swap }) => swap.signature === signature && swap.ordinal === ordinal)
}

/** The whole envelope of `update_mint_info`; null when that swap was not taken. */
export function tradeMessage(
  coins: Coins,
  token: Token | undefined,
  signature: string,
  ordinal: number,
): object | null {
  const folded = swapOf(token, signature, ordinal)
  if (!token || !folded) return null
  const data = swapRow(coins, token, folded)
  return { channel: 'update_mint_info', pool: folded.swap.pool, data }
}

/** The whole envelope of `mint_migration`; null without a `migrated` event. */
export function migrationMessage(token: Token | undefined): object | null {
  const event = token?.migrated?.event
  if (!event) return null
  const data = {
    signature: event.signature,
    timestamp: dateText(event.timestamp),
    bonding_curve: event.bondingCurve,
    mint: event.mint,
    pool_amm: event.poolAmm,
  }
  return { channel: 'mint_migration', data }
}
