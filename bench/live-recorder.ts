import { Service } from '../src/app/service.ts'
import { LATE_SLOTS } from '../src/engine/order/reorder-window.ts'
import type { RecordSink } from '../src/events/event-sink.ts'
import type { RecordBatch } from '../src/events/swap-record.ts'
import { copyOf, type MarketSize, newMarket, playHistory, playLive } from './recorded-market.ts'

/**
 * A service that has folded a market's history, and the swaps that come next as records made
 * beforehand, so that the market's own work is not measured.
 */
export function serviceAndLive(size: MarketSize): { service: Service; parts: RecordBatch[] } {
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  const parts: RecordBatch[] = []
  const recorder: RecordSink = { records: (batch) => void parts.push(copyOf(batch)) }
  let sink: RecordSink = service
  const market = newMarket(size, service.engine.state.book, {
    records: (batch) => sink.records(batch),
  })
  playHistory(market, size)
  sink = recorder
  playLive(market, size)
  return { service, parts }
}
