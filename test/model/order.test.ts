import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent, PlacedEvent, Swap } from '../../src/events/event.ts'
import { byLength } from '../lengths.ts'
import { history } from '../oracle/histories.ts'
import { DEFAULT_KINDS } from '../oracle/kinds.ts'
import { isPlaced } from '../oracle/order.ts'
import { Random } from '../oracle/random.ts'
import { everyRead, firstUnlike } from './every-read.ts'

const HISTORIES = byLength(15, 120)
const LATE_SLOTS = 32
/** Where swaps of a mint name several coins, the one that arrived first is its quote. */
const KINDS_IN_ORDER = { ...DEFAULT_KINDS, quote_contradiction: 0 }
const RULES = { proTrades: 6, proMints: 2 }

test('events shuffled within 32 slots end in the same answers as events in order', () => {
  let shuffledEvents = 0
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const inOrder = orderedHistory(seed)
    const expected = everyRead(folded(inOrder), inOrder)
    for (const salt of [1, 2]) {
      const shuffled = shuffle(inOrder, new Random(seed * 10 + salt))
      shuffledEvents += shuffled.filter((event, index) => event !== inOrder[index]).length
      const found = firstUnlike(everyRead(folded(shuffled), inOrder), expected)
      expect(found, `seed ${seed}, salt ${salt}`).toBeNull()
    }
  }
  expect(shuffledEvents).toBeGreaterThan(HISTORIES * 10)
})

function folded(events: readonly FeedEvent[]): Engine {
  const engine = new Engine({ clock: 'event', rules: RULES, identities: 1 << 12 })
  for (const event of events) engine.accept(event)
  expect(engine.counts.lateRefused).toBe(0)
  return engine
}

/**
 * A history in its true order, with what depends on arrival taken out: every swap has its price,
 * every event a place of its own, a mint is created and migrates once, metadata comes first.
 */
function orderedHistory(seed: number): FeedEvent[] {
  const places = new Set<string>()
  const once = new Set<string>()
  const placed: { event: FeedEvent; key: readonly [number, number, number] }[] = []
  const placeless: FeedEvent[] = []
  for (const event of history(seed, 60, KINDS_IN_ORDER)) {
    if (event.type === 'metadata') placeless.push(event)
    if (!isPlaced(event)) continue
    if (event.slot === null || event.txIndex === null) continue
    const place = `${event.slot} ${event.txIndex} ${event.ordinal}`
    const name = identityOf(event)
    if (places.has(place) || once.has(name)) continue
    places.add(place)
    once.add(name)
    const priced =
      event.type === 'swap' ? { ...event, solPriceUsd: event.solPriceUsd ?? 150 } : event
    placed.push({ event: priced, key: [event.slot, event.txIndex, event.ordinal] })
  }
  placed.sort(({ key: a }, { key: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const price: FeedEvent = { type: 'sol_price', timestamp: 1_750_000_000, usd: 150 }
  return [price, ...placeless, ...placed.map(({ event }) => event)]
}

/** What an event is one of: the events that come with every transaction, or those of a mint. */
function identityOf(event: PlacedEvent | Swap): string {
  const { type, mint, signature, ordinal } = event
  if (type === 'swap') return `${signature} ${ordinal}`
  if (type === 'reserves') return `${type} ${mint} ${signature} ${ordinal}`
  if (type === 'balance') return `${type} ${mint} ${signature} ${ordinal} ${event.wallet}`
  return `${type} ${mint}`
}

/** No event comes later than one whose slot is more than 32 after its own. */
function shuffle(events: readonly FeedEvent[], random: Random): FeedEvent[] {
  const arriving = events.map((event, index) => ({
    event,
    at: 'slot' in event ? (event.slot ?? 0) + random.integer(0, LATE_SLOTS) : index - events.length,
    tie: random.unit(),
  }))
  return arriving.sort((a, b) => a.at - b.at || a.tie - b.tie).map(({ event }) => event)
}
