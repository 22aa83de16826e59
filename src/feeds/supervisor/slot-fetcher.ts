import type { Timers } from '../timers.ts'
import type { SlotSequencer } from './slot-sequencer.ts'
import {
  reasonOf,
  type SlotReceiver,
  SlotsUnavailable,
  SlotUnreadable,
  type Source,
} from './source.ts'

/** A back-fill that took longer is ended and tried again. */
const PIECE_MS = 60_000
/** Times a slot is asked for that the chain has and every source lacks or leaves out; some two minutes. */
const LEFT_OUT_MAX = 10

interface SlotAskerOptions {
  readonly sequencer: SlotSequencer
  readonly sources: readonly Source[]
  readonly timers: Timers
}

/** Why no source delivered a piece. */
export interface Failure {
  readonly reason: string
  /** Whether asking again is of no use. */
  readonly isFinal: boolean
  /** Times in a row that a source delivered the piece and left out a slot that the chain is said to have. */
  readonly holes: number
  /** The last slot that every source lacks, if it is final. */
  readonly lacksTo: number
  /** The slots to this one were delivered before it failed; below the first: none was. */
  readonly completeTo: number
}

/** Slots `from` to `to`, both included. */
interface Piece {
  readonly from: number
  readonly to: number
  /** Those of them that have to be delivered, since the chain has blocks there; absent: nobody knows of one. */
  readonly whole?: readonly number[]
}

/** Why one source did not deliver a piece. */
interface Refusal {
  readonly is: 'for now' | 'for good' | 'a hole'
  readonly reason: string
  /** The last slot of which that holds. */
  readonly lacksTo: number
  /** As in `Failure`. */
  readonly completeTo: number
}

/** Asks the sources for slots, one source after the other, and judges what their answers are worth. */
export class SlotFetcher {
  readonly #options: SlotAskerOptions
  /** Times in a row that sources delivered a piece with a hole, and the first slot that was missing then. */
  #leftOut = 0
  #missing = -1

  constructor(options: SlotAskerOptions) {
    this.#options = options
  }

  /** A piece is dealt with: holes are counted anew. */
  settled(): void {
    this.#leftOut = 0
  }

  /** Has the sources deliver the slots to the sequencer. */
  async ask(piece: Piece, signal: AbortSignal): Promise<'complete' | Failure> {
    const { from, to } = piece
    const refusals: Refusal[] = []
    for (const source of this.#options.sources) {
      const answer = await this.#askOne(source, piece, signal)
      if (answer === 'complete') return answer
      if (answer !== null) refusals.push(answer)
    }
    const isForNow = refusals.some(({ is }) => is === 'for now')
    const hasHole = refusals.some(({ is }) => is === 'a hole')
    return {
      reason: refusals.map(({ reason }) => reason).join('; ') || 'no feed can tell old slots',
      isFinal: !isForNow && (!hasHole || this.#isHoleFinal()),
      // Counted just now.
      holes: hasHole && !isForNow ? this.#leftOut : 0,
      lacksTo: Math.max(from, Math.min(to, ...refusals.map(({ lacksTo }) => lacksTo))),
      completeTo: Math.max(from - 1, ...refusals.map(({ completeTo }) => Math.min(completeTo, to))),
    }
  }

  /** Null: it delivers no old slots. */
  async #askOne(
    source: Source,
    { from, to, whole = [] }: Piece,
    signal: AbortSignal,
  ): Promise<'complete' | Refusal | null> {
    if (source.backfill === undefined) return null
    const progress = new Progress(whole)
    const refused = (is: Refusal['is'], why: string, lacksTo = to): Refusal => {
      return { is, reason: `${source.name}: ${why}`, lacksTo, completeTo: progress.completeTo }
    }
    const deadline = new AbortController()
    const stop = () => deadline.abort()
    const cancel = this.#options.timers.after(PIECE_MS, stop)
    signal.addEventListener('abort', stop)
    try {
      await source.backfill(from, to, this.#followedBy(progress), deadline.signal)
      if (deadline.signal.aborted)
        return refused('for now', `it took longer than ${PIECE_MS / 1000} s`)
      const leftOut = this.#leftOutSlot(from, to) ?? progress.lowestMissing
      if (leftOut === null) return 'complete'
      return refused('a hole', `slot ${leftOut} was left out`, leftOut)
    } catch (error) {
      const why = reasonOf(error, source.secrets)
      if (error instanceof SlotsUnavailable) return refused('for good', why, error.to ?? to)
      if (error instanceof SlotUnreadable) return refused('a hole', why, error.slot)
      return refused('for now', why)
    } finally {
      cancel()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Whether a hole was seen in the same place often enough to be believed. */
  #isHoleFinal(): boolean {
    const missing = this.#options.sequencer.gap?.from ?? -1
    this.#leftOut = missing === this.#missing ? this.#leftOut + 1 : 1
    this.#missing = missing
    return this.#leftOut >= LEFT_OUT_MAX
  }

  /** Delivers the sequencer, and how far that has come. */
  #followedBy(progress: Progress): SlotReceiver {
    const { backfill } = this.#options.sequencer
    return {
      transaction: (transaction) => backfill.transaction(transaction),
      slotComplete: (slot, parentSlot) => {
        progress.complete(slot)
        backfill.slotComplete(slot, parentSlot)
      },
    }
  }

  /** The slot that a back-fill to `to` has left out though the chain has a block there; null: none. */
  #leftOutSlot(from: number, to: number): number | null {
    const rest = this.#options.sequencer.gap
    return rest?.hasBlock && rest.from >= from && rest.to <= to ? rest.to : null
  }
}

/** How far one source has come with a piece. */
class Progress {
  readonly #missing: Set<number>
  #highest = -1

  /** @param whole slots that have to be delivered */
  constructor(whole: readonly number[]) {
    this.#missing = new Set(whole)
  }

  complete(slot: number): void {
    this.#missing.delete(slot)
    this.#highest = Math.max(this.#highest, slot)
  }

  /** The first of those that have to be delivered; null: all are. */
  get lowestMissing(): number | null {
    return this.#missing.size === 0 ? null : Math.min(...this.#missing)
  }

  /** Sources deliver in order: all slots to this one that are known to have a block; -1: none. */
  get completeTo(): number {
    return Math.min(this.#highest, (this.lowestMissing ?? Number.POSITIVE_INFINITY) - 1)
  }
}
