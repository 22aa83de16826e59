/**
 * Fills an engine (or, to be subtracted, nothing) from a market and prints its figures as JSON.
 * Arguments: tokens, swaps a second of the history, live swaps, 1 for an engine or 0.
 */

import { Service } from '../../src/app/service.ts'
import { LATE_SLOTS } from '../../src/engine/order/reorder-window.ts'
import type { EventSink } from '../../src/events/event-sink.ts'
import type { Interner } from '../../src/feeds/simulator/world/wallet-pool.ts'
import { newMarket, playHistory, playLive } from '../recorded-market.ts'

const LIVE_RATE = 1_000

/** Ids as the book would give them if no address came twice; keeps nothing. */
class CountingBook implements Interner {
  #next = 0

  token(): number {
    return this.#next++
  }

  wallet(): number {
    return this.#next++
  }

  address(): number {
    return this.#next++
  }
}

const NOWHERE: EventSink = { events: () => undefined, records: () => undefined }

const [tokens, historyRate, liveSwaps, hasEngine] = process.argv.slice(2).map(Number)
const size = { tokens, historyRate, liveSwaps, liveRate: LIVE_RATE }
const service = hasEngine === 1 ? new Service({ clock: 'event', lateSlots: LATE_SLOTS }) : null
const market = newMarket(size, service?.engine.state.book ?? new CountingBook(), service ?? NOWHERE)
if (tokens > 0) playHistory(market, size)
playLive(market, size)
if (service !== null) {
  // Orders are brought up to date by a read; a server would have had one.
  void service.engine.order.new.count
}
globalThis.gc?.()
globalThis.gc?.()
const { rss, heapUsed: heap, arrayBuffers: buffers } = process.memoryUsage()
const parts = (service?.memory ?? []).map(({ name, bytes }) => [`${name}_bytes`, bytes])
const own = { ...service?.figures(), ...Object.fromEntries(parts) }
process.stdout.write(JSON.stringify({ ...own, rss, heap, buffers, market: market.swaps }))
