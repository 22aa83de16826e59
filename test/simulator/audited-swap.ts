import {
  givenQuoteOf,
  givenRoute,
  poolOf,
  RecordBatch,
  SwapFloatLane,
  SwapLane,
} from '../../src/events/swap-record.ts'
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
  const bytes = batch.bytes.subarray(
    (at + SwapLane.signature) * 4,
    (at + SwapLane.signature) * 4 + 64,
  )
  const toldQuote = givenQuoteOf(batch.u32, at)
  return {
    slot: batch.f64[RecordBatch.f64At(index) + SwapFloatLane.slot] ?? 0,
    ...{
      txIndex: lane(SwapLane.txIndex),
      ordinal: lane(SwapLane.ordinal),
      timestamp: lane(SwapLane.timestamp),
    },
    signature: Buffer.from(bytes).toString('hex'),
    ...{ flags: lane(SwapLane.flags), route: givenRoute(lane(SwapLane.flags)) },
    mint: names.tokens[lane(SwapLane.token)] ?? '',
    signer: names.wallets[lane(SwapLane.wallet)] ?? '',
    pool: names.addresses[poolOf(batch.u32, at)] ?? '',
    toldQuote,
    quoteMint: toldQuote < 0 ? '' : (names.addresses[lane(SwapLane.quoteMint)] ?? ''),
    ...{ base: u64(SwapLane.baseLo), quote: u64(SwapLane.quoteLo) },
    ...{ virtualBase: u64(SwapLane.virtualBaseLo), virtualQuote: u64(SwapLane.virtualQuoteLo) },
    ...{ realBase: u64(SwapLane.realBaseLo), realQuote: u64(SwapLane.realQuoteLo) },
    ...{ platformFee: u64(SwapLane.platformFeeLo), creatorFee: u64(SwapLane.creatorFeeLo) },
    ...{ liquidityFee: u64(SwapLane.givenLpFeeLo), cashback: u64(SwapLane.givenCashbackLo) },
    supply: u64(SwapLane.supplyLo),
    ...{ balanceBefore: u64(SwapLane.balanceBeforeLo), balanceAfter: u64(SwapLane.balanceAfterLo) },
  }
}
