import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { decodeBase58 } from '../../base/base58.ts'
import { SIGNATURE_PATTERN } from '../chain/transactions/transaction.ts'

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

/** A key that the frame must not have. */
const Absent = Type.Optional(Type.Never())

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
  is_mayhem_mode: Type.Optional(Type.Boolean()),
})

const PoolTradeFrame = Type.Object({
  ...Trade,
  pool: Type.Literal('pump-amm'),
  tokensInPool: Amount,
  solInPool: Amount,
})

/** A trade of a graduated coin in its usual form: without pool and reserves. */
const BareTradeFrame = Type.Object({
  ...Trade,
  pool: Absent,
  bondingCurveKey: Absent,
  vTokensInBondingCurve: Absent,
  vSolInBondingCurve: Absent,
})

const MigrateFrame = Type.Object({
  txType: Type.Literal('migrate'),
  pool: Type.Literal('pump-amm'),
  signature: Signature,
  mint: Address,
})

const Known = Type.Union([
  CreateFrame,
  CurveTradeFrame,
  PoolTradeFrame,
  BareTradeFrame,
  MigrateFrame,
])
const known = Compile(Known)
/** Keys that frames are known to have, those that are not read included. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...[CreateFrame, CurveTradeFrame, PoolTradeFrame].flatMap(({ properties }) =>
    Object.keys(properties),
  ),
  'marketCapSol',
])
const OtherPlatform = Compile(Type.Object({ txType: Text, pool: Text }))
const Acknowledgement = Compile(Type.Object({ message: Text }))
const Complaint = Compile(Type.Object({ errors: Type.Unknown() }))

export type PortalFrame = Type.Static<typeof Known>
export type CreateFrame = Extract<PortalFrame, { txType: 'create' }>
export type TradeFrame = Extract<PortalFrame, { txType: 'buy' | 'sell' }>

const PLATFORM_POOLS = ['pump', 'pump-amm']
/** How a message begins that acknowledges; every other one is a refusal with its reason. */
const ACKNOWLEDGED = /^(successfully (un)?subscribed|(un)?subscribed (to|from))\b/i

/** Keys of a frame that no frame was known to have when this was written. */
export function unknownKeysOf(frame: PortalFrame): readonly string[] {
  return Object.keys(frame).filter((key) => !KNOWN_KEYS.has(key))
}

/** Why a subscription was refused, in the words of the service. */
export function refusalOf(value: unknown): string {
  if (Acknowledgement.Check(value)) return value.message
  if (!Complaint.Check(value)) return 'without a reason'
  return typeof value.errors === 'string' ? value.errors : JSON.stringify(value.errors)
}

/**
 * Reads a frame of PumpPortal. `acknowledged`: a subscription; `refused`: one that was not; `other platform`: of a
 * launch platform that is not followed; `unusable`: not what the service is known to send.
 */
export function readPortalFrame(
  value: unknown,
): PortalFrame | 'acknowledged' | 'refused' | 'other platform' | 'unusable' {
  if (known.Check(value)) return value
  if (OtherPlatform.Check(value))
    return PLATFORM_POOLS.includes(value.pool) ? 'unusable' : 'other platform'
  if (Acknowledgement.Check(value))
    return ACKNOWLEDGED.test(value.message.trim()) ? 'acknowledged' : 'refused'
  return Complaint.Check(value) ? 'refused' : 'unusable'
}
