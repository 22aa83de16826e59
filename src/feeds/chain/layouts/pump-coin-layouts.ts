import { type AnyEventLayout, eventLayout } from './event-layout.ts'

/**
 * Events of the pump program: what happens to coins on their bonding curves.
 * Field order as in the IDLs of @pump-fun/pump-sdk 2.0.0 (MIT), and of October 2026 as in the platform's
 * public documents and on the chain; layouts grow at their end only.
 */

export const TRADE_EVENT = eventLayout('pump', 'TradeEvent', 'bddb7fd34ee661ee', {
  mint: 'pubkey',
  sol_amount: 'u64',
  token_amount: 'u64',
  is_buy: 'bool',
  user: 'pubkey',
  timestamp: 'i64',
  virtual_sol_reserves: 'u64',
  virtual_token_reserves: 'u64',
  real_sol_reserves: 'u64',
  real_token_reserves: 'u64',
  fee_recipient: 'pubkey',
  fee_basis_points: 'u64',
  fee: 'u64',
  creator: 'pubkey',
  creator_fee_basis_points: 'u64',
  creator_fee: 'u64',
  track_volume: 'bool',
  total_unclaimed_tokens: 'u64',
  total_claimed_tokens: 'u64',
  current_sol_volume: 'u64',
  last_update_timestamp: 'i64',
  ix_name: 'string',
  mayhem_mode: 'bool',
  cashback_fee_basis_points: 'u64',
  cashback: 'u64',
  buyback_fee_basis_points: 'u64',
  buyback_fee: 'u64',
  shareholders: 'vec<Shareholder>',
  quote_mint: 'pubkey',
  quote_amount: 'u64',
  virtual_quote_reserves: 'u64',
  real_quote_reserves: 'u64',
  holder_rewards_bps: 'u64',
  holder_rewards: 'u64',
  creator_fee_unclaimed: 'u64',
})

export const CREATE_EVENT = eventLayout('pump', 'CreateEvent', '1b72a94ddeeb6376', {
  name: 'string',
  symbol: 'string',
  uri: 'string',
  mint: 'pubkey',
  bonding_curve: 'pubkey',
  user: 'pubkey',
  creator: 'pubkey',
  timestamp: 'i64',
  virtual_token_reserves: 'u64',
  virtual_sol_reserves: 'u64',
  real_token_reserves: 'u64',
  token_total_supply: 'u64',
  token_program: 'pubkey',
  is_mayhem_mode: 'bool',
  is_cashback_enabled: 'bool',
  quote_mint: 'pubkey',
  virtual_quote_reserves: 'u64',
  creator_fee_bps: 'u64',
  is_holder_reward: 'bool',
  depth: 'u8',
})

export const COMPLETE_EVENT = eventLayout('pump', 'CompleteEvent', '5f72619cd42e9808', {
  user: 'pubkey',
  mint: 'pubkey',
  bonding_curve: 'pubkey',
  timestamp: 'i64',
  quote_mint: 'pubkey',
})

export const COMPLETE_PUMP_AMM_MIGRATION_EVENT = eventLayout(
  'pump',
  'CompletePumpAmmMigrationEvent',
  'bde95db95c94ea94',
  {
    user: 'pubkey',
    mint: 'pubkey',
    mint_amount: 'u64',
    sol_amount: 'u64',
    pool_migration_fee: 'u64',
    bonding_curve: 'pubkey',
    timestamp: 'i64',
    pool: 'pubkey',
    quote_mint: 'pubkey',
  },
)

/**
 * The buy that completed a curve goes on out of the pool that is about to be made, at its price (since
 * 2026-10-08). The buyer has this and what the curve had left.
 */
export const POST_COMPLETE_BUY_EVENT = eventLayout(
  'pump',
  'PostCompleteBuyEvent',
  '6fb06d8b316cd5fb',
  {
    user: 'pubkey',
    mint: 'pubkey',
    bonding_curve: 'pubkey',
    quote_mint: 'pubkey',
    timestamp: 'i64',
    base_out: 'u64',
    quote_in: 'u64',
    fee_basis_points: 'u64',
    fee: 'u64',
    creator_fee_basis_points: 'u64',
    creator_fee: 'u64',
    buyback_fee: 'u64',
    pool_base_reserves_before: 'u64',
    pool_quote_reserves_before: 'u64',
    pool_base_reserves_after: 'u64',
    pool_quote_reserves_after: 'u64',
  },
)

export const UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT = eventLayout(
  'pump',
  'UpdateMayhemVirtualParamsEvent',
  '757be4b6a1a8dcd6',
  {
    timestamp: 'i64',
    mint: 'pubkey',
    virtual_token_reserves: 'u64',
    virtual_sol_reserves: 'u64',
    new_virtual_token_reserves: 'u64',
    new_virtual_sol_reserves: 'u64',
    real_token_reserves: 'u64',
    real_sol_reserves: 'u64',
  },
)

export const PUMP_COIN_LAYOUTS: readonly AnyEventLayout[] = [
  TRADE_EVENT,
  CREATE_EVENT,
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  POST_COMPLETE_BUY_EVENT,
  UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT,
]
