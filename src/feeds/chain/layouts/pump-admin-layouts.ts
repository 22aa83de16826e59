import { type AnyEventLayout, eventLayout } from './event-layout.ts'

/**
 * Events of the pump program: accounts, fees, rewards and settings.
 * Field order as in the IDLs of @pump-fun/pump-sdk 2.0.0 (MIT), and of October 2026 as in the platform's
 * public documents; layouts grow at their end only.
 */

export const PUMP_ADMIN_LAYOUTS: readonly AnyEventLayout[] = [
  eventLayout('pump', 'AddQuoteControlMintEvent', 'a4af574a582d213e', {
    quote_control: 'pubkey',
    authority: 'pubkey',
    quote_mint: 'pubkey',
    initial_virtual_quote_reserves: 'u64',
    timestamp: 'i64',
  }),
  eventLayout('pump', 'AdminSetIdlAuthorityEvent', 'f53b46224bb96d5c', {
    idl_authority: 'pubkey',
  }),
  eventLayout('pump', 'AdminUpdateTokenIncentivesEvent', '93fa6c78f71d43de', {
    start_time: 'i64',
    end_time: 'i64',
    day_number: 'u64',
    token_supply_per_day: 'u64',
    mint: 'pubkey',
    seconds_in_a_day: 'i64',
    timestamp: 'i64',
  }),
  eventLayout('pump', 'ClaimCashbackEvent', 'e2d6f62107f293e5', {
    user: 'pubkey',
    amount: 'u64',
    timestamp: 'i64',
    total_claimed: 'u64',
    total_cashback_earned: 'u64',
  }),
  eventLayout('pump', 'ClaimTokenIncentivesEvent', '4facf631cd5bcee8', {
    user: 'pubkey',
    mint: 'pubkey',
    amount: 'u64',
    timestamp: 'i64',
    total_claimed_tokens: 'u64',
    current_sol_volume: 'u64',
  }),
  eventLayout('pump', 'CloseUserVolumeAccumulatorEvent', '929fbdac925838f4', {
    user: 'pubkey',
    timestamp: 'i64',
    total_unclaimed_tokens: 'u64',
    total_claimed_tokens: 'u64',
    current_sol_volume: 'u64',
    last_update_timestamp: 'i64',
  }),
  eventLayout('pump', 'CollectCreatorFeeEvent', '7a027f010ebf0caf', {
    timestamp: 'i64',
    creator: 'pubkey',
    creator_fee: 'u64',
    quote_mint: 'pubkey',
  }),
  eventLayout('pump', 'DistributeCreatorFeesEvent', 'a537817004b3ca28', {
    timestamp: 'i64',
    mint: 'pubkey',
    bonding_curve: 'pubkey',
    sharing_config: 'pubkey',
    admin: 'pubkey',
    shareholders: 'vec<Shareholder>',
    distributed: 'u64',
    quote_mint: 'pubkey',
  }),
  eventLayout('pump', 'DistributeFeeToHoldersEvent', 'e3bed7ceb0b4a584', {
    timestamp: 'i64',
    mint: 'pubkey',
    quote_mint: 'pubkey',
    recipients: 'u64',
    total: 'u64',
  }),
  eventLayout('pump', 'InitUserVolumeAccumulatorEvent', '86240d48e86582d8', {
    payer: 'pubkey',
    user: 'pubkey',
    timestamp: 'i64',
  }),
  eventLayout('pump', 'MinimumDistributableFeeEvent', 'a8d884efebb63134', {
    minimum_required: 'u64',
    distributable_fees: 'u64',
    can_distribute: 'bool',
  }),
  eventLayout('pump', 'RemoveQuoteControlMintEvent', '2e21568600d5d130', {
    quote_control: 'pubkey',
    authority: 'pubkey',
    quote_mint: 'pubkey',
    timestamp: 'i64',
  }),
  eventLayout('pump', 'ReservedFeeRecipientsEvent', '2bbcfa12dd4bbb5f', {
    timestamp: 'i64',
    reserved_fee_recipient: 'pubkey',
    reserved_fee_recipients: '[pubkey;7]',
  }),
  eventLayout('pump', 'SetMetaplexCreatorEvent', '8ecb06207f69bfa2', {
    timestamp: 'i64',
    mint: 'pubkey',
    bonding_curve: 'pubkey',
    metadata: 'pubkey',
    creator: 'pubkey',
  }),
  eventLayout('pump', 'SetParamsEvent', 'dfc39ff63e308f83', {
    initial_virtual_token_reserves: 'u64',
    initial_virtual_sol_reserves: 'u64',
    initial_real_token_reserves: 'u64',
    final_real_sol_reserves: 'u64',
    token_total_supply: 'u64',
    fee_basis_points: 'u64',
    withdraw_authority: 'pubkey',
    enable_migrate: 'bool',
    pool_migration_fee: 'u64',
    creator_fee_basis_points: 'u64',
    fee_recipients: '[pubkey;8]',
    timestamp: 'i64',
    set_creator_authority: 'pubkey',
    admin_set_creator_authority: 'pubkey',
  }),
  eventLayout('pump', 'SetQuoteControlAdminEvent', '4af88d45ca511ef7', {
    quote_control: 'pubkey',
    authority: 'pubkey',
    old_admin: 'pubkey',
    new_admin: 'pubkey',
    timestamp: 'i64',
  }),
  // Of these two nobody has published the fields.
  eventLayout('pump', 'SetQuoteControlMintReservesEvent', 'a943276d6686b6e8', {}, true),
  eventLayout('pump', 'SetQuoteControlReservesAdminEvent', '43fbb3b6575ca921', {}, true),
  // Pays out fees that were kept on the curve: no trade, and virtual reserves stay.
  eventLayout('pump', 'SweepBondingCurveFeeEvent', '742b4dbd117a482b', {
    timestamp: 'i64',
    mint: 'pubkey',
    bonding_curve: 'pubkey',
    quote_mint: 'pubkey',
    recipient: 'pubkey',
    amount: 'u64',
    bucket: 'u8',
  }),
  eventLayout('pump', 'SyncUserVolumeAccumulatorEvent', 'c57aa77c74515bff', {
    user: 'pubkey',
    total_claimed_tokens_before: 'u64',
    total_claimed_tokens_after: 'u64',
    timestamp: 'i64',
  }),
  eventLayout('pump', 'UpdateCreatorFeeConfigEvent', '98c67c7c6af67fbf', {
    timestamp: 'i64',
    authority: 'pubkey',
    creator_fee_configurable: 'bool',
    max_configurable_creator_fee_bps: 'u64',
  }),
  eventLayout('pump', 'UpdateGlobalAuthorityEvent', 'b6c3892a23cecff7', {
    global: 'pubkey',
    authority: 'pubkey',
    new_authority: 'pubkey',
    timestamp: 'i64',
  }),
]
