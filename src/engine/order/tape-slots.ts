import { Flag, SwapFloatLane, SwapLane } from '../../events/swap-record.ts'
import { hashSignature, isSameSignature } from '../state/address-book.ts'
import type { Tape } from '../state/tape.ts'

/** Swaps of a slot looked back over for one of the same transaction; a real slot holds fewer. */
const LOOK_BACK_MAX = 4_096

/** A place in the total order (contract section 2). */
export interface TapePlace {
  readonly slot: number
  readonly txIndex: number
  readonly ordinal: number
}

/** Below 0 when record `index` stands before the place, above 0 behind it. */
export function comparePlace(tape: Tape, index: number, place: TapePlace): number {
  const u32 = tape.u32Of(index)
  const at = tape.at(index)
  const slot = tape.f64Of(index)[(at >>> 1) + SwapFloatLane.slot]
  if (slot !== place.slot) return slot - place.slot
  if (u32[at + SwapLane.txIndex] !== place.txIndex)
    return u32[at + SwapLane.txIndex] - place.txIndex
  return u32[at + SwapLane.ordinal] - place.ordinal
}

/** Index of the first record at or behind a place; the tape's count when there is none. */
function firstAtPlace(tape: Tape, place: TapePlace): number {
  let low = 0
  let high = tape.count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (comparePlace(tape, middle, place) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Index of a transaction whose feed gave none, among the swaps of its slot: that of the newest swap
 * with its signature, else the one after the highest; 0 in a slot without swaps.
 */
export function txIndexInTape(
  tape: Tape,
  slot: number,
  signatureHigh: number,
  signatureLow: number,
): number {
  const end = firstAtPlace(tape, { slot: slot + 1, txIndex: 0, ordinal: 0 })
  let next = -1
  for (let index = end - 1; index >= Math.max(0, end - LOOK_BACK_MAX); index--) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if (slotOf(tape, index) !== slot) break
    if (u32[at + SwapLane.flags] & Flag.noSlot) continue
    if (next < 0) next = u32[at + SwapLane.txIndex] + 1
    const signatureHash = hashSignature(u32, at + SwapLane.signature)
    if (signatureHash[0] === signatureHigh && signatureHash[1] === signatureLow)
      return u32[at + SwapLane.txIndex]
  }
  return Math.max(0, next)
}

/**
 * First swap of the transaction that swap `end - 1` is of; 0 when it is longer than any real one. A
 * swap before it shares no transaction with one from `end` on.
 */
export function firstOfTransaction(tape: Tape, end: number): number {
  if (end === 0) return 0
  const at = tape.at(end - 1)
  // A copy: the lanes of a record that has left memory are good only until another is asked for.
  const last = tape.u32Of(end - 1).slice(at, at + tape.lanes)
  const least = Math.max(0, end - LOOK_BACK_MAX)
  let first = end - 1
  while (first > least && isSameSignature(tape.u32Of(first - 1), tape.at(first - 1), last, 0))
    first -= 1
  return first === least ? 0 : first
}

function slotOf(tape: Tape, index: number): number {
  return tape.f64Of(index)[(tape.at(index) >>> 1) + SwapFloatLane.slot]
}
