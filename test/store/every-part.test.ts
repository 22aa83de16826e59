import { expect, test } from 'vitest'
import { WAITING_METADATA_MAX } from '../../src/engine/fold/metadata-fold.ts'
import { STORED_FROM_SWAPS } from '../../src/engine/history/candles.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import type { Clock } from '../model/pair.ts'
import { START_SECOND, swap, twitter } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { swapLate, trades } from '../properties/late-trades.ts'
import { differenceOf, engineOf, foldSteps, restored, type Step, stepsOf } from './restoring.ts'

/** A history, and the event after which its state is loaded without one part. */
interface Trial {
  readonly clock: Clock
  readonly steps: readonly Step[]
  readonly cut: number
}

const HISTORIES = 400
const FIRST_SEED = 20_261_121

for (const { name } of engineOf('event').parts)
  test(`an engine loaded without ${name} is not the one that was saved`, () => {
    for (const trial of trials(name)) if (isMissed(name, trial)) return
    expect.fail(`nothing but itself tells that ${name} is missing (seeds from ${FIRST_SEED})`)
  })

/** Few events where few tell; a flood or thousands of trades where it takes them. */
function* trials(name: string): Generator<Trial> {
  if (name === 'waiting metadata') yield flood()
  if (['bars', 'minute bars', 'hour bars', 'bar heads'].includes(name)) yield busy()
  if (name === 'crowd tops') yield giants()
  if (name === 'unseen slots') yield gap()
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
    const events = history(seed, 60)
    const cut = new Random(seed).integer(5, 55)
    yield { clock: seed % 4 === 0 ? 'wall' : 'event', steps: stepsOf(events, seed), cut }
  }
}

function busy(): Trial {
  const events = swapLate(trades(1, STORED_FROM_SWAPS + 20), new Random(1))
  return { clock: 'event', steps: stepsOf(events, 1), cut: STORED_FROM_SWAPS + 10 }
}

/** Insiders hold 2^64 raw tokens together. */
function giants(): Trial {
  const now = START_SECOND
  const steps = ['one', 'two'].map((signer, i) => ({
    event: swap({ slot: 100 + i, timestamp: now, signer, insider: true, baseRaw: 2n ** 63n }),
    now,
  }))
  return { clock: 'event', steps, cut: steps.length }
}

/** A gap is open; after the cut an event of it comes, later than any other may. */
function gap(): Trial {
  const now = START_SECOND
  const open = { type: 'gap', state: 'open', fromSlot: 101, toSlot: 400, timestamp: now } as const
  const at = (slot: number) => ({ event: swap({ slot, timestamp: now }), now })
  return { clock: 'event', steps: [at(100), { event: open, now }, at(500), at(150)], cut: 3 }
}

/** As much metadata waits as may; after the cut comes one more. */
function flood(): Trial {
  const steps = Array.from({ length: WAITING_METADATA_MAX + 1 }, (_, i) => ({
    event: twitter(`mint ${i}`, `https://x.com/status/${i}`),
    now: START_SECOND,
  }))
  return { clock: 'event', steps, cut: WAITING_METADATA_MAX }
}

/** Does anything beside the part itself tell, right after loading or when the fold goes on? */
function isMissed(name: string, { clock, steps, cut }: Trial): boolean {
  const whole = engineOf(clock)
  foldSteps(whole, steps.slice(0, cut))
  const lame = engineOf(clock)
  const events: FeedEvent[] = steps.slice(-100).map(({ event }) => event)
  try {
    restored(whole, lame, name)
    if (differenceOf(lame, whole, events, name) !== null) return true
    foldSteps(whole, steps.slice(cut))
    foldSteps(lame, steps.slice(cut))
    return differenceOf(lame, whole, events, name) !== null
  } catch {
    return true
  }
}
