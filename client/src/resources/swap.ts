import { isCount, listOf, type ObjectOf, objectOf, optional, type Shape } from '../shape.ts'
import { QUOTE } from './quote.ts'
import { isLabel } from './wallet.ts'

const SWAP = {
  slot: 'number',
  tx_index: 'number',
  signature: 'text',
  timestamp: 'text',
  source: ['pump', 'pump_amm'],
  direction: ['buy', 'sell'],
  signer: 'text',
  mint: 'text',
  pool: 'text',
  base_mint_amount: 'number',
  quote_mint_amount: 'number',
  base_mint_price_usd: 'number',
  sol_price_usd: 'number',
  volume_usd: 'number',
  m_cap_usd: 'number',
  bonding_curve_progress: 'number',
  liquidity_usd: 'number',
  chain_fee: 'number',
  platform_fee: 'number',
  creator_fee: 'number',
  base_balance_before: 'number',
  base_balance_after: 'number',
  fresh_wallet: 'flag',
  sniper_wallet: 'flag',
  pro_trader: 'flag',
  /** In whole units of the quote, like the next. */
  lp_fee: 'number-',
  cashback: 'number-',
  ...QUOTE,
  /** Of a signer that has one. */
  signer_label: optional(isLabel),
} as const

/** One trade. */
export type Swap = ObjectOf<typeof SWAP>
export const isSwap: Shape<Swap> = objectOf(SWAP)

export interface SwapsByCursor {
  readonly total: number
  readonly limit: number
  readonly items: readonly Swap[]
  /** Null at the end. */
  readonly next_cursor: string | null
}

export const isSwapsByCursor: Shape<SwapsByCursor> = objectOf({
  total: isCount,
  limit: isCount,
  items: listOf(isSwap),
  next_cursor: 'text?',
})
