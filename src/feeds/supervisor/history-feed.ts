import { totals } from '../../base/safe-text.ts'
import { type FeedEvent, gapEvent, type SwapContent } from '../../events/event.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { REAL_TIMERS, type Timers } from '../timers.ts'
import { GapFiller } from './gap-filler.ts'
import type { SlotRange } from './incomplete-slots.ts'
import type { OpenGap } from './open-gaps.ts'
import { ReserveTrades } from './reserve-trades.ts'
import { newSlotCounters, SlotSequencer } from './slot-sequencer.ts'
import type { Source } from './source.ts'

interface HistoryFeedOptions {
  /** Those that can tell old slots, the best first. */
  readonly sources: readonly Source[]
  /** What is missing, and unix seconds of the first event behind it. */
  readonly gap: OpenGap
  /** The first slot of it that is fetched: those before are lost. */
  readonly from: number
  /** The slot behind which a run before ended; null: it begins. */
  readonly cursor: number | null
  /** Trades that a source without slots delivered meanwhile; absent: none. */
  readonly earlierReserveTrades?: readonly SwapContent[]
  /** Called at failures and at slots that nobody can tell, with one sentence. */
  readonly report: (reason: string) => void
  readonly timers?: Timers
  /** A number in [0, 1). */
  readonly random?: () => number
}

/**
 * Slots of the past as a feed that ends: they are fetched from the oldest on, each event handed over in the order of the
 * chain. What nobody can tell is handed over as a lost gap.
 */
export class HistoryFeed implements Feed {
  readonly name = 'history'
  readonly #gap: OpenGap
  readonly #from: number
  readonly #stopping = new AbortController()
  readonly #counters = newSlotCounters()
  readonly #sequencer: SlotSequencer
  readonly #filler: GapFiller
  /** null: there is none to be matched. */
  readonly #reserveTrades: ReserveTrades | null
  #sink: EventSink | null = null
  /** What is lost before the next event, whose time a gap is told with. */
  #lost: SlotRange[] = []

  constructor({ sources, gap, cursor, report, ...options }: HistoryFeedOptions) {
    this.#gap = gap
    this.#from = options.from
    const { earlierReserveTrades: earlier = [] } = options
    this.#reserveTrades = earlier.length > 0 ? new ReserveTrades(earlier) : null
    const from = Math.max(options.from, (cursor ?? -1) + 1)
    const handOver = (events: readonly FeedEvent[]) => this.#give(events)
    const whole = new SlotSequencer(handOver, this.#counters, null)
    this.#sequencer = whole.reopen({ from, to: gap.to }, handOver)
    this.#filler = new GapFiller({
      ...{ sources, report, sequencer: this.#sequencer, counters: this.#counters },
      timers: options.timers ?? REAL_TIMERS,
      random: options.random ?? Math.random,
      slotsMax: () => Number.POSITIVE_INFINITY,
      hasLongPieces: true,
      onLost: (lost, to) => this.#lose(lost, Math.min(to, gap.to)),
    })
    // A run before has told it.
    const isNew = cursor === null || cursor < gap.from
    if (isNew && gap.from < options.from) this.#lose(gap.from, options.from - 1)
  }

  /** Resolves when all slots of the range were handed over or are lost, or after `stop`. */
  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    const { to, seconds } = this.#gap
    this.#sink = sink
    await this.#filler.fillTo(to, signal)
    if (!signal.aborted) {
      this.#sequencer.flush()
      this.#give([], seconds)
    }
    this.#sink = null
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Was all of the range handed over or lost? */
  get isDone(): boolean {
    return !this.#sequencer.isShortOf(this.#gap.to)
  }

  figures(): Readonly<Record<string, number>> {
    const { to } = this.#gap
    const done = Math.min(to, this.#sequencer.cursor ?? 0)
    return {
      history_slots: to - this.#from + 1,
      history_slots_done: Math.max(0, done - this.#from + 1),
      ...totals(this.#counters, 'history_'),
    }
  }

  #lose(from: number, to: number): void {
    const last = this.#lost.at(-1)
    const isNext = last !== undefined && last.to + 1 === from
    if (isNext) this.#lost.pop()
    this.#lost.push({ from: isNext ? last.from : from, to })
  }

  #give(events: readonly FeedEvent[], seconds = events[0]?.timestamp ?? 0): void {
    const own = this.#reserveTrades?.withoutRepeats(events, false) ?? events
    const lost = this.#lost.map((range) => gapEvent('lost', { ...range, seconds }))
    this.#lost = []
    if (lost.length + own.length > 0) this.#sink?.events([...lost, ...own])
  }
}
