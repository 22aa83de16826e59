import type { FeedEvent } from '../../engine/event.ts'
import type { EventSink } from '../../engine/event-sink.ts'
import type { RecordBatch } from '../../engine/record-batch.ts'
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
  /** Index of the price that was told last; -1: none. */
  #told = -1
  #newestSeconds = 0

  constructor(sink: EventSink, series: PriceSeries) {
    this.#sink = sink
    this.#series = series
  }

  events(batch: readonly FeedEvent[]): void {
    const priced: FeedEvent[] = []
    for (const event of batch) {
      if (event.type === 'sol_price') continue
      const index = this.#indexAt(event.timestamp)
      if (index !== this.#told) {
        this.#told = index
        const { timestamp } = event
        priced.push({ type: 'sol_price', timestamp, usd: this.#series[index].usd })
      }
      priced.push(event)
    }
    if (priced.length > 0) this.#sink.events(priced)
  }

  records(batch: RecordBatch): void {
    this.#sink.records(batch)
  }

  /** A late event does not bring an old price back. */
  #indexAt(timestamp: number): number {
    const isOther = timestamp < this.#newestSeconds - RECORDING_GAP_SECONDS
    if (isOther || timestamp > this.#newestSeconds) this.#newestSeconds = timestamp
    return priceIndexAt(this.#series, this.#newestSeconds)
  }
}
