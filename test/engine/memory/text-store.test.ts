import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { PackedTexts } from '../../../src/engine/memory/packed-texts.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { created, migrated, START_SECOND, swap } from '../../oracle/fixtures.ts'

const LATE_SWAPS = 50

test('texts of a creation and a migration are kept once, however often late events take these back', () => {
  const engine = engineOf([
    swap({ slot: 100, mint: 'a' }),
    created({ slot: 101, mint: 'b', uri: 'https://example.org/b' }),
    migrated({ slot: 102, mint: 'b' }),
    swap({ slot: 103, mint: 'c' }),
  ])
  const before = sizesOf(engine)
  for (let i = 0; i < LATE_SWAPS; i += 1) engine.accept(swap({ slot: 100, mint: 'a' }))
  expect(engine.counts.lateFolded).toBe(LATE_SWAPS)
  expect(sizesOf(engine)).toEqual(before)
})

test('a mint whose creation stands behind its first swap is entered in the search once', () => {
  const engine = engineOf([
    swap({ slot: 100, mint: 'a' }),
    swap({ slot: 101, mint: 'b' }),
    created({ slot: 102, mint: 'b' }),
  ])
  const before = sizesOf(engine)
  for (let i = 0; i < LATE_SWAPS; i += 1) engine.accept(swap({ slot: 100, mint: 'a' }))
  expect(sizesOf(engine)).toEqual(before)
})

test('metadata that says the same again takes no memory', () => {
  const told: FeedEvent = {
    type: 'metadata',
    timestamp: START_SECOND,
    mint: 'mint',
    description: 'As long as it likes, again and again.',
    website: 'https://example.org',
  }
  const engine = engineOf([created(), told])
  const before = sizesOf(engine)
  for (let i = 0; i < 10; i += 1) engine.accept(told)
  expect(sizesOf(engine)).toEqual(before)
  engine.accept({ ...told, website: 'https://example.com' })
  expect(sizesOf(engine)).not.toEqual(before)
})

test('a text in the place of another is a new one, unless it is the same', () => {
  const texts = new PackedTexts()
  const first = texts.replace(0, 'one')
  expect(texts.replace(first, 'one')).toBe(first)
  const second = texts.replace(first, 'two')
  expect([texts.get(first), texts.get(second)]).toEqual(['one', 'two'])
  expect(texts.replace(second, '')).toBe(0)
})

function engineOf(events: readonly FeedEvent[]): Engine {
  const engine = new Engine({ clock: 'event', identities: 1 << 8 })
  for (const event of events) engine.accept(event)
  return engine
}

/** Of the parts of the state that texts go to. */
function sizesOf(engine: Engine): readonly (readonly number[])[] {
  const names = new Set(['texts', 'search'])
  return engine.parts.filter(({ name }) => names.has(name)).map(({ facts }) => facts())
}
