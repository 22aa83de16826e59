import type { FeedEvent, SolPrice } from '../../events/event.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { OtherEvent, RecordBatch } from '../../events/record-batch.ts'
import { RECORDING_GAP_SECONDS } from '../lines/recording-gap.ts'
import { type PriceSeries, priceIndexAt } from './price-series.ts'

/**
 * Puts the prices of a series between the events of a feed, by the events' own times: before the
 * first event, and before the first one at or after each change. Prices that the feed brings itself
 * are left out: the user named the ones to use.
 */
export class PricedSink implements EventSink {
  readonly #sink: EventSink
  readonly #series: PriceSeries
  readonly #isAhead: (timestamp: number) => boolean
  /** Index of the price that was told last; -1: none. */
  #told = -1
  #newestSeconds = 0

  /** @param isAhead whether events of a time are refused now: a price that is told with one would never come */
  constructor(
    sink: EventSink,
    series: PriceSeries,
    isAhead: (timestamp: number) => boolean = () => false,
  ) {
    this.#sink = sink
    this.#series = series
    this.#isAhead = isAhead
  }

  events(batch: readonly FeedEvent[]): void {
    const priced: FeedEvent[] = []
    for (const event of batch) {
      if (event.type === 'sol_price') continue
      const price = this.#changeAt(event.timestamp)
      if (price !== null) priced.push(price)
      priced.push(event)
    }
    if (priced.length > 0) this.#sink.events(priced)
  }

  /** Prices are told with the events between the records. */
  records(batch: RecordBatch): void {
    const priced: OtherEvent[] = []
    for (const other of batch.others) {
      if (other.event.type === 'sol_price') continue
      const price = this.#changeAt(other.event.timestamp)
      if (price !== null) priced.push({ before: other.before, event: price })
      priced.push(other)
    }
    batch.others = priced
    this.#sink.records(batch)
  }

  /** The price from now on, when it is another one than was told last. */
  #changeAt(timestamp: number): SolPrice | null {
    if (this.#isAhead(timestamp)) return null
    const index = this.#indexAt(timestamp)
    if (index === this.#told) return null
    this.#told = index
    return { type: 'sol_price', timestamp, usd: this.#series[index].usd }
  }

  /** A late event does not bring an old price back. */
  #indexAt(timestamp: number): number {
    const isOther = timestamp < this.#newestSeconds - RECORDING_GAP_SECONDS
    if (isOther || timestamp > this.#newestSeconds) this.#newestSeconds = timestamp
    return priceIndexAt(this.#series, this.#newestSeconds)
  }
}
