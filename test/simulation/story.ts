import type { FeedEvent } from '../../src/events/event.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import type { Plan } from './plan.ts'

/** How far behind the first feed the second one may be, in events. */
const SECOND_FEED_LAG = 20
const DAY_SECONDS = 86_400

/**
 * What arrives, in order: a history as one feed delivers it, copies of a second feed that lags, and
 * events the rules refuse.
 */
export function storyOf(plan: Plan): FeedEvent[] {
  const random = new Random(plan.seed ^ 0x570f)
  const placed: { at: number; event: FeedEvent }[] = []
  for (const [at, event] of history(plan.seed, plan.events).entries()) {
    placed.push({ at, event })
    if (plan.hasSecondFeed && random.chance(0.5))
      placed.push({ at: at + random.integer(0, SECOND_FEED_LAG) + 0.5, event })
    const refused = random.chance(0.03) ? garbageLike(event, plan, random) : null
    if (refused !== null) placed.push({ at: at + 0.7, event: refused })
  }
  return placed.toSorted((a, b) => a.at - b.at).map(({ event }) => event)
}

/** An event like another that must not be taken: far too late, or far ahead of a wall clock. */
function garbageLike(event: FeedEvent, plan: Plan, random: Random): FeedEvent | null {
  const isAhead = plan.clock === 'wall' && random.chance(0.6)
  if (isAhead) {
    const timestamp = event.timestamp + random.integer(DAY_SECONDS * 30, DAY_SECONDS * 60)
    return event.type === 'swap'
      ? { ...event, timestamp, signature: random.base58(88) }
      : { ...event, timestamp }
  }
  if (event.type !== 'swap' || event.slot === null) return null
  return { ...event, slot: 1_000, txIndex: 0, signature: random.base58(88), signer: 'too late' }
}
