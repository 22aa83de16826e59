import { RecordBatch } from '../../src/events/record-batch.ts'
import { F, poolOf, toldQuoteOf, toldRoute, U } from '../../src/events/swap-record.ts'
import type { KnownNames } from './names.ts'

/** A swap as its record tells it. */
export interface AuditedSwap {
  readonly slot: number
  readonly txIndex: number
  readonly ordinal: number
  readonly timestamp: number
  /** Its bytes as text. */
  readonly signature: string
  readonly flags: number
  /** Number of the hop, 0 for none. */
  readonly route: number
  readonly mint: string
  readonly signer: string
  readonly pool: string
  /** The `Quote` told, -1 for none, and its mint. */
  readonly toldQuote: number
  readonly quoteMint: string
  readonly base: bigint
  readonly quote: bigint
  readonly virtualBase: bigint
  readonly virtualQuote: bigint
  readonly realBase: bigint
  readonly realQuote: bigint
  readonly platformFee: bigint
  readonly creatorFee: bigint
  readonly liquidityFee: bigint
  readonly cashback: bigint
  readonly supply: bigint
  readonly balanceBefore: bigint
  readonly balanceAfter: bigint
}

export function readSwap(batch: RecordBatch, index: number, names: KnownNames): AuditedSwap {
  const at = RecordBatch.u32At(index)
  const lane = (offset: number): number => batch.u32[at + offset] ?? 0
  const u64 = (offset: number): bigint => BigInt(lane(offset)) + (BigInt(lane(offset + 1)) << 32n)
  const bytes = batch.bytes.subarray((at + U.signature) * 4, (at + U.signature) * 4 + 64)
  const toldQuote = toldQuoteOf(batch.u32, at)
  return {
    slot: batch.f64[RecordBatch.f64At(index) + F.slot] ?? 0,
    ...{ txIndex: lane(U.txIndex), ordinal: lane(U.ordinal), timestamp: lane(U.timestamp) },
    signature: Buffer.from(bytes).toString('hex'),
    ...{ flags: lane(U.flags), route: toldRoute(lane(U.flags)) },
    mint: names.tokens[lane(U.token)] ?? '',
    signer: names.wallets[lane(U.wallet)] ?? '',
    pool: names.addresses[poolOf(batch.u32, at)] ?? '',
    toldQuote,
    quoteMint: toldQuote < 0 ? '' : (names.addresses[lane(U.quoteMint)] ?? ''),
    ...{ base: u64(U.baseLo), quote: u64(U.quoteLo) },
    ...{ virtualBase: u64(U.virtualBaseLo), virtualQuote: u64(U.virtualQuoteLo) },
    ...{ realBase: u64(U.realBaseLo), realQuote: u64(U.realQuoteLo) },
    ...{ platformFee: u64(U.platformFeeLo), creatorFee: u64(U.creatorFeeLo) },
    ...{ liquidityFee: u64(U.givenLpFeeLo), cashback: u64(U.givenCashbackLo) },
    supply: u64(U.supplyLo),
    ...{ balanceBefore: u64(U.balanceBeforeLo), balanceAfter: u64(U.balanceAfterLo) },
  }
}
