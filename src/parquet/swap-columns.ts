import { Flag, Hop, SwapLane } from '../events/swap-record.ts'
import type { SwapReader } from '../query/json/swap-reader.ts'
import { type Column, u64Of } from './columns.ts'

/**
 * The folded swaps. Columns of the API have its names and values; `…_raw` are the amounts of the chain to their last digit,
 * in the units of the mint, of the quote, or in lamports (chain fee).
 */
export const SWAP_COLUMNS: readonly Column<SwapReader>[] = [
  { name: 'slot', kind: 'u64', read: (swap) => BigInt(swap.slot) },
  { name: 'tx_index', kind: 'u32', read: (swap) => swap.txIndex },
  { name: 'ordinal', kind: 'u32', read: (swap) => swap.ordinal },
  { name: 'signature', kind: 'text', read: (swap) => swap.signature },
  { name: 'timestamp', kind: 'time', read: (swap) => swap.timestamp },
  { name: 'source', kind: 'text', read: (swap) => swap.source },
  { name: 'direction', kind: 'text', read: (swap) => swap.direction },
  { name: 'signer', kind: 'text', read: (swap) => swap.signer },
  { name: 'mint', kind: 'text', read: (swap) => swap.mint },
  { name: 'pool', kind: 'text', read: (swap) => swap.pool },
  { name: 'quote_mint', kind: 'text', read: (swap) => swap.quoteMint },
  { name: 'quote_symbol', kind: 'text', read: (swap) => swap.quoteSymbol },
  raw('base_raw', SwapLane.baseLo),
  raw('quote_raw', SwapLane.quoteLo),
  { name: 'base_mint_amount', kind: 'double', read: (swap) => swap.tokens(SwapLane.baseLo) },
  { name: 'quote_mint_amount', kind: 'double', read: (swap) => swap.units(SwapLane.quoteLo) },
  { name: 'base_mint_price_usd', kind: 'double', read: (swap) => swap.price.usd },
  { name: 'base_mint_price_sol', kind: 'double', read: (swap) => swap.price.sol },
  { name: 'sol_price_usd', kind: 'double', read: (swap) => swap.solPriceUsd },
  { name: 'priced', kind: 'boolean', read: (swap) => swap.isPriced },
  { name: 'volume_usd', kind: 'double', read: (swap) => swap.volumeUsd },
  { name: 'volume_micro_usd', kind: 'u64', read: (swap) => u64Of(swap.volumeMicroUsd) },
  { name: 'm_cap_usd', kind: 'double', read: (swap) => swap.price.usd * swap.supply },
  { name: 'bonding_curve_progress', kind: 'double', read: (swap) => swap.completionPercent },
  { name: 'liquidity_usd', kind: 'double', read: (swap) => swap.liquidityUsd },
  raw('virtual_base_raw', SwapLane.virtualBaseLo),
  raw('virtual_quote_raw', SwapLane.virtualQuoteLo),
  raw('supply_raw', SwapLane.supplyLo),
  raw('chain_fee_raw', SwapLane.chainFeeLo),
  raw('platform_fee_raw', SwapLane.platformFeeLo),
  raw('creator_fee_raw', SwapLane.creatorFeeLo),
  { name: 'lp_fee_raw', kind: 'u64', read: (swap) => swap.lpFeeRaw },
  raw('cashback_raw', SwapLane.cashbackLo),
  raw('base_balance_before_raw', SwapLane.balanceBeforeLo),
  raw('base_balance_after_raw', SwapLane.balanceAfterLo),
  { name: 'base_decimals', kind: 'u32', read: (swap) => swap.decimals },
  { name: 'quote_decimals', kind: 'u32', read: (swap) => swap.quoteDecimals },
  flag('fresh_wallet', Flag.freshWallet),
  flag('sniper_wallet', Flag.sniperWallet),
  flag('pro_trader', Flag.proTrader),
  flag('bundle_wallet', Flag.bundleWallet),
  flag('insider_wallet', Flag.insiderWallet),
  flag('creator_wallet', Flag.creatorWallet),
  { name: 'passed_through', kind: 'boolean', read: (swap) => swap.hop === Hop.passed },
]

function raw(name: string, lane: number): Column<SwapReader> {
  return { name, kind: 'u64', read: (swap) => swap.raw(lane) }
}

function flag(name: string, bit: number): Column<SwapReader> {
  return { name, kind: 'boolean', read: (swap) => swap.is(bit) }
}
