import { type EngineCounts, noCounts } from '../../engine/order/progress.ts'
import type { FeedEvent } from '../../events/event.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { RecordBatch } from '../../events/record-batch.ts'
import type { SlotlessShare } from './slotless-share.ts'

/** Swaps by which it is judged whether a feed tells the market of the folder. */
export const JUDGED_SWAPS = 1_000
/** So many of the judged ones refused as late are nearly all. */
const LATE_SHARE = 0.9

/** Of a feed whose folder seems to be another market's: by what that shows. */
export type Foreign = 'late' | 'slotless'

/** A feed's way to the engine: counts what came of the events of this one feed. */
export class FeedShare implements EventSink {
  readonly counts = noCounts()
  /** Events that it has told, whatever came of them. */
  told = 0
  readonly #sink: EventSink
  /** Of all feeds together, since the folder was new. */
  readonly #total: Readonly<EngineCounts>
  readonly #onForeign: (foreign: Foreign) => void
  /** null: it has slots, or its folder was empty, or it was judged. */
  #slotless: SlotlessShare | null
  #isJudged = false

  /** @param onForeign told once of each, when nearly all of the first swaps show it */
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
    this.told += batch.length
    this.#slotless?.look(batch)
    this.#count(() => this.#sink.events(batch))
    if (this.#slotless?.isFull) this.#judgeSlotless()
  }

  records(batch: RecordBatch): void {
    this.told += batch.events
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
