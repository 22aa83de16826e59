import { expect, test } from 'vitest'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'
import { created, price, swap, twitter } from '../oracle/fixtures.ts'

test('a mint of which nothing but texts is told stands nowhere until an event makes it', () => {
  const link = 'https://x.com/someone'
  const pair = new Pair('event')
  const events = [
    price(150),
    created(),
    twitter('untold', link),
    twitter('mint', link),
    swap(),
    swap({ mint: 'untold' }),
  ]
  for (const [index, event] of events.entries()) {
    pair.apply(event)
    expect(checkAll(pair, index), `event ${index} (${event.type})`).toBeNull()
  }
})
