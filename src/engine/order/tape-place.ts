import { F, U } from '../../events/swap-record.ts'
import type { Tape } from '../state/tape.ts'

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
  const slot = tape.f64Of(index)[(at >>> 1) + F.slot]
  if (slot !== place.slot) return slot - place.slot
  if (u32[at + U.txIndex] !== place.txIndex) return u32[at + U.txIndex] - place.txIndex
  return u32[at + U.ordinal] - place.ordinal
}

/** Index of the first record at or behind a place; the tape's count when there is none. */
export function firstAtPlace(tape: Tape, place: TapePlace): number {
  let low = 0
  let high = tape.count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (comparePlace(tape, middle, place) < 0) low = middle + 1
    else high = middle
  }
  return low
}
