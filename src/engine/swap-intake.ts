import { decodeBase58 } from '../base/base58.ts'
import { writeU64 } from '../base/u64.ts'
import type { AddressBook } from './address-book.ts'
import type { Swap } from './event.ts'
import { RecordBatch } from './record-batch.ts'
import { F, Flag, SIGNATURE_LANES, U } from './swap-record.ts'

const SIGNATURE_BYTES = SIGNATURE_LANES * 4
/** Slots whose transactions are counted for events without a transaction index. */
const SLOTS_COUNTED = 64

/** Turns swap events into records: interns addresses, packs the signature, marks what was given. */
export class SwapIntake {
  readonly #book: AddressBook
  readonly #indexes = new TransactionIndexes()

  constructor(book: AddressBook) {
    this.#book = book
  }

  /** Transaction index of an event: its own, or one counted in order of arrival in its slot. */
  txIndexOf(slot: number | null, txIndex: number | null, signature: string): number {
    if (txIndex !== null) return txIndex
    return slot === null ? 0 : this.#indexes.next(slot, signature)
  }

  /** An event with a slot was taken: later ones without an index count from it. */
  taken(slot: number | null, txIndex: number, signature: string): void {
    if (slot !== null) this.#indexes.add(slot, txIndex, signature)
  }

  /** Appends a swap to a batch that is not full. */
  append(swap: Swap, batch: RecordBatch): void {
    const index = batch.next()
    const u32 = batch.u32
    const at = RecordBatch.u32At(index)
    batch.f64[RecordBatch.f64At(index) + F.slot] = swap.slot ?? 0
    u32[at + U.txIndex] = this.txIndexOf(swap.slot, swap.txIndex, swap.signature)
    u32[at + U.ordinal] = swap.ordinal
    u32[at + U.timestamp] = swap.timestamp
    u32[at + U.token] = this.#book.token(swap.mint)
    u32[at + U.wallet] = this.#book.wallet(swap.signer)
    u32[at + U.pool] = this.#book.address(swap.pool)
    writeAmounts(swap, u32, at)
    let flags = flagsOfSwap(swap)
    if (swap.solPriceUsd !== undefined)
      batch.f64[RecordBatch.f64At(index) + F.givenSolPriceUsd] = swap.solPriceUsd
    if (!writeSignature(swap.signature, batch.bytes, (at + U.signature) * 4)) {
      u32[at + U.signature] = this.#book.address(swap.signature)
      flags |= Flag.textSignature
    }
    u32[at + U.flags] = flags
  }
}

function writeAmounts(swap: Swap, u32: Uint32Array, at: number): void {
  writeU64(u32, at + U.baseLo, swap.baseRaw)
  writeU64(u32, at + U.quoteLo, swap.quoteRaw)
  writeU64(u32, at + U.virtualBaseLo, swap.virtualBaseRaw)
  writeU64(u32, at + U.virtualQuoteLo, swap.virtualQuoteRaw)
  writeU64(u32, at + U.realBaseLo, swap.realBaseRaw)
  writeU64(u32, at + U.platformFeeLo, swap.platformFeeRaw)
  writeU64(u32, at + U.creatorFeeLo, swap.creatorFeeRaw)
  writeU64(u32, at + U.chainFeeLo, swap.chainFeeRaw ?? 0n)
  writeU64(u32, at + U.balanceBeforeLo, swap.baseBalanceBeforeRaw ?? 0n)
  writeU64(u32, at + U.balanceAfterLo, swap.baseBalanceAfterRaw ?? 0n)
  writeU64(u32, at + U.supplyLo, swap.supplyRaw ?? 0n)
}

function flagsOfSwap(swap: Swap): number {
  let flags = 0
  if (swap.direction === 'sell') flags |= Flag.sell
  if (swap.source === 'pump_amm') flags |= Flag.amm
  if (swap.slot === null) flags |= Flag.noSlot
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

/** Packs a base58 signature of 64 bytes; false for any other text. */
function writeSignature(signature: string, bytes: Uint8Array, at: number): boolean {
  if (signature.length < SIGNATURE_BYTES || signature.length > 88) return false
  const decoded = decodeBase58(signature)
  if (decoded === null || decoded.length !== SIGNATURE_BYTES) return false
  bytes.set(decoded, at)
  return true
}

/** Arrival order of transactions within recent slots, for feeds that give no index. */
class TransactionIndexes {
  readonly #slots = new Map<number, { highest: number; bySignature: Map<string, number> }>()

  next(slot: number, signature: string): number {
    const known = this.#slots.get(slot)
    if (known === undefined) return 0
    return known.bySignature.get(signature) ?? known.highest + 1
  }

  add(slot: number, txIndex: number, signature: string): void {
    let known = this.#slots.get(slot)
    if (known === undefined) {
      known = { highest: -1, bySignature: new Map() }
      this.#slots.set(slot, known)
      if (this.#slots.size > SLOTS_COUNTED) this.#dropOldest()
    }
    if (txIndex > known.highest) known.highest = txIndex
    known.bySignature.set(signature, txIndex)
  }

  #dropOldest(): void {
    for (const slot of this.#slots.keys()) {
      this.#slots.delete(slot)
      return
    }
  }
}
