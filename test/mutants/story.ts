import type { FeedEvent } from '../../src/events/event.ts'
import { checkEvent } from '../model/light-check.ts'
import { Pair } from '../model/pair.ts'
import type { Case } from './check.ts'

/** A case of events, read after each of them by both sides and in full at the end. */
export function story(name: string, events: readonly FeedEvent[]): Case {
  return { name, run: () => follow(new Pair('event'), events) }
}

/** Applies events and reads after each; the first difference, or null. */
export function follow(pair: Pair, events: readonly FeedEvent[]): string | null {
  for (const [index, event] of events.entries()) {
    pair.apply(event)
    const found = checkEvent(pair, event)
    if (found !== null) return `event ${index} (${event.type}): ${found}`
  }
  return null
}

/** Applies events without a look, for stories too long to be read after every event. */
export function load(pair: Pair, events: readonly FeedEvent[]): void {
  for (const event of events) pair.apply(event)
  pair.trades.length = 0
  pair.migrations.length = 0
  pair.lastCounts = { ...pair.oracle.counts }
}

/** A case of one literal expectation. */
export function expected(name: string, read: () => unknown, wanted: unknown): Case {
  const run = () => {
    const [actual, wish] = [JSON.stringify(read()), JSON.stringify(wanted)]
    return actual === wish ? null : `${actual} instead of ${wish}`
  }
  return { name, run }
}
