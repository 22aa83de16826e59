import { olderLink } from '../../base/errors.ts'
import { Flag, SwapFloatLane, SwapLane, volumeMicroUsdOf } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { type StatePart, sizesOf } from '../memory/state-part.ts'
import { bytesOf } from '../memory/views.ts'
import { WindowLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Seconds of the rolling window (contract section 2). */
const WINDOW_SECONDS = 86_400
/** Seconds the ring of chains spans: a day, and what may lie ahead of the clock. */
export const RING_SECONDS = 1 << 17
const RING_MASK = RING_SECONDS - 1
/** A swap further ahead of the clock than this never enters the window. */
export const AHEAD_SECONDS_MAX = RING_SECONDS - WINDOW_SECONDS - 1

/**
 * The exact 24 h window of every mint: swaps with now − 24 h < timestamp ≤ now. One chain of swaps
 * for each second, through the tape; as the clock moves, chains enter and leave whole, so that the
 * sums of a mint that nobody trades empty by themselves, whatever order timestamps came in.
 */
export class RollingWindow {
  readonly #state: State
  /** Tape index + 1 of the newest swap of each second. */
  readonly #heads = new Uint32Array(RING_SECONDS)

  readonly part: StatePart = {
    name: 'seconds',
    facts: () => [],
    views: () => [bytesOf(this.#heads)],
    open: (facts) => {
      sizesOf('seconds', facts, [])
      return [bytesOf(this.#heads)]
    },
    settle() {},
  }

  constructor(state: State) {
    this.#state = state
  }

  get bytes(): number {
    return this.#heads.byteLength
  }

  /** Links a folded swap and counts it if its second is inside. */
  add(index: number, timestamp: number): void {
    const now = this.#state.now
    if (timestamp <= now - WINDOW_SECONDS || timestamp > now + AHEAD_SECONDS_MAX) return
    const { tape } = this.#state
    tape.u32Of(index)[tape.at(index) + SwapLane.nextInSecond] = this.#heads[timestamp & RING_MASK]
    this.#heads[timestamp & RING_MASK] = index + 1
    if (timestamp <= now) this.#count(index, 1)
  }

  /** Takes the newest swap of its second out again (the tape is rolled back newest first). */
  remove(index: number, timestamp: number): void {
    if (this.#heads[timestamp & RING_MASK] !== index + 1) return
    this.#heads[timestamp & RING_MASK] = this.#nextOf(index)
    if (timestamp <= this.#state.now) this.#count(index, -1)
  }

  /** Moves the clock to `now` (unix seconds, never back). */
  advance(now: number): void {
    const before = this.#state.now
    if (now <= before) return
    this.#state.now = now
    const firstOut = before - WINDOW_SECONDS + 1
    const lastOut = Math.min(now - WINDOW_SECONDS, before)
    for (let second = firstOut; second <= lastOut; second++) this.#leave(second)
    const lastIn = Math.min(now, before + AHEAD_SECONDS_MAX)
    for (let second = before + 1; second <= lastIn; second++) this.#enter(second)
  }

  #leave(second: number): void {
    let next = this.#heads[second & RING_MASK]
    while (next !== 0) {
      this.#count(next - 1, -1)
      next = this.#nextOf(next - 1)
    }
    this.#heads[second & RING_MASK] = 0
  }

  /** A second that lay ahead: counts its chain, or drops it when the clock jumped over a day. */
  #enter(second: number): void {
    if (this.#heads[second & RING_MASK] === 0) return
    if (second <= this.#state.now - WINDOW_SECONDS) {
      this.#heads[second & RING_MASK] = 0
      return
    }
    let next = this.#heads[second & RING_MASK]
    while (next !== 0) {
      this.#count(next - 1, 1)
      next = this.#nextOf(next - 1)
    }
  }

  #nextOf(index: number): number {
    const { tape } = this.#state
    return olderLink(
      tape.u32Of(index)[tape.at(index) + SwapLane.nextInSecond],
      index,
      'swaps of a second',
    )
  }

  #count(index: number, sign: number): void {
    const { tape } = this.#state
    const r = tape.u32Of(index)
    const at = tape.at(index)
    const rf = tape.f64Of(index)
    const lane = rf[(at >>> 1) + SwapFloatLane.volumeMicroUsd]
    // Of all but swaps quoted in a coin the lane has it: a call would put its double on the heap.
    const volumeMicroUsd = lane >= 0 ? lane : volumeMicroUsdOf(r, rf, at)
    const token = r[at + SwapLane.token]
    this.#state.changes.note(token)
    const w = this.#state.windows.u32[token >>> ROW_SHIFT]
    const wf = this.#state.windows.f64[token >>> ROW_SHIFT]
    const wAt = (token & ROW_MASK) * WindowLane.lanes
    const isSell = r[at + SwapLane.flags] & Flag.sell
    const count = wAt + (isSell ? WindowLane.sells : WindowLane.buys)
    const sum = (wAt >>> 1) + (isSell ? WindowLane.sellMicroUsdF : WindowLane.buyMicroUsdF)
    w[count] += sign
    // Beyond 2^53 micro-USD a sum is rounded: what is left of an empty window is nothing all the same.
    wf[sum] = w[count] === 0 ? 0 : wf[sum] + sign * volumeMicroUsd
  }
}
