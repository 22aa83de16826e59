import { olderLink } from '../../base/errors.ts'
import { ARRIVAL_BITS, ARRIVAL_SHIFT, SwapLane } from '../../events/swap-record.ts'
import { TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/*
 * The order in which a mint's swaps arrived, beside the total order of the tape.
 *
 * The arrival number of a swap is the count of its mint's swaps that had arrived, itself included. In the
 * tape it is the swap's rank in the mint plus a displacement: 0 for nearly all. A swap that arrives late
 * goes before some; it is displaced by their number, and each of them by one less. Six bits of the record's
 * flags store it.
 */

/** Farthest displacement that is stored, to both sides. */
const DISPLACEMENT_MAX = 31
/** Stands for all farther ones. */
const LOST = -DISPLACEMENT_MAX - 1

/** Records that have left memory read for one answer at most: each may be a read of the disk. */
const ARCHIVED_READS_MAX = 1_000

function displacementOf(flags: number): number {
  return (flags | 0) >> ARRIVAL_SHIFT
}

/** Flags of a swap that is displaced by so many more: those that arrived late before it, less, those that it passed. */
export function displaced(flags: number, more: number): number {
  const before = displacementOf(flags)
  const by = before + more
  const stored = before === LOST || Math.abs(by) > DISPLACEMENT_MAX ? LOST : by
  return ((flags & ~ARRIVAL_BITS) | (stored << ARRIVAL_SHIFT)) >>> 0
}

/**
 * Tape indexes of a mint's swaps behind arrival number `after`, in order of arrival; good until the
 * next event. Reads as many records as there are, and up to DISPLACEMENT_MAX more. A text says why the order
 * cannot be given.
 */
export function swapsArrivedAfter(
  state: State,
  token: number,
  after: number,
): readonly number[] | 'too_old' | 'order_lost' {
  const { tape } = state
  const total = state.tokens.get(token, TokenLane.swaps)
  const found: number[] = new Array(Math.max(0, total - after)).fill(-1)
  let left = found.length
  let archivedReads = 0
  let next = state.tokens.get(token, TokenLane.lastSwapPlus1)
  for (let rank = total; left > 0 && next !== 0 && rank + DISPLACEMENT_MAX > after; rank--) {
    const index = next - 1
    if (index < tape.firstInMemory && ++archivedReads > ARCHIVED_READS_MAX) return 'too_old'
    const lanes = tape.u32Of(index)
    const at = tape.at(index)
    const displacement = displacementOf(lanes[at + SwapLane.flags])
    const place = rank + displacement - after - 1
    if (displacement !== LOST && place >= 0) {
      found[place] = index
      left -= 1
    }
    next = olderLink(lanes[at + SwapLane.previousInMint], index, 'swaps of a mint')
  }
  return left === 0 ? found : 'order_lost'
}
