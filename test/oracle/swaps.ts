/** A swap on the wire, the pages of them, and the two live messages. */
import type { Page } from '../../src/wire/answers.ts'
import { isExcluded, isSniper } from './classes.ts'
import { dateText, whole, wire } from './exact.ts'
import { quoteDecimals } from './quote.ts'
import { decimalsOf, type FoldedSwap, type Token } from './world.ts'

function swapRow(token: Token, folded: FoldedSwap): object {
  const { swap, value } = folded
  const decimals = decimalsOf(token)
  const inQuote = quoteDecimals(token.quote)
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
    bonding_curve_progress: folded.progressPct,
    liquidity_usd: wire(value.liquidityUsd),
    chain_fee: whole(swap.chainFeeRaw ?? 0n, 9),
    platform_fee: whole(swap.platformFeeRaw, inQuote),
    creator_fee: whole(swap.creatorFeeRaw, inQuote),
    base_balance_before: whole(folded.balanceBeforeRaw, decimals),
    base_balance_after: whole(folded.balanceAfterRaw, decimals),
    fresh_wallet: flagged && folded.fresh,
    sniper_wallet: folded.afterCreation && sniperAt(token, folded),
    pro_trader: flagged && folded.pro,
  }
}

/** The wallet's class as its swaps up to this one show it. */
function sniperAt(token: Token, folded: FoldedSwap): boolean {
  const { signer } = folded.swap
  const all = token.positions.get(signer)?.swaps ?? []
  return isSniper(token, signer, all.slice(0, all.indexOf(folded) + 1))
}

/** Newest first. */
export function swapPage(token: Token | undefined, wallet: string | null, page: Page): object {
  const matching = (token?.swaps ?? []).filter(
    ({ swap }) => wallet === null || swap.signer === wallet,
  )
  const newestFirst = matching.toReversed()
  return pageOf(newestFirst, page, (folded) => (token ? swapRow(token, folded) : {}))
}

export function pageOf<T>(all: readonly T[], { page, limit }: Page, row: (item: T) => object) {
  const items = all.slice((page - 1) * limit, page * limit).map(row)
  return { total: all.length, page, limit, items }
}

/** The whole envelope of `update_mint_info`; null when that swap was not taken. */
export function tradeMessage(
  token: Token | undefined,
  signature: string,
  ordinal: number,
): object | null {
  const folded = token?.swaps.find(
    ({ swap }) => swap.signature === signature && swap.ordinal === ordinal,
  )
  if (!token || !folded) return null
  const data = swapRow(token, folded)
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
