import { encodeBase58 } from '../../base/base58.ts'
import { TapeDamage } from '../../base/errors.ts'
import { readU64 } from '../../base/u64.ts'
import type { Swap, SwapContent } from '../../events/event.ts'
import {
  Flag,
  givenQuoteDecimals,
  givenQuoteOf,
  givenRoute,
  poolOf,
  SIGNATURE_LANES,
  SwapFloatLane,
  SwapLane,
} from '../../events/swap-record.ts'
import type { AddressBook } from '../state/address-book.ts'
import type { State } from '../state/state.ts'
import { TAPE_BLOCK_RECORDS, type Tape } from '../state/tape.ts'

/**
 * The swap of the record at u32 lane `at`, an even one, that `RecordBatch.addSwap` made. Only before its fold,
 * which writes over lanes of the record.
 */
export function swapOfRecord(
  record: { readonly u32: Uint32Array; readonly f64: Float64Array; readonly at: number },
  book: AddressBook,
): Swap {
  const { u32, f64, at } = record
  const flags = u32[at + SwapLane.flags]
  const quote =
    givenQuoteOf(u32, at) < 0 ? {} : { quoteMint: book.text(u32[at + SwapLane.quoteMint]) }
  return {
    type: 'swap',
    slot: flags & Flag.noSlot ? null : f64[(at >>> 1) + SwapFloatLane.slot],
    txIndex: flags & Flag.noTxIndex ? null : u32[at + SwapLane.txIndex],
    ordinal: u32[at + SwapLane.ordinal],
    signature: signatureOf(u32, at, book),
    timestamp: u32[at + SwapLane.timestamp],
    source: flags & Flag.amm ? 'pump_amm' : 'pump',
    mint: book.mintOf(u32[at + SwapLane.token]),
    pool: book.text(poolOf(u32, at)),
    signer: book.walletText(u32[at + SwapLane.wallet]),
    direction: flags & Flag.sell ? 'sell' : 'buy',
    baseRaw: readU64(u32, at + SwapLane.baseLo),
    quoteRaw: readU64(u32, at + SwapLane.quoteLo),
    virtualBaseRaw: readU64(u32, at + SwapLane.virtualBaseLo),
    virtualQuoteRaw: readU64(u32, at + SwapLane.virtualQuoteLo),
    realBaseRaw: readU64(u32, at + SwapLane.realBaseLo),
    realQuoteRaw: readU64(u32, at + SwapLane.realQuoteLo),
    platformFeeRaw: readU64(u32, at + SwapLane.platformFeeLo),
    creatorFeeRaw: readU64(u32, at + SwapLane.creatorFeeLo),
    ...givenOf(u32, f64, at),
    ...quote,
  }
}

/** The newest swaps without a slot, oldest first; reads `most` records. */
export function newestSlotlessSwaps({ tape, book }: State, most: number): readonly SwapContent[] {
  const found: SwapContent[] = []
  for (const { u32, at } of newestRecords(tape, most)) {
    if ((u32[at + SwapLane.flags] & Flag.noSlot) === 0) continue
    found.push({
      signature: signatureOf(u32, at, book),
      mint: book.mintOf(u32[at + SwapLane.token]),
      direction: u32[at + SwapLane.flags] & Flag.sell ? 'sell' : 'buy',
      baseRaw: readU64(u32, at + SwapLane.baseLo),
    })
  }
  return found.reverse()
}

/** Unix seconds of the newest swap with a slot; reads `most` records, 0: none of them has one. */
export function newestSecondsOfSlot({ tape }: State, most: number): number {
  for (const { u32, at } of newestRecords(tape, most))
    if ((u32[at + SwapLane.flags] & Flag.noSlot) === 0) return u32[at + SwapLane.timestamp]
  return 0
}

/** The highest transaction index of a swap, by slot, from the newest down to `fromSlot`; reads `most` records. */
export function highestIndexes(
  { tape }: State,
  fromSlot: number,
  most: number,
): Map<number, number> {
  const highest = new Map<number, number>()
  for (const { u32, f64, at } of newestRecords(tape, most)) {
    if ((u32[at + SwapLane.flags] & Flag.noSlot) !== 0) continue
    const slot = f64[(at >>> 1) + SwapFloatLane.slot]
    if (slot < fromSlot) break
    // They lie in the total order.
    if (!highest.has(slot)) highest.set(slot, u32[at + SwapLane.txIndex])
  }
  return highest
}

/**
 * The newest `most` records, newest first, each good until the next one. A start has in memory what came behind the last
 * whole chunk alone, which may be a few swaps: the others are read from the disk, without the blocks that cannot be.
 */
function* newestRecords(tape: Tape, most: number) {
  const from = Math.max(0, tape.count - most)
  for (let index = tape.count - 1; index >= from; index--)
    try {
      yield { u32: tape.u32Of(index), f64: tape.f64Of(index), at: tape.at(index) }
    } catch (error) {
      if (!(error instanceof TapeDamage)) throw error
      index -= index % TAPE_BLOCK_RECORDS
    }
}

/** Fields that a feed may leave out: those that a flag marks as given. */
function givenOf(u32: Uint32Array, f64: Float64Array, at: number): Partial<Swap> {
  const swap: { -readonly [K in keyof Swap]?: Swap[K] } = {}
  const flags = u32[at + SwapLane.flags]
  const lpFeeRaw = readU64(u32, at + SwapLane.givenLpFeeLo)
  if (lpFeeRaw > 0n) swap.lpFeeRaw = lpFeeRaw
  const cashbackRaw = readU64(u32, at + SwapLane.givenCashbackLo)
  if (cashbackRaw > 0n) swap.cashbackRaw = cashbackRaw
  const route = givenRoute(flags)
  if (route > 0) swap.route = route
  const quoteDecimals = givenQuoteDecimals(flags)
  if (quoteDecimals >= 0) swap.quoteDecimals = quoteDecimals
  if (flags & Flag.chainFeeGiven) swap.chainFeeRaw = readU64(u32, at + SwapLane.chainFeeLo)
  if (flags & Flag.balanceBeforeGiven)
    swap.baseBalanceBeforeRaw = readU64(u32, at + SwapLane.balanceBeforeLo)
  if (flags & Flag.balanceAfterGiven)
    swap.baseBalanceAfterRaw = readU64(u32, at + SwapLane.balanceAfterLo)
  if (flags & Flag.supplyGiven) swap.supplyRaw = readU64(u32, at + SwapLane.supplyLo)
  if (flags & Flag.ownSolPrice) swap.solPriceUsd = f64[(at >>> 1) + SwapFloatLane.givenSolPriceUsd]
  if (flags & Flag.freshGiven) swap.fresh = (flags & Flag.freshValue) !== 0
  if (flags & Flag.proGiven) swap.pro = (flags & Flag.proValue) !== 0
  if (flags & Flag.insiderGiven) swap.insider = (flags & Flag.insiderValue) !== 0
  return swap
}

function signatureOf(u32: Uint32Array, at: number, book: AddressBook): string {
  if (u32[at + SwapLane.flags] & Flag.textSignature) return book.text(u32[at + SwapLane.signature])
  const start = u32.byteOffset + (at + SwapLane.signature) * 4
  return encodeBase58(new Uint8Array(u32.buffer, start, SIGNATURE_LANES * 4))
}
