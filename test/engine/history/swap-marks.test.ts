import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { RecentArrivals } from '../../../src/engine/history/recent-swaps.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { SIGNATURE_LANES, SwapLane, walletOf } from '../../../src/events/swap-record.ts'
import { RECENT_ARRIVALS_MAX, type SwapCursor } from '../../../src/protocol/queries.ts'
import { parseCursor } from '../../../src/protocol/requests/tokens.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { leastMs } from '../../least-time.ts'
import { byLength } from '../../lengths.ts'
import { history, slotlessHistory } from '../../oracle/histories.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
const HISTORIES = byLength(8, 60)
const EVENTS = 150
const LIMIT = 3

/** As feeds with slots tell them, some without and some late, and as one without any slot does. */
function* histories(): Generator<{ readonly name: string; readonly events: FeedEvent[] }> {
  for (let seed = SEED; seed < SEED + HISTORIES; seed += 1) {
    yield { name: `seed ${seed}`, events: history(seed, EVENTS) }
    yield { name: `seed ${seed} without slots`, events: slotlessHistory(seed, EVENTS) }
  }
}

function newEngine(): Engine {
  return new Engine({ clock: 'event', identities: 1 << 12 })
}

/** The cursor of a text, as a client sends it back. */
function cursorOf(text: string): SwapCursor {
  const parameters = new Map([
    ['cursor', [text]],
    ['limit', [String(LIMIT)]],
  ])
  const parsed = parseCursor(parameters)
  if (!parsed.ok || parsed.value === null) throw new Error(`the cursor ${text} is refused`)
  return parsed.value
}

test(`cursors lead through all swaps of a mint, with slots and without (seed ${SEED})`, () => {
  for (const { name, events } of histories()) {
    const engine = newEngine()
    engine.events(events)
    const answers = new EngineQueries(engine, () => {})
    const reads = new EngineQueries(engine, () => {})
    for (const mint of new Set(events.flatMap((event) => ('mint' in event ? [event.mint] : [])))) {
      const whole = JSON.parse(answers.swaps(mint, null, { page: 1, limit: 200 }))
      const found: unknown[] = []
      for (let cursor: string | null = 'start'; cursor !== null; ) {
        const page = JSON.parse(reads.swapsFrom(mint, null, cursorOf(cursor)) ?? 'null')
        expect(page, `${name}: ${mint} behind ${cursor}`).not.toBeNull()
        found.push(...page.items)
        cursor = page.next_cursor
      }
      expect(found, `${name}: ${mint}`).toEqual(whole.items)
    }
  }
})

test(`the newest arrivals are found where late ones have moved them (seed ${SEED})`, () => {
  for (const { name, events } of histories()) {
    const engine = newEngine()
    const { tape } = engine.state
    const recent = new RecentArrivals(tape, 0, RECENT_ARRIVALS_MAX)
    const arrived: string[] = []
    // What stays of a record wherever it moves to.
    const nameOf = (index: number) => {
      const at = tape.at(index)
      const lanes = tape.u32Of(index)
      const signature = lanes.slice(
        at + SwapLane.signature,
        at + SwapLane.signature + SIGNATURE_LANES,
      )
      return `${signature.join('.')} ${lanes[at + SwapLane.ordinal]}`
    }
    engine.facts.on('trade', (index) => {
      recent.note(index)
      arrived.push(nameOf(index))
    })
    engine.events(events)
    const found = arrived.map((_, i) => recent.indexOf(i + 1))
    expect(
      found.map((index) => (index < 0 ? 'nowhere' : nameOf(index))),
      name,
    ).toEqual(arrived)
  }
})

test(`the newest arrivals of each wallet are found, and no more than are remembered (seed ${SEED})`, () => {
  for (const { name, events } of histories()) {
    const engine = newEngine()
    const { tape } = engine.state
    const recent = new RecentArrivals(tape, 0, RECENT_ARRIVALS_MAX)
    const wallets: number[] = []
    engine.facts.on('trade', (index) => {
      recent.note(index)
      wallets.push(walletOf(tape.u32Of(index), tape.at(index)))
    })
    engine.events(events)
    for (const wallet of new Set(wallets)) {
      const numbers = wallets.flatMap((one, i) => (one === wallet ? [i + 1] : []))
      for (let count = 1; count <= numbers.length; count += 1)
        expect(recent.ofWallet(wallet, count), name).toEqual(numbers.slice(-count))
      expect(recent.ofWallet(wallet, numbers.length + 1), name).toBeNull()
    }
  }
})

test('whether a thousand wallets are among the newest arrivals is known at once', () => {
  const engine = newEngine()
  engine.events(history(SEED, EVENTS))
  const { tape } = engine.state
  const last = tape.count - 1
  const recent = new RecentArrivals(tape, 0, RECENT_ARRIVALS_MAX)
  const wallet = tape.u32Of(last)[tape.at(last) + SwapLane.wallet]
  for (let i = 0; i < RECENT_ARRIVALS_MAX + 10; i += 1) recent.note(last)
  expect(recent.ofWallet(wallet, RECENT_ARRIVALS_MAX)?.[0]).toBe(11)
  expect(recent.ofWallet(wallet, RECENT_ARRIVALS_MAX + 1)).toBeNull()
  const others = Array.from({ length: 1_000 }, (_, i) => wallet + 1 + i)
  expect(others.filter((other) => recent.ofWallet(other, 1) !== null)).toEqual([])
  const allMs = leastMs(() => recent.ofWallet(wallet, RECENT_ARRIVALS_MAX))
  const othersMs = leastMs(() => others.map((other) => recent.ofWallet(other, 1)))
  // Through all arrivals for each of them it takes hundreds of times as long as once through them.
  expect(othersMs).toBeLessThan(30 * allMs)
})
