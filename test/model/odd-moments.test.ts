import { expect, test } from 'vitest'
import { history, slotlessHistory } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { checkAll } from './full-check.ts'
import { checkEvent } from './light-check.ts'
import { Pair } from './pair.ts'

const FIRST_SEED = Number(process.env.MODEL_SEED ?? 20_261_125)
const HISTORIES = 8
/** Enough for a chunk of swaps, and some, to be settled: a third of the events are no swaps. */
const EVENTS = 160
const CHANCES = [0, 0.03, 0.2] as const

test(`an engine that starts again, rests and lets go of memory at odd moments answers as the oracle does (seed ${FIRST_SEED})`, () => {
  let starts = 0
  let wakings = 0
  let left = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
    const random = new Random(seed ^ 0x0dd)
    const [restChance, leaveChance, restartChance] = [1, 2, 3].map(() => random.pick(CHANCES))
    const pair = new Pair('event')
    const events = seed % 4 === 0 ? slotlessHistory(seed, EVENTS) : history(seed, EVENTS)
    for (const [index, event] of events.entries()) {
      const { dormant } = pair.engine.state
      if (random.chance(restChance)) pair.rest()
      if (random.chance(leaveChance)) pair.leaveMemory()
      if (random.chance(restartChance)) {
        wakings += dormant.wakings
        starts += 1
        pair.restart()
      }
      pair.apply(event)
      const isLast = index === events.length - 1
      const found = checkEvent(pair, event, index) ?? (isLast ? checkAll(pair, seed) : null)
      expect(found, `seed ${seed}, event ${index} (${event.type})`).toBeNull()
    }
    wakings += pair.engine.state.dormant.wakings
    left += pair.engine.state.tape.firstInMemory
  }
  expect(starts).toBeGreaterThan(HISTORIES)
  expect(wakings).toBeGreaterThan(HISTORIES)
  expect(left).toBeGreaterThan(0)
})
