import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { decodeBase58 } from '../../base/base58.ts'
import { SIGNATURE_PATTERN } from '../chain/signature-text.ts'

/** Amounts in whole units; the largest still has all its digits in raw units of a double. */
const Amount = Type.Number({ minimum: 0, maximum: 9_000_000_000 })
const Text = Type.String()
const Signature = Type.String({ pattern: SIGNATURE_PATTERN })
const Address = Type.Refine(
  Type.String({ maxLength: 44 }),
  (text) => decodeBase58(text)?.length === 32,
)

const CreateFrame = Type.Object({
  txType: Type.Literal('create'),
  pool: Type.Literal('pump'),
  signature: Signature,
  mint: Address,
  traderPublicKey: Address,
  bondingCurveKey: Address,
  initialBuy: Amount,
  solAmount: Amount,
  vTokensInBondingCurve: Amount,
  vSolInBondingCurve: Amount,
  name: Type.Optional(Text),
  symbol: Type.Optional(Text),
  uri: Type.Optional(Text),
  is_mayhem_mode: Type.Optional(Type.Boolean()),
})

const Trade = {
  txType: Type.Union([Type.Literal('buy'), Type.Literal('sell')]),
  signature: Signature,
  mint: Address,
  traderPublicKey: Address,
  tokenAmount: Amount,
  solAmount: Amount,
  newTokenBalance: Type.Optional(Amount),
}

const CurveTradeFrame = Type.Object({
  ...Trade,
  pool: Type.Literal('pump'),
  bondingCurveKey: Address,
  vTokensInBondingCurve: Amount,
  vSolInBondingCurve: Amount,
})

const PoolTradeFrame = Type.Object({
  ...Trade,
  pool: Type.Literal('pump-amm'),
  tokensInPool: Amount,
  solInPool: Amount,
})

const MigrateFrame = Type.Object({
  txType: Type.Literal('migrate'),
  pool: Type.Literal('pump-amm'),
  signature: Signature,
  mint: Address,
})

const Known = Type.Union([CreateFrame, CurveTradeFrame, PoolTradeFrame, MigrateFrame])
const known = Compile(Known)
const OtherPlatform = Compile(Type.Object({ txType: Text, pool: Text }))
const Acknowledgement = Compile(Type.Object({ message: Text }))
const Complaint = Compile(Type.Object({ errors: Type.Unknown() }))

export type CreateFrame = Type.Static<typeof CreateFrame>
export type CurveTradeFrame = Type.Static<typeof CurveTradeFrame>
export type TradeFrame = CurveTradeFrame | Type.Static<typeof PoolTradeFrame>
export type MigrateFrame = Type.Static<typeof MigrateFrame>
export type PortalFrame = CreateFrame | TradeFrame | MigrateFrame

/**
 * `acknowledged`: a subscription; `refused`: one that was not; `other platform`: of a launch
 * platform that is not followed; `unusable`: not what the service is known to send.
 */
export type PortalNote = 'acknowledged' | 'refused' | 'other platform' | 'unusable'

const PLATFORM_POOLS = ['pump', 'pump-amm']

/** Why a subscription was refused, as the service says it. */
export function refusalOf(value: unknown): string {
  if (!Complaint.Check(value)) return 'without a reason'
  return typeof value.errors === 'string' ? value.errors : JSON.stringify(value.errors)
}

/** What a frame of PumpPortal says. */
export function readPortalFrame(value: unknown): PortalFrame | PortalNote {
  if (known.Check(value)) return value
  if (OtherPlatform.Check(value))
    return PLATFORM_POOLS.includes(value.pool) ? 'unusable' : 'other platform'
  if (Acknowledgement.Check(value)) return 'acknowledged'
  return Complaint.Check(value) ? 'refused' : 'unusable'
}
