import { checkAll } from '../model/full-check.ts'
import { checkEvent } from '../model/light-check.ts'
import { type Clock, Pair } from '../model/pair.ts'
import { history } from '../oracle/histories.ts'

const EVENTS = 60
/** Every n-th history is read in full, in its middle and at its end: wide reads are dear. */
const FULL_EVERY = 3
/** Every n-th history runs by a wall clock, a little ahead of its events. */
const WALL_EVERY = 5
const AHEAD_SECONDS = [-40, 0, 3, 0, -10, 5_000] as const

/** Feeds one seeded history to engine and oracle; the first difference, or null. */
export function runModel(seed: number): string | null {
  const clock: Clock = seed % WALL_EVERY === 0 ? 'wall' : 'event'
  const pair = new Pair(clock)
  const events = history(seed, EVENTS)
  for (const [index, event] of events.entries()) {
    if (clock === 'wall') {
      const ahead = AHEAD_SECONDS[index % AHEAD_SECONDS.length]
      pair.setNow(Math.max(pair.oracle.now, event.timestamp + ahead))
    }
    pair.apply(event)
    const isFull = seed % FULL_EVERY === 0 && (index === 35 || index === events.length - 1)
    const found = checkEvent(pair, event) ?? (isFull ? checkAll(pair, seed) : null)
    if (found !== null) return `seed ${seed}, event ${index} (${event.type}): ${found}`
  }
  return null
}
