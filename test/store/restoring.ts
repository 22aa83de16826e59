import { Engine } from '../../src/engine/engine.ts'
import type { StatePart } from '../../src/engine/memory/state-part.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import type { Clock } from '../model/pair.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { crowd } from './crowd.ts'

/** One event, where a wall clock is moved before it, and tokens that are put to rest after it. */
export interface Step {
  readonly event: FeedEvent
  readonly now: number
  readonly rests?: readonly number[]
}

/** Tokens of a history that may be put to rest; few enough that many are woken again. */
const RESTED_TOKENS = 4

/** Events with a clock up to 50 seconds behind them, now and then hours ahead; some tokens rest. */
export function stepsOf(events: readonly FeedEvent[], seed: number): Step[] {
  const random = new Random(seed ^ 0xc10c)
  let now = 0
  return events.map((event) => {
    const ahead = random.chance(0.03) ? random.integer(0, 90_000) : random.integer(-50, 5)
    now = Math.max(now, event.timestamp + ahead)
    return random.chance(0.4) ? { event, now, rests: restsOf(random) } : { event, now }
  })
}

function restsOf(random: Random): number[] {
  return Array.from({ length: RESTED_TOKENS }, (_, token) => token).filter(() => random.chance(0.7))
}

/** Rules low enough that short histories make pro traders; few identities, so that they run out. */
export function engineOf(clock: Clock, identities = 64): Engine {
  return new Engine({ clock, identities, rules: { proTrades: 6, proMints: 2 } })
}

/** An engine that has folded something else, so that loading has something to replace. */
export function usedEngineOf(clock: Clock, seed: number): Engine {
  const engine = engineOf(clock)
  // Many wallets, for the reads to keep lists of holders; then changes that nobody has read.
  const steps = stepsOf([...crowd(seed, 40), ...history(seed, 40)], seed)
  foldSteps(engine, steps.slice(0, -15))
  everyRead(
    engine,
    steps.map(({ event }) => event),
  )
  foldSteps(engine, steps.slice(-15))
  return engine
}

/** The steps that take back nothing of what an engine has folded. */
export function behind({ newestSlot }: Engine, steps: readonly Step[]): Step[] {
  return steps.filter(({ event }) => !('slot' in event) || (event.slot ?? 0) > newestSlot)
}

export function foldSteps(engine: Engine, steps: readonly Step[]): void {
  for (const step of steps) foldStep(engine, step)
}

export function foldStep(engine: Engine, { event, now, rests }: Step): void {
  engine.advance(now)
  engine.accept(event)
  if (rests !== undefined) engine.coldStore.evict(rests)
}

/** Moves a state into another engine and returns that; the part named is left as it was there. */
export function restored(from: Engine, into: Engine, without?: string): Engine {
  const kept = (part: StatePart) => part.name !== without
  copyParts(from.parts.filter(kept), into.parts.filter(kept))
  return into
}

/** The first thing in which two engines differ, null when none does; `except` one part's bytes. */
export function differenceOf(
  actual: Engine,
  expected: Engine,
  events: readonly FeedEvent[],
  except?: string,
): string | null {
  const digests = [actual, expected].map(({ parts }) =>
    parts.filter((part) => part.name !== except).map((part) => [part.name, stateDigest([part])]),
  )
  const [actually = [], expectedly = []] = digests
  const unlike = actually.find(([, digest], i) => digest !== expectedly[i]?.[1])
  if (unlike) return `the bytes of ${unlike[0]}`
  if (actual.seq !== expected.seq) return `seq ${actual.seq} instead of ${expected.seq}`
  const told = [actual, expected].map(({ announcements: { launches, migrations } }) =>
    [launches.length, migrations.length].join(),
  )
  if (told[0] !== told[1]) return `${told[0]} announcements instead of ${told[1]}`
  return firstUnlike(everyRead(actual, events), everyRead(expected, events))
}
