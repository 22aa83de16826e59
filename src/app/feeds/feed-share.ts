import { EngineCounts } from '../../engine/order/progress.ts'
import type { FeedEvent } from '../../events/event.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { RecordBatch } from '../../events/swap-record.ts'

/** Swaps by which it is judged whether a feed tells the market of the folder. */
export const JUDGED_SWAPS = 1_000
/** So many of the judged ones refused as late are nearly all. */
const LATE_SHARE = 0.9

/** Of a feed whose folder seems to be another market's: by what that shows. */
export type Foreign = 'late' | 'slotless'

/** A feed's way to the engine: counts what came of the events of this one feed. */
export class FeedShare implements EventSink {
  readonly counts = new EngineCounts()
  /** Events that it has handed over, whatever came of them. */
  received = 0
  readonly #sink: EventSink
  /** Of all feeds together, since the folder was new. */
  readonly #total: Readonly<EngineCounts>
  readonly #onForeign: (foreign: Foreign) => void
  /** null: it has slots, or its folder was empty, or it was judged. */
  #slotless: SlotlessShare | null
  #isJudged = false

  /** @param onForeign called once for each, when nearly all of the first swaps show it */
  constructor(
    sink: EventSink,
    total: Readonly<EngineCounts>,
    onForeign: (foreign: Foreign) => void,
    slotless: SlotlessShare | null = null,
  ) {
    this.#sink = sink
    this.#total = total
    this.#onForeign = onForeign
    this.#slotless = slotless
  }

  events(batch: readonly FeedEvent[]): void {
    this.received += batch.length
    this.#slotless?.look(batch)
    this.#count(() => this.#sink.events(batch))
    if (this.#slotless?.isFull) this.#judgeSlotless()
  }

  records(batch: RecordBatch): void {
    this.received += batch.events
    this.#count(() => this.#sink.records(batch))
  }

  /** The feed has ended: what it brought is judged, however little it was. */
  ended(): void {
    this.#judge(1)
    this.#judgeSlotless()
  }

  #count(take: () => void): void {
    const before = { ...this.#total }
    take()
    const { counts } = this
    counts.swaps += this.#total.swaps - before.swaps
    counts.duplicates += this.#total.duplicates - before.duplicates
    counts.lateRefused += this.#total.lateRefused - before.lateRefused
    counts.lateFolded += this.#total.lateFolded - before.lateFolded
    counts.aheadRefused += this.#total.aheadRefused - before.aheadRefused
    counts.secondCreations += this.#total.secondCreations - before.secondCreations
    counts.secondMigrations += this.#total.secondMigrations - before.secondMigrations
    counts.events += this.#total.events - before.events
    this.#judge(JUDGED_SWAPS)
  }

  #judge(swapsMin: number): void {
    if (this.#isJudged) return
    const { swaps, duplicates, lateRefused } = this.counts
    const judged = swaps + duplicates + lateRefused
    if (judged < swapsMin) return
    this.#isJudged = true
    if (lateRefused >= judged * LATE_SHARE) this.#onForeign('late')
  }

  /** What had come before mixes nothing. */
  #judgeSlotless(): void {
    const { swaps, duplicates } = this.counts
    if (this.#slotless?.isForeign && swaps > duplicates) this.#onForeign('slotless')
    this.#slotless = null
  }
}

/** What a folder held before a feed began. */
interface HeldMarket {
  /** Did it have this token then? */
  readonly hasToken: (mint: string) => boolean
  /** Unix seconds of its newest event. */
  readonly newestSeconds: number
}

/** Swaps that are judged. */
export const JUDGED_SLOTLESS_SWAPS = 100
/** So many of the judged ones are nearly all. */
const NEARLY_ALL = 0.9
/** What is older by more than this is not what goes on where the folder ends. */
const OLDER_SECONDS = 60

/**
 * Judges whether a recording is of another market than the folder it goes into. By slots the engine sees that: what lies
 * far behind is refused as late. Events without slots go behind the newest one, whatever they are of, for good.
 */
export class SlotlessShare {
  readonly #held: HeldMarket
  #swaps = 0
  #slotless = 0
  /** Of tokens that the folder had not. */
  #fresh = 0
  #older = 0

  constructor(held: HeldMarket) {
    this.#held = held
  }

  /** Looks at events before they are taken. */
  look(batch: readonly FeedEvent[]): void {
    for (const event of batch) {
      if (this.#swaps >= JUDGED_SLOTLESS_SWAPS) return
      if (event.type !== 'swap') continue
      this.#swaps += 1
      if (event.slot === null) this.#slotless += 1
      if (!this.#held.hasToken(event.mint)) this.#fresh += 1
      if (event.timestamp + OLDER_SECONDS < this.#held.newestSeconds) this.#older += 1
    }
  }

  /** Are there as many swaps as are judged? */
  get isFull(): boolean {
    return this.#swaps >= JUDGED_SLOTLESS_SWAPS
  }

  /** Nearly none has a slot, and nearly all are of other tokens or another time. */
  get isForeign(): boolean {
    const nearlyAll = this.#swaps * NEARLY_ALL
    if (this.#swaps === 0 || this.#slotless < nearlyAll) return false
    return this.#fresh >= nearlyAll || this.#older >= nearlyAll
  }
}
