import { eventLayout } from './event-layout.ts'

/**
 * Events of accounts, fees, rewards and settings: they move no price and no balance that the engine folds. Each
 * is known by its discriminator, so that it counts among the ordinals of its transaction and is not reported as
 * new; its fields are not read.
 */

/** Names and discriminators, as the IDLs of @pump-fun/pump-sdk 2.0.0 (MIT) and the platform's documents of October 2026 have them. */
const PUMP_EVENTS = {
  AddQuoteControlMintEvent: 'a4af574a582d213e',
  AdminCtoEvent: '6e7ce262aaff1178',
  AdminSetIdlAuthorityEvent: 'f53b46224bb96d5c',
  AdminUpdateTokenIncentivesEvent: '93fa6c78f71d43de',
  ClaimCashbackEvent: 'e2d6f62107f293e5',
  ClaimTokenIncentivesEvent: '4facf631cd5bcee8',
  CloseUserVolumeAccumulatorEvent: '929fbdac925838f4',
  CollectCreatorFeeEvent: '7a027f010ebf0caf',
  DistributeCreatorFeesEvent: 'a537817004b3ca28',
  DistributeFeeToHoldersEvent: 'e3bed7ceb0b4a584',
  ExtendAccountEvent: '6161d7905d92167c',
  InitUserVolumeAccumulatorEvent: '86240d48e86582d8',
  MigrateBondingCurveCreatorEvent: '9ba768dcd56cf303',
  MinimumDistributableFeeEvent: 'a8d884efebb63134',
  RemoveQuoteControlMintEvent: '2e21568600d5d130',
  ReservedFeeRecipientsEvent: '2bbcfa12dd4bbb5f',
  SetCreatorEvent: 'ed347b25f5fb48d2',
  SetMetaplexCreatorEvent: '8ecb06207f69bfa2',
  SetParamsEvent: 'dfc39ff63e308f83',
  SetQuoteControlAdminEvent: '4af88d45ca511ef7',
  SetQuoteControlMintReservesEvent: 'a943276d6686b6e8',
  SetQuoteControlReservesAdminEvent: '43fbb3b6575ca921',
  SweepBondingCurveFeeEvent: '742b4dbd117a482b',
  SyncUserVolumeAccumulatorEvent: 'c57aa77c74515bff',
  UpdateCreatorFeeConfigEvent: '98c67c7c6af67fbf',
  UpdateGlobalAuthorityEvent: 'b6c3892a23cecff7',
}

const AMM_EVENTS = {
  AdminCtoPoolEvent: '2f23a3f9969d937a',
  AdminUpdateTokenIncentivesEvent: '93fa6c78f71d43de',
  ClaimCashbackEvent: 'e2d6f62107f293e5',
  ClaimTokenIncentivesEvent: '4facf631cd5bcee8',
  CloseUserVolumeAccumulatorEvent: '929fbdac925838f4',
  CollectCoinCreatorFeeEvent: 'e8f5c2eeeada3a59',
  CreateConfigEvent: '6b34598137e25116',
  DisableEvent: '6bfdc14ce4ca1b68',
  ExtendAccountEvent: '6161d7905d92167c',
  InitUserVolumeAccumulatorEvent: '86240d48e86582d8',
  MigratePoolCoinCreatorEvent: 'aadd52c793a5f72e',
  ReservedFeeRecipientsEvent: '2bbcfa12dd4bbb5f',
  SetBondingCurveCoinCreatorEvent: 'f2e7eb664163bdd3',
  SetBoostAuthorityEvent: '5980f08d5bca4769',
  SetMetaplexCoinCreatorEvent: '966bc77b7ccf66e4',
  SweepPoolFeeEvent: '82a42461e48287a5',
  SyncUserVolumeAccumulatorEvent: 'c57aa77c74515bff',
  UpdateAdminEvent: 'e198ab57f63f42ea',
  UpdateCreatorFeeConfigEvent: '98c67c7c6af67fbf',
  UpdateFeeConfigEvent: '5a1741233ef4bcd0',
}

export const UNREAD_LAYOUTS = [
  ...Object.entries(PUMP_EVENTS).map(([name, hex]) => eventLayout('pump', name, hex, {})),
  ...Object.entries(AMM_EVENTS).map(([name, hex]) => eventLayout('pump_amm', name, hex, {})),
]
