import { encodeBase58 } from '../../base/base58.ts'
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

/** Lanes of swap records; the record begins at u32 lane `at`, an even one. */
interface RecordLanes {
  readonly u32: Uint32Array
  readonly f64: Float64Array
  readonly at: number
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * The swap that `SwapIntake.append` made a record of. Only as the feed gave it: the fold writes
 * over lanes of the record it folds.
 */
export function swapOfRecord(record: RecordLanes, book: AddressBook): Swap {
  const { u32, f64, at } = record
  const flags = u32[at + SwapLane.flags]
  const swap: Mutable<Swap> = {
    type: 'swap',
    slot: flags & Flag.noSlot ? null : f64[(at >>> 1) + SwapFloatLane.slot],
    txIndex: flags & Flag.noTxIndex ? null : u32[at + SwapLane.txIndex],
    ordinal: u32[at + SwapLane.ordinal],
    signature: signatureOf(record, book),
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
  }
  addGiven(swap, record)
  if (givenQuoteOf(u32, at) >= 0) swap.quoteMint = book.text(u32[at + SwapLane.quoteMint])
  return swap
}

/** The newest swaps in memory that came without a slot, oldest first; looks at `most` records. */
export function newestSlotlessSwaps({ tape, book }: State, most: number): readonly SwapContent[] {
  const found: SwapContent[] = []
  const from = Math.max(tape.firstInMemory, tape.count - most)
  for (let index = from; index < tape.count; index++) {
    const record = { u32: tape.u32Of(index), f64: tape.f64Of(index), at: tape.at(index) }
    const { u32, at } = record
    if ((u32[at + SwapLane.flags] & Flag.noSlot) === 0) continue
    found.push({
      signature: signatureOf(record, book),
      mint: book.mintOf(u32[at + SwapLane.token]),
      direction: u32[at + SwapLane.flags] & Flag.sell ? 'sell' : 'buy',
      baseRaw: readU64(u32, at + SwapLane.baseLo),
    })
  }
  return found
}

/** Unix seconds of the newest swap in memory that came with a slot; looks at `most` records, 0: none of them did. */
export function newestSecondsOfSlot({ tape }: State, most: number): number {
  const from = Math.max(tape.firstInMemory, tape.count - most)
  for (let index = tape.count - 1; index >= from; index--) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if ((u32[at + SwapLane.flags] & Flag.noSlot) === 0) return u32[at + SwapLane.timestamp]
  }
  return 0
}

/** By slot, of the newest ones down to `fromSlot`, the highest index that a swap in memory has; looks at `most` records. */
export function highestIndexes(
  { tape }: State,
  fromSlot: number,
  most: number,
): Map<number, number> {
  const highest = new Map<number, number>()
  const from = Math.max(tape.firstInMemory, tape.count - most)
  for (let index = tape.count - 1; index >= from; index--) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if ((u32[at + SwapLane.flags] & Flag.noSlot) !== 0) continue
    const slot = tape.f64Of(index)[(at >>> 1) + SwapFloatLane.slot]
    if (slot < fromSlot) break
    // They lie in the total order.
    if (!highest.has(slot)) highest.set(slot, u32[at + SwapLane.txIndex])
  }
  return highest
}

/** What a feed may leave out is there when its flag says that it was given. */
function addGiven(swap: Mutable<Swap>, { u32, f64, at }: RecordLanes): void {
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
}

function signatureOf({ u32, at }: RecordLanes, book: AddressBook): string {
  if (u32[at + SwapLane.flags] & Flag.textSignature) return book.text(u32[at + SwapLane.signature])
  const start = u32.byteOffset + (at + SwapLane.signature) * 4
  return encodeBase58(new Uint8Array(u32.buffer, start, SIGNATURE_LANES * 4))
}
