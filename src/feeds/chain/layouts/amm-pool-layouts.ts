import { type AnyEventLayout, eventLayout } from './event-layout.ts'

/**
 * Events of the PumpSwap (pump_amm) program: what happens to pools after migration.
 * Field order as in the IDLs of @pump-fun/pump-sdk 2.0.0 (MIT), and of October 2026 as on the chain;
 * layouts grow at their end only.
 */

const RESERVES = {
  user_base_token_reserves: 'u64',
  user_quote_token_reserves: 'u64',
  pool_base_token_reserves: 'u64',
  pool_quote_token_reserves: 'u64',
} as const

const PARTIES = {
  pool: 'pubkey',
  user: 'pubkey',
  user_base_token_account: 'pubkey',
  user_quote_token_account: 'pubkey',
} as const

const TRADE_PARTIES = {
  ...PARTIES,
  protocol_fee_recipient: 'pubkey',
  protocol_fee_recipient_token_account: 'pubkey',
  coin_creator: 'pubkey',
  coin_creator_fee_basis_points: 'u64',
  coin_creator_fee: 'u64',
} as const

/** At the end of a trade: what came after the first version of the program. */
const TRADE_EXTRAS = {
  cashback_fee_basis_points: 'u64',
  cashback: 'u64',
  buyback_fee_basis_points: 'u64',
  buyback_fee: 'u64',
  virtual_quote_reserves: 'i128',
  can_boost: 'bool',
  base_supply: 'u64',
  holder_rewards_bps: 'u64',
  holder_rewards: 'u64',
  creator_fee_unclaimed: 'u64',
} as const

const LIQUIDITY_PARTIES = {
  lp_mint_supply: 'u64',
  ...PARTIES,
  user_pool_token_account: 'pubkey',
} as const

export const BUY_EVENT = eventLayout('pump_amm', 'BuyEvent', '67f4521f2cf57777', {
  timestamp: 'i64',
  base_amount_out: 'u64',
  max_quote_amount_in: 'u64',
  ...RESERVES,
  quote_amount_in: 'u64',
  lp_fee_basis_points: 'u64',
  lp_fee: 'u64',
  protocol_fee_basis_points: 'u64',
  protocol_fee: 'u64',
  quote_amount_in_with_lp_fee: 'u64',
  user_quote_amount_in: 'u64',
  ...TRADE_PARTIES,
  track_volume: 'bool',
  total_unclaimed_tokens: 'u64',
  total_claimed_tokens: 'u64',
  current_sol_volume: 'u64',
  last_update_timestamp: 'i64',
  min_base_amount_out: 'u64',
  ix_name: 'string',
  ...TRADE_EXTRAS,
})

export const SELL_EVENT = eventLayout('pump_amm', 'SellEvent', '3e2f370aa503dc2a', {
  timestamp: 'i64',
  base_amount_in: 'u64',
  min_quote_amount_out: 'u64',
  ...RESERVES,
  quote_amount_out: 'u64',
  lp_fee_basis_points: 'u64',
  lp_fee: 'u64',
  protocol_fee_basis_points: 'u64',
  protocol_fee: 'u64',
  quote_amount_out_without_lp_fee: 'u64',
  user_quote_amount_out: 'u64',
  ...TRADE_PARTIES,
  ...TRADE_EXTRAS,
})

export const CREATE_POOL_EVENT = eventLayout('pump_amm', 'CreatePoolEvent', 'b1310cd2a076a774', {
  timestamp: 'i64',
  index: 'u16',
  creator: 'pubkey',
  base_mint: 'pubkey',
  quote_mint: 'pubkey',
  base_mint_decimals: 'u8',
  quote_mint_decimals: 'u8',
  base_amount_in: 'u64',
  quote_amount_in: 'u64',
  pool_base_amount: 'u64',
  pool_quote_amount: 'u64',
  minimum_liquidity: 'u64',
  initial_liquidity: 'u64',
  lp_token_amount_out: 'u64',
  pool_bump: 'u8',
  pool: 'pubkey',
  lp_mint: 'pubkey',
  user_base_token_account: 'pubkey',
  user_quote_token_account: 'pubkey',
  coin_creator: 'pubkey',
  is_mayhem_mode: 'bool',
  creator_fee_bps: 'u64',
  can_edit_creator_fee: 'bool',
  is_holder_reward: 'bool',
})

export const DEPOSIT_EVENT = eventLayout('pump_amm', 'DepositEvent', '78f83d531f8e6b90', {
  timestamp: 'i64',
  lp_token_amount_out: 'u64',
  max_base_amount_in: 'u64',
  max_quote_amount_in: 'u64',
  ...RESERVES,
  base_amount_in: 'u64',
  quote_amount_in: 'u64',
  ...LIQUIDITY_PARTIES,
})

export const WITHDRAW_EVENT = eventLayout('pump_amm', 'WithdrawEvent', '1609851aa02c47c0', {
  timestamp: 'i64',
  lp_token_amount_in: 'u64',
  min_base_amount_out: 'u64',
  min_quote_amount_out: 'u64',
  ...RESERVES,
  base_amount_out: 'u64',
  quote_amount_out: 'u64',
  ...LIQUIDITY_PARTIES,
})

export const INIT_BOOST_EVENT = eventLayout('pump_amm', 'InitBoostEvent', 'ae7c4af90451f611', {
  timestamp: 'i64',
  mint: 'pubkey',
  bonding_curve: 'pubkey',
  pool: 'pubkey',
  virtual_quote_reserves: 'i128',
  real_quote_reserves_after: 'u64',
})

export const BOOST_BUY_AND_BURN_EVENT = eventLayout(
  'pump_amm',
  'BoostBuyAndBurnEvent',
  '3f451c16305cc2b9',
  {
    timestamp: 'i64',
    mint: 'pubkey',
    bonding_curve: 'pubkey',
    pool: 'pubkey',
    authority: 'pubkey',
    quote_amount_in_requested: 'u64',
    quote_amount_in_used: 'u64',
    base_amount_burned: 'u64',
    virtual_quote_reserves: 'i128',
    real_quote_reserves_after: 'u64',
    base_reserves_after: 'u64',
    boost_vault_remaining: 'u64',
  },
)

export const AMM_POOL_LAYOUTS: readonly AnyEventLayout[] = [
  BUY_EVENT,
  SELL_EVENT,
  CREATE_POOL_EVENT,
  DEPOSIT_EVENT,
  WITHDRAW_EVENT,
  INIT_BOOST_EVENT,
  BOOST_BUY_AND_BURN_EVENT,
]
