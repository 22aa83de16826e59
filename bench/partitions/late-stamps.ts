import { Engine } from '../../src/engine/engine.ts'
import {
  Flag,
  type RecordBatch,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
} from '../../src/events/swap-record.ts'
import { copyOf, newMarket, playHistory, playLive } from '../recorded-market.ts'
import { homeByHash } from './partitioned-market.ts'

/** A busy chain: 100 swaps a second, one swap in ten comes up to 16 slots late. */
const SIZE = { tokens: 2_000, historyRate: 1, liveSwaps: 20_000, liveRate: 100 }
const LATE_EVERY = 10
const LATE_SLOTS_MAX = 16
/** Swaps of the tape that are looked at; more than a late one can move. */
const LOOKED_AT = 1_024
const STAMPED = Flag.freshWallet | Flag.proTrader

/** What late swaps change in the stamps of swaps that were sent before them. */
export interface LateStamps {
  readonly late: number
  /** Swaps that came before a late one and stand behind it. */
  readonly moved: number
  /** Of these, stamps that changed, and those of them that are in another partition than the late swap. */
  readonly changed: number
  readonly changedElsewhere: number
}

/** Folds a market whose swaps come late now and then, and counts the stamps that change. */
export function lateStamps(): LateStamps {
  const engine = new Engine({ clock: 'event' })
  const { tape, book } = engine.state
  const parts: RecordBatch[] = []
  const market = newMarket(SIZE, book, { records: (batch) => void parts.push(copyOf(batch)) })
  playHistory(market, SIZE)
  for (const part of parts.splice(0)) engine.records(part)
  playLive(market, SIZE)
  const counted = { late: 0, moved: 0, changed: 0, changedElsewhere: 0 }
  let index = 0
  engine.facts.on('trade', (place) => {
    index = place
  })
  const flagsAt = (place: number) => tape.u32Of(place)[tape.at(place) + SwapLane.flags] & STAMPED
  const homeAt = (place: number) =>
    homeByHash(book.mintOf(tape.u32Of(place)[tape.at(place) + SwapLane.token]))
  for (const arrival of arrivals(parts)) {
    if ('event' in arrival) {
      engine.accept(arrival.event)
      continue
    }
    const { count } = tape
    const first = Math.max(0, count - LOOKED_AT)
    const before = arrival.isLate
      ? Array.from({ length: count - first }, (_, i) => flagsAt(first + i))
      : []
    engine.acceptRecords(arrival.batch, arrival.at, arrival.at + 1)
    if (!arrival.isLate || tape.count === count || index === count) continue
    counted.late += 1
    for (let place = Math.max(index, first); place < count; place++) {
      counted.moved += 1
      if (before[place - first] === flagsAt(place + 1)) continue
      counted.changed += 1
      if (homeAt(place + 1) !== homeAt(index)) counted.changedElsewhere += 1
    }
  }
  return counted
}

type Arrival =
  | { readonly event: RecordBatch['others'][number]['event'] }
  | { readonly batch: RecordBatch; readonly at: number; readonly isLate: boolean }

/** Swaps and events in the order in which they come: a late swap when the market is some slots further. */
function* arrivals(parts: readonly RecordBatch[]): Generator<Arrival> {
  const held: { readonly untilSlot: number; readonly arrival: Arrival }[] = []
  let swaps = 0
  for (const batch of parts) {
    const run: Arrival[] = []
    batch.walk(
      (from, to) => {
        for (let at = from; at < to; at++) run.push({ batch, at, isLate: false })
      },
      (event) => {
        if (event.type !== 'swap') run.push({ event })
      },
    )
    for (const arrival of run) {
      if ('event' in arrival) {
        yield arrival
        continue
      }
      const slot = batch.f64[(arrival.at * SWAP_U32_LANES) / 2 + SwapFloatLane.slot]
      while (held.length > 0 && held[0].untilSlot <= slot) {
        const [due] = held.splice(0, 1)
        yield due.arrival
      }
      swaps += 1
      if (swaps % LATE_EVERY !== 0) yield arrival
      else {
        const untilSlot = slot + 1 + ((swaps / LATE_EVERY) % LATE_SLOTS_MAX)
        held.push({ untilSlot, arrival: { ...arrival, isLate: true } })
        held.sort((a, b) => a.untilSlot - b.untilSlot)
      }
    }
  }
}
