import type { FeedEvent } from '../src/engine/event.ts'
import type { EventSink } from '../src/engine/event-sink.ts'
import { RecordBatch } from '../src/engine/record-batch.ts'
import { Service } from '../src/service.ts'
import { copyOf, type MarketSize, newMarket, playHistory, playLive } from './recorded-market.ts'

const LATE_SLOTS = 32

/** What comes after the history, in the order of arrival. */
export type Part = readonly FeedEvent[] | RecordBatch

/**
 * A service that has folded a market's history, and the swaps that come next as records made
 * beforehand, so that the market's own work is not measured.
 */
export function serviceAndLive(size: MarketSize): { service: Service; parts: Part[] } {
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  const parts: Part[] = []
  const recorder: EventSink = {
    events: (batch) => void parts.push([...batch]),
    records: (batch) => void parts.push(copyOf(batch)),
  }
  let sink: EventSink = service
  const market = newMarket(size, service.engine.state.book, {
    events: (batch) => sink.events(batch),
    records: (batch) => sink.records(batch),
  })
  playHistory(market, size)
  sink = recorder
  playLive(market, size)
  return { service, parts }
}

export function play(service: EventSink, part: Part): void {
  if (part instanceof RecordBatch) service.records(part)
  else service.events(part)
}

export function swapsOf(part: Part): number {
  return part instanceof RecordBatch ? part.count : 0
}
