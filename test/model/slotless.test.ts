import { expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { slotlessHistory } from '../oracle/histories.ts'
import { checkAll } from './full-check.ts'
import { checkEvent } from './light-check.ts'
import { Pair } from './pair.ts'

const HISTORIES = byLength(15, 150)
const EVENTS = 60
const FULL_EVERY = 12

test('without any slot events count in the order in which they came, tokens in tables too', () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const pair = new Pair('event')
    for (const [index, event] of slotlessHistory(seed, EVENTS).entries()) {
      pair.apply(event)
      const isFull = index % FULL_EVERY === FULL_EVERY - 1
      const found = checkEvent(pair, event, index) ?? (isFull ? checkAll(pair, seed) : null)
      expect(found, `seed ${seed}, event ${index} (${event.type})`).toBeNull()
    }
  }
})
