import { Backoff } from '../backoff.ts'
import type { SlotDesk } from './slot-desk.ts'
import { SlotsUnavailable, type Source } from './source.ts'
import type { DeskCounters } from './supervisor-counters.ts'
import { type Timers, waitFor } from './timers.ts'

/** How long a gap is watched before it is filled: another source, or the same, may tell it yet. */
const GRACE_MS = 200
/** Slots asked for at once; after each such piece what came is handed over. */
const PIECE_SLOTS = 64
/** A back-fill that took longer is ended and tried again. */
const PIECE_MS = 60_000

export interface GapFillerOptions {
  readonly desk: SlotDesk
  readonly sources: readonly Source[]
  readonly counters: DeskCounters
  readonly timers: Timers
  readonly random: () => number
  /** Slots back-filled at most; of a longer gap the oldest are given up. */
  readonly slotsMax: number
  readonly report: (reason: string) => void
}

/** Has gaps told again, oldest first, by whichever source can; one back-fill at a time. */
export class GapFiller {
  readonly #options: GapFillerOptions
  readonly #backoff: Backoff
  #isRunning = false

  constructor(options: GapFillerOptions) {
    this.#options = options
    this.#backoff = new Backoff(options.random)
  }

  /** Whether a gap is open that is being filled. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Fills until there is no gap; resolves at once when it is at it already. */
  async fill(signal: AbortSignal): Promise<void> {
    const { desk, timers } = this.#options
    if (this.#isRunning || desk.gap === null) return
    this.#isRunning = true
    await waitFor(timers, GRACE_MS, signal)
    let counted = -1
    for (let gap = desk.gap; gap !== null && !signal.aborted; gap = desk.gap) {
      if (gap.to !== counted) this.#options.counters.gaps++
      counted = gap.to
      await this.#piece(gap.from, gap.to, signal)
    }
    this.#isRunning = false
  }

  async #piece(from: number, gapEnd: number, signal: AbortSignal): Promise<void> {
    const { desk, counters, slotsMax, report, timers } = this.#options
    const first = gapEnd - slotsMax + 1
    if (from < first) {
      this.#giveUp(from, first - 1, `the gap is longer than ${slotsMax} slots`)
      return
    }
    const to = Math.min(gapEnd, from + PIECE_SLOTS - 1)
    counters.gapSlots += to - from + 1
    const outcome = await this.#ask(from, to, signal)
    if (signal.aborted) return
    if (outcome === 'told') {
      this.#backoff.succeeded()
      desk.passOver(to)
    } else if (outcome.isFinal) {
      this.#giveUp(from, to, outcome.reason)
    } else {
      counters.backfillErrors++
      report(`slots ${from} to ${to} could not be told again: ${outcome.reason}`)
      await waitFor(timers, this.#backoff.nextMs(), signal)
    }
  }

  /** Asks the sources one after the other. */
  async #ask(
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<'told' | { readonly reason: string; readonly isFinal: boolean }> {
    let isFinal = true
    const reasons: string[] = []
    for (const source of this.#options.sources) {
      if (source.backfill === undefined) continue
      const deadline = new AbortController()
      const stop = () => deadline.abort()
      const cancel = this.#options.timers.after(PIECE_MS, stop)
      signal.addEventListener('abort', stop)
      try {
        await source.backfill(from, to, this.#options.desk.backfill, deadline.signal)
        if (!deadline.signal.aborted) return 'told'
        isFinal = false
        reasons.push(`${source.name}: it took longer than ${PIECE_MS / 1000} s`)
      } catch (error) {
        if (!(error instanceof SlotsUnavailable)) isFinal = false
        reasons.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`)
      } finally {
        cancel()
        signal.removeEventListener('abort', stop)
      }
    }
    return { reason: reasons.join('; ') || 'no feed can tell old slots', isFinal }
  }

  #giveUp(from: number, to: number, reason: string): void {
    const { desk, counters, report } = this.#options
    counters.slotsGivenUp += to - from + 1
    report(`slots ${from} to ${to} are given up, their events are missing: ${reason}`)
    desk.passOver(to)
  }
}
