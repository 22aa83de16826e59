import { decodeBase58 } from '../../../src/base/base58.ts'
import type { AnyEventLayout, FieldValue } from '../../../src/feeds/chain/layouts/event-layout.ts'
import {
  bondingCurveAddress,
  canonicalPoolAddress,
} from '../../../src/feeds/chain/layouts/program-address.ts'
import { WRAPPED_SOL_MINT } from '../../../src/feeds/chain/layouts/programs.ts'
import type { EmittedBytes } from '../../../src/feeds/chain/transactions/program-logs.ts'
import { eventBytes } from './event-bytes.ts'

type Values = Readonly<Record<string, FieldValue>>

export function pump(layout: AnyEventLayout, values: Values): EmittedBytes {
  return { program: 'pump', bytes: eventBytes(layout, values) }
}

export function amm(layout: AnyEventLayout, values: Values): EmittedBytes {
  return { program: 'pump_amm', bytes: eventBytes(layout, values) }
}

/** Rounded up, as the programs do. */
export function feeOf(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + 9_999n) / 10_000n
}

export function curveOf(mint: string): string {
  return bondingCurveAddress(mint) ?? ''
}

export function poolOf(mint: string): string {
  return canonicalPoolAddress(mint) ?? ''
}

/** Data of the account of a pool for this mint and SOL; what is not read of it is zero. */
export function poolAccount(mint: string): Buffer {
  const head = Buffer.concat([Buffer.from('f19a6d0411b16dbc', 'hex'), Buffer.alloc(3 + 32)])
  const mints = [mint, WRAPPED_SOL_MINT].map((address) => decodeBase58(address) ?? Buffer.alloc(0))
  return Buffer.concat([head, ...mints, Buffer.alloc(150)])
}
