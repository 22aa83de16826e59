import { type FeedEvent, gapEvent, OPEN_GAP_SLOTS_MAX } from '../../events/event.ts'
import { type Timers, waitFor } from '../timers.ts'
import { GapFiller } from './gap-filler.ts'
import type { SlotRange } from './incomplete-slots.ts'
import type { SlotCounters, SlotSequencer } from './slot-sequencer.ts'
import type { Source } from './source.ts'

/** Gaps that later slots go on without at the same time; past it the oldest is given up. */
const OPEN_GAPS_MAX = 16
/** Events held until they are handed over together; past it they go however many came later. */
const HELD_EVENTS_MAX = 50_000
/** A longer gap holds what is behind it until so much of it is left: the chain goes on while the rest is filled. */
const RELEASED_SLOTS_MAX = OPEN_GAP_SLOTS_MAX / 2

/** Slots `from` to `to`, both included, that later ones go on without. */
export interface OpenGap {
  readonly from: number
  readonly to: number
  /** Unix seconds of the first event behind them. */
  readonly seconds: number
}

interface OpenGapsOptions {
  readonly live: SlotSequencer
  /** How long a gap holds what is behind it. */
  readonly waitMs: number
  /** Those that the run before went on without. */
  readonly openGaps: readonly OpenGap[]
  readonly sources: readonly Source[]
  readonly counters: SlotCounters
  readonly timers: Timers
  readonly random: () => number
  /** Slots back-filled at most, by now; of a longer gap the oldest are given up. */
  readonly slotsMax: () => number
  /** Unix seconds of the newest event that was handed over, in a run before where this one has none. */
  readonly newestSeconds: () => number
  /** Events that were handed over, those of back-fills not among them. */
  readonly handedOver: () => number
  readonly handOver: (events: readonly FeedEvent[]) => void
  /**
   * Has a gap filled that is too long for the undo log, without holding what is behind it; false: it cannot be now.
   * Absent: such a gap holds what is behind it until little of it is left.
   */
  readonly takeLong?: ((gap: OpenGap) => boolean) | undefined
  /** Called when a gap holds nothing any more. */
  readonly onReleased: () => void
  readonly report: (reason: string) => void
  readonly signal: AbortSignal
}

/**
 * The gaps that later slots go on without: a gap holds what is behind it for a time at most, and is filled behind it
 * then, one gap after the other.
 */
export class OpenGaps {
  readonly #options: OpenGapsOptions
  /** Oldest first; the first is being filled. */
  readonly #backfills: GapBackfill[] = []
  #isFilling = false
  /** Since when what is behind a gap waits; null: nothing does. */
  #sinceMs: number | null = null

  constructor(options: OpenGapsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#backfills.length
  }

  /** Goes on with the gaps of the run before. */
  resume(): void {
    const { live, openGaps } = this.#options
    for (const gap of openGaps) this.#add(gap, (handOver) => live.reopen(gap, handOver))
  }

  /** Has what is behind a gap go on without it, once it has waited long enough. */
  look(): void {
    const { live, signal, timers, waitMs } = this.#options
    if (live.gap === null || signal.aborted) {
      this.#sinceMs = null
      return
    }
    const nowMs = timers.nowMs()
    if (this.#sinceMs === null) {
      this.#sinceMs = nowMs
      if (Number.isFinite(waitMs)) void waitFor(timers, waitMs, signal).then(() => this.look())
    }
    if (nowMs - this.#sinceMs < waitMs) return
    const { from, to } = live.gap
    if (to - from < RELEASED_SLOTS_MAX) this.#release(live.gap)
    else this.#passLong({ from, to, seconds: this.#secondsBehind() })
  }

  #passLong(gap: OpenGap): void {
    const { handOver, live, onReleased, report, takeLong } = this.#options
    if (takeLong?.(gap) !== true) return
    const { from, to } = gap
    this.#sinceMs = null
    handOver([gapEvent('lost', gap)])
    report(
      `slots ${from} to ${to} are missing: later ones go on, and these are fetched beside them`,
    )
    live.passOver(to)
    onReleased()
  }

  /** Slots that hold what is behind them are given up. */
  tellLost(from: number, to: number): void {
    this.#options.handOver([gapEvent('lost', { from, to, seconds: this.#secondsBehind() })])
  }

  #release({ from, to }: { readonly from: number; readonly to: number }): void {
    const { handOver, live, onReleased, report } = this.#options
    const gap = { from, to, seconds: this.#secondsBehind() }
    this.#sinceMs = null
    handOver([gapEvent('open', gap)])
    report(`slots ${from} to ${to} are missing: later ones go on, and these are filled behind them`)
    this.#add(gap, (handOverFilled) => live.release(handOverFilled))
    onReleased()
  }

  /** Slots that were handed over and may lack trades are filled behind what goes on, also by the next run. */
  again({ from, to }: SlotRange): void {
    const { handOver, live, report } = this.#options
    const gap = { from, to, seconds: this.#secondsBehind() }
    handOver([gapEvent('open', gap)])
    report(`slots ${from} to ${to} were not told again in time: later ones go on meanwhile`)
    this.#add(gap, (handOverFilled) => live.reopen(gap, handOverFilled))
  }

  /** Unix seconds of what waits behind the gap; of what was handed over last where nothing does. */
  #secondsBehind(): number {
    const { earliestSeconds } = this.#options.live
    return Number.isFinite(earliestSeconds) ? earliestSeconds : this.#options.newestSeconds()
  }

  #add(
    gap: OpenGap,
    sequencerOf: (handOver: (events: readonly FeedEvent[]) => void) => SlotSequencer | null,
  ): void {
    if (this.#backfills.length >= OPEN_GAPS_MAX) this.#backfills.shift()?.giveUp()
    const held: FeedEvent[] = []
    const before = this.#options.handedOver()
    const sequencer = sequencerOf((events) => held.push(...events))
    if (sequencer === null) return
    this.#backfills.push(new GapBackfill(this.#options, gap, sequencer, held, before))
    if (!this.#isFilling) void this.#fill()
  }

  async #fill(): Promise<void> {
    const { signal } = this.#options
    this.#isFilling = true
    for (let next = this.#backfills[0]; next !== undefined; next = this.#backfills[0]) {
      await next.run(signal)
      if (signal.aborted) break
      if (this.#backfills[0] === next) this.#backfills.shift()
    }
    this.#isFilling = false
  }
}

/**
 * Fills one gap. What comes of it is handed over in runs of at least as many events as came later, so that folding
 * these again costs no more than the run itself.
 */
class GapBackfill {
  readonly #options: OpenGapsOptions
  readonly #gap: OpenGap
  readonly #sequencer: SlotSequencer
  readonly #filler: GapFiller
  /** What came of the gap in order, and is not handed over yet. */
  readonly #held: FeedEvent[]
  /** Events that were handed over when the gap began to hold nothing. */
  readonly #before: number
  /** The first slot that was not handed over. */
  #from: number

  constructor(
    options: OpenGapsOptions,
    gap: OpenGap,
    sequencer: SlotSequencer,
    held: FeedEvent[],
    before: number,
  ) {
    this.#options = options
    this.#gap = gap
    this.#sequencer = sequencer
    this.#held = held
    this.#before = before
    this.#from = gap.from
    this.#filler = new GapFiller({
      ...options,
      sequencer,
      slotsMax: () => this.#slotsMax(),
      onPiece: () => this.#handOver(false),
      onLost: (from, to) => this.#lost(from, to),
    })
  }

  /** Asks until the gap is filled or given up, or the signal comes: the next run goes on then. */
  async run(signal: AbortSignal): Promise<void> {
    const { to } = this.#gap
    await this.#filler.fillTo(to, signal)
    if (!signal.aborted) this.#handOver(true)
  }

  /** The whole gap is given up: later ones are more than can be filled. */
  giveUp(): void {
    this.#filler.giveUpTo(this.#gap.to, `${OPEN_GAPS_MAX} newer gaps are open`)
    // All of it may have come as it happens while it waited for its turn.
    this.#handOver(true)
  }

  #slotsMax(): number {
    const { live, slotsMax } = this.#options
    const behind = (live.cursor ?? this.#gap.to) - this.#gap.to
    return Math.max(0, Math.min(slotsMax(), OPEN_GAP_SLOTS_MAX - behind))
  }

  #handOver(isEnd: boolean): void {
    const filledTo = Math.min(this.#gap.to, this.#sequencer.cursor ?? -1)
    if (filledTo < this.#from) return
    const later = this.#options.handedOver() - this.#before
    const isWhole = filledTo === this.#gap.to
    if (!isEnd && !isWhole && this.#held.length < Math.min(HELD_EVENTS_MAX, later)) return
    // What came behind its slot waits for one more, and none of the gap follows.
    if (isWhole) this.#sequencer.flush()
    const events = this.#held.splice(0)
    const range = { ...this.#gap, from: this.#from, to: filledTo }
    this.#from = filledTo + 1
    this.#options.handOver([gapEvent('filling', range), ...events, gapEvent('filled', range)])
  }

  /** Slots that nobody can deliver whole; what was delivered before them, and in part of them, is handed over first. */
  #lost(from: number, to: number): void {
    this.#handOver(true)
    const lost = { ...this.#gap, from, to: Math.min(to, this.#gap.to) }
    this.#from = Math.max(this.#from, lost.to + 1)
    this.#sequencer.passOver(lost.to)
    if (lost.to === this.#gap.to) this.#sequencer.flush()
    const isOfThese = (event: FeedEvent) => 'slot' in event && (event.slot ?? 0) <= lost.to
    const parts = this.#held.splice(0, this.#held.findLastIndex(isOfThese) + 1)
    const begun = parts.length > 0 ? [gapEvent('filling', lost), ...parts] : []
    this.#options.handOver([...begun, gapEvent('lost', lost)])
  }
}
