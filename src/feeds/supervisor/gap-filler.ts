import { Backoff } from '../backoff.ts'
import { type Timers, waitFor } from '../timers.ts'
import { INCOMPLETE_SLOTS_MAX, IncompleteSlots, type SlotRange } from './incomplete-slots.ts'
import type { SlotCounters, SlotSequencer } from './slot-sequencer.ts'
import {
  reasonOf,
  type SlotReceiver,
  SlotsUnavailable,
  SlotUnreadable,
  type Source,
} from './source.ts'

/** How long a gap is watched before it is filled: another source, or the same, may deliver it yet. */
const GRACE_MS = 200
/** Between two looks while nothing can be asked for, as while this machine's clock is behind. */
const WAIT_MS = 1_000
/** Slots asked for at once; after each such piece what came is handed over. */
const PIECE_SLOTS = 64
/** Of a long gap, which is not held up by the live slots behind it: the pieces grow while they are quick, to so many. */
const LONG_PIECE_SLOTS_MAX = 4_096
const QUICK_PIECE_MS = 5_000
const SLOW_PIECE_MS = 20_000
/** Times that a piece is delivered with the same hole, behind which the block behind the gap is asked for. */
const HOLES_MAX = 3
/** Times that the block behind a gap is asked for which no source delivers, until the gap is believed to hold none. */
const EMPTY_ANSWERS_MAX = 4

interface GapFillerOptions {
  readonly sequencer: SlotSequencer
  readonly sources: readonly Source[]
  readonly counters: SlotCounters
  readonly timers: Timers
  readonly random: () => number
  /** Slots back-filled at most, by now; of a longer gap the oldest are given up. */
  readonly slotsMax: () => number
  readonly report: (reason: string) => void
  /** Do pieces grow while sources are quick, and shrink while they are slow? */
  readonly hasLongPieces?: boolean
  /** Called when a piece was asked for. */
  readonly onPiece?: () => void
  /** Called before slots are given up. */
  readonly onLost: (from: number, to: number) => void
}

/** Has the slots of gaps delivered again, oldest first, by whichever source can; one back-fill at a time. */
export class GapFiller {
  readonly #options: GapFillerOptions
  readonly #fetcher: SlotFetcher
  readonly #backoff: Backoff
  readonly #incomplete = new IncompleteSlots()
  #isRunning = false
  #pieceSlots = PIECE_SLOTS
  /** Slots up to this one were delivered without what follows them: nobody knows whether they end there. */
  #askedTo = -1
  /** Times in a row that the block behind a gap was left out too, and its slot. */
  #emptyAnswers = 0
  #emptyAnswersOf = -1

  constructor(options: GapFillerOptions) {
    this.#options = options
    this.#fetcher = new SlotFetcher(options.sequencer, options.sources, options.timers)
    this.#backoff = new Backoff(options.random)
  }

  /** Whether a gap is open that is being filled. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Transactions of these slots may be missing though they were delivered whole: they are asked for first. */
  slotsIncomplete(from: number, to: number, signal: AbortSignal): void {
    if (signal.aborted) return
    this.#incomplete.add(from, to)
    void this.fill(signal)
  }

  /** Of those handed over these are asked for no more, where some lie before `first`: they are a gap from now on. */
  takeIncomplete(first: number): SlotRange | null {
    return this.#incomplete.takeTo(this.#options.sequencer.cursor ?? -1, first)
  }

  /** The end: the next start may go on behind what was not delivered again yet. */
  ended(): void {
    for (const { from, to } of this.#incomplete.all)
      this.#options.report(
        `slots ${from} to ${to} may lack trades: they were not told again in time`,
      )
  }

  /** What is missing up to a slot is asked for no more. */
  giveUpTo(slot: number, reason: string): void {
    const { sequencer } = this.#options
    if (sequencer.isShortOf(slot)) this.#giveUp((sequencer.cursor ?? -1) + 1, slot, reason)
  }

  /** Fills until there is no gap; resolves at once when it is at it already. */
  async fill(signal: AbortSignal): Promise<void> {
    const { sequencer, timers } = this.#options
    if (this.#isRunning || (sequencer.gap === null && this.#incomplete.first === null)) return
    this.#isRunning = true
    await waitFor(timers, GRACE_MS, signal)
    let counted = -1
    while (!signal.aborted) {
      // What is behind a gap waits, so that these do not grow too old meanwhile.
      if (this.#incomplete.first !== null) {
        await this.#again(this.#incomplete.first, signal)
        continue
      }
      const { gap } = sequencer
      if (gap === null) break
      if (gap.to !== counted) this.#options.counters.gaps++
      counted = gap.to
      const startMs = timers.nowMs()
      await this.#piece(gap.from, gap.to, signal)
      this.#adapt(timers.nowMs() - startMs)
      this.#options.onPiece?.()
    }
    this.#isRunning = false
  }

  /** Fills until nothing is missing up to a slot, or the signal comes. */
  async fillTo(slot: number, signal: AbortSignal): Promise<void> {
    const { sequencer, timers } = this.#options
    while (!signal.aborted && sequencer.isShortOf(slot)) {
      await this.fill(signal)
      sequencer.goOn()
      if (sequencer.isShortOf(slot)) await waitFor(timers, WAIT_MS, signal)
    }
  }

  #adapt(durationMs: number): void {
    if (!this.#options.hasLongPieces) return
    if (durationMs < QUICK_PIECE_MS)
      this.#pieceSlots = Math.min(this.#pieceSlots * 2, LONG_PIECE_SLOTS_MAX)
    else if (durationMs > SLOW_PIECE_MS) this.#pieceSlots = Math.max(this.#pieceSlots >> 1, 1)
  }

  /** Asks for slots that may have been handed over; what is new in them comes late. */
  async #again({ from, to: last }: SlotRange, signal: AbortSignal): Promise<void> {
    const { sequencer, counters } = this.#options
    const first = (sequencer.cursor ?? -1) - INCOMPLETE_SLOTS_MAX + 1
    if (from < first) {
      const to = Math.min(last, first - 1)
      this.#lose(from, to, `they are more than ${INCOMPLETE_SLOTS_MAX} slots old`)
      this.#incomplete.settle({ from, to })
      return
    }
    const to = this.#endOfPiece(from, last)
    if (sequencer.isLetGo(from)) {
      // Delivered now, they would be buffered before the gap that holds them is filled, however many they are.
      this.#incomplete.settle({ from, to })
      return
    }
    counters.gapSlots += to - from + 1
    const whole = sequencer.wholeAmong(from, to)
    const outcome = await this.#fetcher.ask({ from, to }, whole, signal)
    // A gap meanwhile, which is filled by itself.
    if (signal.aborted || !this.#incomplete.has(from)) return
    const completeTo = outcome === 'complete' ? to : outcome.completeTo
    if (completeTo >= from || (outcome !== 'complete' && outcome.isFinal)) {
      this.#backoff.succeeded()
      this.#fetcher.settled()
    }
    // Also of a piece that failed: a slow source would be asked for the same slots without end.
    if (completeTo >= from) this.#incomplete.settle({ from, to: completeTo })
    if (outcome === 'complete' || completeTo >= to) return
    if (!outcome.isFinal) return this.#failed(completeTo + 1, to, outcome, signal)
    const { reason } = outcome
    const lacksTo = Math.min(to, outcome.lacksTo)
    if (lacksTo <= completeTo) return
    this.#lose(completeTo + 1, lacksTo, reason)
    this.#incomplete.settle({ from: completeTo + 1, to: lacksTo })
  }

  /** The last of those that are asked for at once: all were let go, or none was. */
  #endOfPiece(from: number, last: number): number {
    const { sequencer } = this.#options
    const end = Math.min(last, from + PIECE_SLOTS - 1)
    const isLetGo = sequencer.isLetGo(from)
    let to = from
    while (to < end && sequencer.isLetGo(to + 1) === isLetGo) to++
    return to
  }

  async #piece(from: number, gapEnd: number, signal: AbortSignal): Promise<void> {
    const { sequencer, counters } = this.#options
    const slotsMax = this.#options.slotsMax()
    const first = gapEnd - slotsMax + 1
    if (from < first) {
      this.#giveUp(from, first - 1, `the gap is longer than ${slotsMax} slots`)
      return
    }
    const to = Math.min(gapEnd, Math.max(from - 1, this.#askedTo) + this.#pieceSlots)
    counters.gapSlots += to - from + 1
    const outcome = await this.#fetcher.ask({ from, to }, [], signal)
    if (signal.aborted) return
    if (outcome === 'complete') {
      this.#backoff.succeeded()
      this.#fetcher.settled()
      await this.#closed(to, signal)
    } else if (isAskedBehind(outcome) && (await this.#hasOtherParent(gapEnd, signal))) {
      this.#fetcher.settled()
    } else if (outcome.isFinal) {
      // Some of them may have been delivered meanwhile.
      const rest = sequencer.gap
      if (rest !== null && rest.from <= outcome.lacksTo)
        this.#giveUp(rest.from, Math.min(rest.to, outcome.lacksTo), outcome.reason)
    } else await this.#failed(from, to, outcome, signal)
  }

  /**
   * A slot may be built on another parent than was said when it began: the block behind a gap whose last slot nobody
   * has is asked for, since its own parent counts. Whether the gap is another one then.
   */
  async #hasOtherParent(gapEnd: number, signal: AbortSignal): Promise<boolean> {
    const { sequencer } = this.#options
    if (sequencer.gap?.to !== gapEnd) return false
    await this.#fetcher.ask({ from: gapEnd + 1, to: gapEnd + 1 }, [], signal)
    return !signal.aborted && sequencer.gap?.to !== gapEnd
  }

  /** Whether a block is missing at the end of a piece is shown by the block behind it. */
  async #closed(to: number, signal: AbortSignal): Promise<void> {
    const { sequencer } = this.#options
    const rest = sequencer.gap
    if (rest === null || rest.from > to) return
    if (rest.to > to) {
      this.#askedTo = to
      return
    }
    if (rest.hasBlock) return
    // It may be a node that had not come there yet: the block behind it names its parent.
    const next = rest.to + 1
    const outcome = await this.#fetcher.ask({ from: next, to: next }, [], signal)
    if (signal.aborted) return
    if (outcome !== 'complete' && !outcome.isFinal) return this.#failed(next, next, outcome, signal)
    const still = sequencer.gap
    if (still?.to !== rest.to || still.hasBlock) return
    if (outcome !== 'complete') {
      // Nobody knows whether there is one.
      this.#giveUp(still.from, still.to, outcome.reason)
      return
    }
    this.#emptyAnswers = next === this.#emptyAnswersOf ? this.#emptyAnswers + 1 : 1
    this.#emptyAnswersOf = next
    if (this.#emptyAnswers >= EMPTY_ANSWERS_MAX) sequencer.passOver(rest.to)
    else await this.#failed(next, next, { reason: `slot ${next} was left out` }, signal)
  }

  async #failed(
    from: number,
    to: number,
    { reason }: Pick<Failure, 'reason'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { counters, report, timers } = this.#options
    counters.backfillErrors++
    report(`slots ${from} to ${to} could not be told again: ${reason}`)
    await waitFor(timers, this.#backoff.nextMs(), signal)
  }

  #giveUp(from: number, to: number, reason: string): void {
    this.#lose(from, to, reason)
    this.#options.sequencer.passOver(to)
  }

  #lose(from: number, to: number, reason: string): void {
    const { counters, onLost, report } = this.#options
    onLost(from, to)
    counters.slotsGivenUp += to - from + 1
    report(`slots ${from} to ${to} are given up, their events are missing: ${reason}`)
  }
}

/** At every third hole in a row. */
function isAskedBehind({ holes }: Failure): boolean {
  return holes > 0 && holes % HOLES_MAX === 0
}

/** A back-fill that took longer is ended and tried again. */
const PIECE_MS = 60_000
/** Times a slot is asked for that the chain has and every source lacks or leaves out; some two minutes. */
const LEFT_OUT_MAX = 10

/** Why no source delivered a piece. */
interface Failure {
  readonly reason: string
  /** Whether asking again is of no use. */
  readonly isFinal: boolean
  /** Times in a row that a source delivered the piece and left out a slot that the chain is said to have. */
  readonly holes: number
  /** The last slot that every source lacks, if it is final; it may lie behind the piece. */
  readonly lacksTo: number
  /** The slots to this one were delivered before it failed; below the first: none was. */
  readonly completeTo: number
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
class SlotFetcher {
  readonly #sequencer: SlotSequencer
  readonly #sources: readonly Source[]
  readonly #timers: Timers
  /** Times in a row that sources delivered a piece with a hole, and the first slot that was missing then. */
  #leftOut = 0
  #missing = -1

  constructor(sequencer: SlotSequencer, sources: readonly Source[], timers: Timers) {
    this.#sequencer = sequencer
    this.#sources = sources
    this.#timers = timers
  }

  /** A piece is dealt with: holes are counted anew. */
  settled(): void {
    this.#leftOut = 0
  }

  /**
   * Has the sources deliver the slots to the sequencer.
   * @param whole those of them that have to be delivered, since the chain has blocks there; none: nobody knows of one
   */
  async ask(
    { from, to }: SlotRange,
    whole: readonly number[],
    signal: AbortSignal,
  ): Promise<'complete' | Failure> {
    const refusals: Refusal[] = []
    for (const source of this.#sources) {
      const answer = await this.#askOne(source, { from, to }, whole, signal)
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
      lacksTo: Math.max(from, Math.min(...refusals.map(({ lacksTo }) => lacksTo))),
      completeTo: Math.max(from - 1, ...refusals.map(({ completeTo }) => Math.min(completeTo, to))),
    }
  }

  /** Null: it delivers no old slots. */
  async #askOne(
    source: Source,
    { from, to }: SlotRange,
    whole: readonly number[],
    signal: AbortSignal,
  ): Promise<'complete' | Refusal | null> {
    if (source.backfill === undefined) return null
    const progress = new Progress(whole)
    const refused = (is: Refusal['is'], why: string, lacksTo = to): Refusal => {
      return { is, reason: `${source.name}: ${why}`, lacksTo, completeTo: progress.completeTo }
    }
    const deadline = new AbortController()
    const stop = () => deadline.abort()
    const cancel = this.#timers.after(PIECE_MS, stop)
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
    const missing = this.#sequencer.gap?.from ?? -1
    this.#leftOut = missing === this.#missing ? this.#leftOut + 1 : 1
    this.#missing = missing
    return this.#leftOut >= LEFT_OUT_MAX
  }

  /** Delivers the sequencer, and how far that has come. */
  #followedBy(progress: Progress): SlotReceiver {
    const { backfill } = this.#sequencer
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
    const rest = this.#sequencer.gap
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
