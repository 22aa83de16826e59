import { writeU64 } from '../../base/u64.ts'
import type { Swap } from '../../events/event.ts'
import { quoteOf } from '../../events/platform.ts'
import {
  Flag,
  givenBits,
  poolLane,
  RecordBatch,
  SwapFloatLane,
  SwapLane,
} from '../../events/swap-record.ts'
import type { AddressBook } from '../state/address-book.ts'

/**
 * Turns swap events into records: interns addresses, packs the signature, marks what was given. A
 * record is complete without a look at what was folded before it.
 */
export class SwapIntake {
  readonly #book: AddressBook

  constructor(book: AddressBook) {
    this.#book = book
  }

  /** Appends a swap to a batch that is not full. */
  append(swap: Swap, batch: RecordBatch): void {
    const index = batch.next()
    const u32 = batch.u32
    const at = RecordBatch.u32At(index)
    batch.f64[RecordBatch.f64At(index) + SwapFloatLane.slot] = swap.slot ?? 0
    u32[at + SwapLane.txIndex] = swap.txIndex ?? 0
    u32[at + SwapLane.ordinal] = swap.ordinal
    u32[at + SwapLane.timestamp] = swap.timestamp
    u32[at + SwapLane.token] = this.#book.token(swap.mint)
    u32[at + SwapLane.wallet] = this.#book.wallet(swap.signer)
    u32[at + SwapLane.pool] = poolLane(this.#book.address(swap.pool), toldQuote(swap))
    if (swap.quoteMint !== undefined)
      u32[at + SwapLane.quoteMint] = this.#book.address(swap.quoteMint)
    writeAmounts(swap, u32, at)
    let flags = flagsOfSwap(swap) | givenBits(swap.route, swap.quoteDecimals)
    if (swap.solPriceUsd !== undefined)
      batch.f64[RecordBatch.f64At(index) + SwapFloatLane.givenSolPriceUsd] = swap.solPriceUsd
    if (this.#book.packSignature(swap.signature, u32, at + SwapLane.signature))
      flags |= Flag.textSignature
    u32[at + SwapLane.flags] = flags
  }
}

function toldQuote({ quoteMint }: Swap): number | undefined {
  return quoteMint === undefined ? undefined : quoteOf(quoteMint)
}

function writeAmounts(swap: Swap, u32: Uint32Array, at: number): void {
  writeU64(u32, at + SwapLane.baseLo, swap.baseRaw)
  writeU64(u32, at + SwapLane.quoteLo, swap.quoteRaw)
  writeU64(u32, at + SwapLane.virtualBaseLo, swap.virtualBaseRaw)
  writeU64(u32, at + SwapLane.virtualQuoteLo, swap.virtualQuoteRaw)
  writeU64(u32, at + SwapLane.realBaseLo, swap.realBaseRaw)
  writeU64(u32, at + SwapLane.realQuoteLo, swap.realQuoteRaw)
  writeU64(u32, at + SwapLane.platformFeeLo, swap.platformFeeRaw)
  writeU64(u32, at + SwapLane.creatorFeeLo, swap.creatorFeeRaw)
  writeU64(u32, at + SwapLane.givenLpFeeLo, swap.lpFeeRaw ?? 0n)
  writeU64(u32, at + SwapLane.givenCashbackLo, swap.cashbackRaw ?? 0n)
  writeU64(u32, at + SwapLane.chainFeeLo, swap.chainFeeRaw ?? 0n)
  writeU64(u32, at + SwapLane.balanceBeforeLo, swap.baseBalanceBeforeRaw ?? 0n)
  writeU64(u32, at + SwapLane.balanceAfterLo, swap.baseBalanceAfterRaw ?? 0n)
  writeU64(u32, at + SwapLane.supplyLo, swap.supplyRaw ?? 0n)
}

function flagsOfSwap(swap: Swap): number {
  let flags = 0
  if (swap.direction === 'sell') flags |= Flag.sell
  if (swap.source === 'pump_amm') flags |= Flag.amm
  if (swap.slot === null) flags |= Flag.noSlot
  if (swap.txIndex === null) flags |= Flag.noTxIndex
  if (swap.baseBalanceBeforeRaw !== undefined) flags |= Flag.balanceBeforeGiven
  if (swap.baseBalanceAfterRaw !== undefined) flags |= Flag.balanceAfterGiven
  if (swap.chainFeeRaw !== undefined) flags |= Flag.chainFeeGiven
  if (swap.supplyRaw !== undefined) flags |= Flag.supplyGiven
  if (swap.solPriceUsd !== undefined) flags |= Flag.ownSolPrice
  flags |= said(swap.fresh, Flag.freshGiven, Flag.freshValue)
  flags |= said(swap.pro, Flag.proGiven, Flag.proValue)
  flags |= said(swap.insider, Flag.insiderGiven, Flag.insiderValue)
  const amounts = [swap.baseRaw, swap.quoteRaw, swap.virtualBaseRaw, swap.virtualQuoteRaw]
  return amounts.includes(0n) ? flags | Flag.priceStays : flags
}

function said(value: boolean | undefined, given: number, isTrue: number): number {
  if (value === undefined) return 0
  return value ? given | isTrue : given
}
