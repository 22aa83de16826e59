import { type SwapMark, U } from '../../events/swap-record.ts'
import type { Tape } from '../state/tape.ts'

export function markOf(tape: Tape, index: number): SwapMark {
  const u32 = tape.u32Of(index)
  const at = tape.at(index)
  return { index, ordinal: u32[at + U.ordinal], word: u32[at + U.signature] }
}

/** Index of the swap of a mark that has moved on by less than `moves` since; -1 when there is none. */
export function indexOfMark(tape: Tape, mark: SwapMark, moves: number): number {
  const end = Math.min(tape.count, mark.index + moves)
  for (let index = mark.index; index < end; index++) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if (u32[at + U.signature] === mark.word && u32[at + U.ordinal] === mark.ordinal) return index
  }
  return -1
}
