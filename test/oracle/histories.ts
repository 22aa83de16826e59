/**
 * Seeded histories as a feed would deliver them: late, twice, in the wrong order. They keep out
 * of what the contract leaves open, so that every one has a single right answer.
 */
import type { FeedEvent } from '../../src/events/event.ts'
import { arrivals, type LabelledEvent, withoutSlot } from './arrivals.ts'
import { Chain } from './chain.ts'
import { DEFAULT_KINDS, type Kinds } from './kinds.ts'
import { More } from './more.ts'
import { Random } from './random.ts'

/** The newer kinds are drawn apart: without them a seed gives what it always gave. */
const MORE_SALT = 0x0c7_2026

/** The events of a history as a feed that knows no slots tells them, in order of arrival. */
export function slotlessHistory(seed: number, count: number, kinds?: Kinds): FeedEvent[] {
  const random = new Random(seed)
  return history(seed, count, kinds).map((event) => withoutSlot(random, event))
}

/**
 * `count` events in order of arrival. The same seed, count and kinds give the same events. Without gaps, unless the kinds
 * have them: what fills one comes at once, and nothing is to be read in it.
 */
export function history(
  seed: number,
  count: number,
  kinds: Kinds = { ...DEFAULT_KINDS, gap: 0 },
): FeedEvent[] {
  return labelledHistory(seed, count, kinds).map(({ event }) => event)
}

/** The same, each event with the kinds (kinds.ts) that it is one of. */
export function labelledHistory(
  seed: number,
  count: number,
  kinds: Kinds = DEFAULT_KINDS,
): LabelledEvent[] {
  const random = new Random(seed)
  const more = new More(new Random(seed ^ MORE_SALT), kinds)
  const steps = new Chain(random, more).run(count)
  const events = arrivals(random, more, steps).slice(0, count)
  // Some feeds know no slot at all.
  if (!random.chance(0.1)) return events
  return events.map(({ event, kinds }) => ({ event: withoutSlot(random, event), kinds }))
}
