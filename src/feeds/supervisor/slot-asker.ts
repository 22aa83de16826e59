import { reasonOf } from './reason.ts'
import type { SlotDesk } from './slot-desk.ts'
import { type SlotReceiver, SlotsUnavailable, SlotUnreadable, type Source } from './source.ts'
import type { Timers } from './timers.ts'

/** A back-fill that took longer is ended and tried again. */
const PIECE_MS = 60_000
/** Times a slot is asked for that the chain has and every source lacks or leaves out; some two minutes. */
const LEFT_OUT_MAX = 10

export interface SlotAskerOptions {
  readonly desk: SlotDesk
  readonly sources: readonly Source[]
  readonly timers: Timers
}

/** Why no source told a piece. */
export interface Failure {
  readonly reason: string
  /** Whether asking again is of no use. */
  readonly isFinal: boolean
  /** The last slot that every source lacks, if it is final. */
  readonly lacksTo: number
}

/** Asks the sources for slots, one source after the other, and judges what their answers are worth. */
export class SlotAsker {
  readonly #options: SlotAskerOptions
  /** Times in a row that sources told a piece with a hole, and the first slot that was missing then. */
  #leftOut = 0
  #missing = -1

  constructor(options: SlotAskerOptions) {
    this.#options = options
  }

  /** A piece is dealt with: holes are counted anew. */
  settled(): void {
    this.#leftOut = 0
  }

  /** Has the slots told to the desk. */
  async ask(from: number, to: number, signal: AbortSignal): Promise<'told' | Failure> {
    let isFinal = true
    let hasHole = false
    let lacksTo = to
    const reasons: string[] = []
    const known = this.#options.desk.wholeAmong(from, to)
    for (const source of this.#options.sources) {
      if (source.backfill === undefined) continue
      const deadline = new AbortController()
      const stop = () => deadline.abort()
      const cancel = this.#options.timers.after(PIECE_MS, stop)
      signal.addEventListener('abort', stop)
      try {
        const untold = new Set(known)
        await source.backfill(from, to, this.#withoutTold(untold), deadline.signal)
        const leftOut = this.#leftOutSlot(from, to) ?? lowestOf(untold)
        if (deadline.signal.aborted) {
          isFinal = false
          reasons.push(`${source.name}: it took longer than ${PIECE_MS / 1000} s`)
        } else if (leftOut === null) return 'told'
        else {
          hasHole = true
          reasons.push(`${source.name}: slot ${leftOut} was left out`)
        }
      } catch (error) {
        if (error instanceof SlotsUnavailable)
          lacksTo = Math.max(from, Math.min(lacksTo, error.to ?? to))
        else if (error instanceof SlotUnreadable) {
          hasHole = true
          lacksTo = Math.max(from, Math.min(lacksTo, error.slot))
        } else isFinal = false
        reasons.push(`${source.name}: ${reasonOf(error, source.secrets)}`)
      } finally {
        cancel()
        signal.removeEventListener('abort', stop)
      }
    }
    if (hasHole && isFinal) {
      const missing = this.#options.desk.gap?.from ?? -1
      this.#leftOut = missing === this.#missing ? this.#leftOut + 1 : 1
      this.#missing = missing
      isFinal = this.#leftOut >= LEFT_OUT_MAX
    }
    return { reason: reasons.join('; ') || 'no feed can tell old slots', isFinal, lacksTo }
  }

  /** Tells the desk, and takes the slots that are told whole out of those that have to be. */
  #withoutTold(untold: Set<number>): SlotReceiver {
    const { backfill } = this.#options.desk
    return {
      transaction: (transaction) => backfill.transaction(transaction),
      slotComplete: (slot, parentSlot) => {
        untold.delete(slot)
        backfill.slotComplete(slot, parentSlot)
      },
    }
  }

  /** The slot that a back-fill to `to` has left out though the chain has a block there; null: none. */
  #leftOutSlot(from: number, to: number): number | null {
    const rest = this.#options.desk.gap
    return rest?.hasBlock && rest.from >= from && rest.to <= to ? rest.to : null
  }
}

/** null: there are none. */
function lowestOf(slots: ReadonlySet<number>): number | null {
  return slots.size === 0 ? null : Math.min(...slots)
}
