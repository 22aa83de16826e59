import type { EngineSettings } from '../../src/base/thresholds.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { RecordBatch } from '../../src/events/swap-record.ts'
import { eventFrame } from '../../src/protocol/wire.ts'
import { EngineLive } from '../../src/query/json/engine-live.ts'
import type { Plan } from './plan.ts'

/** Few enough that a state is digested in a millisecond, more than a run has. */
const IDENTITIES = 1 << 12
/** Low enough that short histories make pro traders; the oracle has the same. */
export const PRO_RULE = { trades: 6, mints: 2 }

/** What arrived at once, at this time of the engine. */
export interface Arrival {
  /**
   * Of a batch whose events did not last there may be left: `names`, the addresses of its swaps,
   * `rests`, these and the tokens that were put to rest before it, and `clock`, the time it came at.
   */
  readonly kind: 'events' | 'records' | 'names' | 'rests' | 'clock'
  readonly now: number
  readonly events: readonly FeedEvent[]
  /** Tokens that the program put to rest before it. */
  readonly rests?: readonly number[]
}

/** How much of a batch that was lost is still there. */
export type LeftOver = 'nothing' | 'names' | 'rests'

/** How every engine of the simulation is set. */
export function settingsOf({ clock }: Pick<Plan, 'clock'>): EngineSettings {
  const rules = { proTrades: PRO_RULE.trades, proMints: PRO_RULE.mints }
  return { clock, lateSlots: 32, rules }
}

/** An engine as every process of the simulation has it. */
export function simulatedEngine(plan: Pick<Plan, 'clock' | 'chunkRecords'>): Engine {
  return new Engine({
    ...settingsOf(plan),
    identities: IDENTITIES,
    tapeChunkRecords: plan.chunkRecords,
  })
}

/** An engine that never stops, has no disk, and is given what arrived. */
export class Reference {
  readonly engine: Engine
  /** Messages of the last `fold`. */
  messages: string[] = []

  constructor(plan: Plan) {
    this.engine = simulatedEngine(plan)
    const live = new EngineLive(this.engine)
    listenToAll(live, (message) => this.messages.push(message))
    live.attach()
  }

  /** Folds the first `count` events of an arrival. */
  fold({ kind, now, events, rests = [] }: Arrival, count = events.length): void {
    const { engine } = this
    this.messages = []
    const records = new RecordBatch(Math.max(1, events.length))
    // The program notes the names of a whole batch before it folds any of it.
    for (const event of events) if (event.type === 'swap') records.addSwap(event, engine.state.book)
    if (kind === 'rests') engine.coldStore.evict(rests)
    if (hasNoEvents(kind) && kind !== 'clock') return
    engine.advance(now)
    if (kind === 'clock') return
    engine.coldStore.evict(rests)
    let record = 0
    for (const event of events.slice(0, count))
      if (event.type === 'swap') {
        engine.acceptRecords(records, record, record + 1)
        record += 1
      } else engine.accept(event)
  }
}

export function listenToAll(live: EngineLive, listen: (message: string) => void): void {
  live.onTrade((trade) => listen(eventFrame('update_mint_info', trade)))
  live.onAnnounced((channel, message) => listen(eventFrame(channel, message)))
}

/** What is left of a batch, or the time: no event of it counts. */
export function hasNoEvents(kind: Arrival['kind']): boolean {
  return kind === 'names' || kind === 'rests' || kind === 'clock'
}

/** The state after the first `seq` events that arrived. */
export function referenceAt(plan: Plan, arrivals: readonly Arrival[], seq: number): Reference {
  const reference = new Reference(plan)
  let left = seq
  for (const arrival of arrivals) {
    if (hasNoEvents(arrival.kind)) reference.fold(arrival)
    else if (left > 0) {
      reference.fold(arrival, Math.min(left, arrival.events.length))
      left -= arrival.events.length
    } else break
  }
  return reference
}

export function eventsOf(arrivals: readonly Arrival[]): number {
  return arrivals.reduce(
    (sum, { kind, events }) => sum + (hasNoEvents(kind) ? 0 : events.length),
    0,
  )
}

/** What of the arrivals is left when everything behind `seq` is gone; names of a lost batch stay. */
export function cutArrivals(
  arrivals: readonly Arrival[],
  seq: number,
  leftOver: LeftOver,
): Arrival[] {
  const kept: Arrival[] = []
  let left = seq
  for (const arrival of arrivals) {
    const size = hasNoEvents(arrival.kind) ? 0 : arrival.events.length
    if (left === 0 && size > 0) {
      if (leftOver !== 'nothing') kept.push({ ...arrival, kind: leftOver })
      break
    }
    if (size <= left) kept.push(arrival)
    else return [...kept, ...splitArrival(arrival, left)]
    left -= size
  }
  return kept
}

/** The part of a batch that lasted, with the names of all of it in front. */
function splitArrival(arrival: Arrival, count: number): Arrival[] {
  const names: Arrival = { ...arrival, kind: 'names' }
  return [names, { ...arrival, events: arrival.events.slice(0, count) }]
}
