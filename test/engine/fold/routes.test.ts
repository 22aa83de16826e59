/** Routes as engine and oracle fold them, where the random histories of the model seldom come. */
import { expect, test } from 'vitest'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { checkAll } from '../../model/full-check.ts'
import { Pair } from '../../model/pair.ts'
import { follow } from '../../mutants/story.ts'
import { created, price, swap } from '../../oracle/fixtures.ts'

const A = created({ mint: 'A', slot: 90, signature: 'A', bondingCurve: 'curve A' })
/** 2 A each. */
const IN_A = { virtualBaseRaw: 10n ** 15n, virtualQuoteRaw: 2n * 10n ** 15n }
const B = created({ mint: 'B', signature: 'B', quoteMint: 'A', bondingCurve: 'curve B', ...IN_A })
const BEFORE = [price(100), A, B]

/** Swaps of one transaction. */
const inOne = (txIndex: number, ...hops: readonly Partial<Swap>[]): Swap[] =>
  hops.map((hop, ordinal) =>
    swap({ ...{ slot: 120, txIndex, signature: `route ${txIndex}`, ordinal }, ...hop }),
  )

/** 1 SOL for 1e7 A, 1e7 A for 4e6 B. */
const A_IN = { mint: 'A', pool: 'curve A', baseRaw: 10n ** 13n, route: 1 }
const B_IN = { mint: 'B', pool: 'curve B', baseRaw: 4n * 10n ** 12n, quoteRaw: 10n ** 13n, ...IN_A }
/** 4e6 B for 1e7 A, 1e7 A for 2 SOL. */
const OUT = { direction: 'sell' } as const
const B_OUT = { ...B_IN, ...OUT, route: 1 }
const A_OUT = { ...A_IN, ...OUT, route: 2, quoteRaw: 2n * 10n ** 9n }
const BOUGHT = inOne(1_001, A_IN, { ...B_IN, route: 2 })

/** After all of them; a difference to the oracle fails, whatever is read. */
function told(events: readonly FeedEvent[]): Pair {
  const pair = new Pair('event')
  expect(follow(pair, [...BEFORE, ...events])).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
  return pair
}

function traderOf(pair: Pair, mint: string) {
  const query = { page: 1, limit: 9, orderBy: 'pnl', direction: 'desc' } as const
  return JSON.parse(pair.answers.tokenTraders(mint, query)).items[0]
}

test('a sale is paid by one hop: a second sale of the middle coin is one of its own', () => {
  const again = told([...BOUGHT, ...inOne(1_002, B_OUT, A_OUT, { ...A_OUT, baseRaw: 5n })])
  expect(traderOf(again, 'B')).toMatchObject({ sold_sol: 2 })
  expect(traderOf(again, 'A')).toMatchObject({ sold_sol: 2, sells: 1 })
  // Two sales, each with a payment of its own.
  const half = { ...B_OUT, baseRaw: B_OUT.baseRaw / 2n }
  const second = { ...A_OUT, quoteRaw: 3n * 10n ** 9n }
  const both = told([...BOUGHT, ...inOne(1_002, half, A_OUT, half, second)])
  expect(traderOf(both, 'B')).toMatchObject({ sold_sol: 5, sells: 2 })
})

test('what a coin costs is paid by the hop that bought its quote, whatever was bought between', () => {
  const other = { ...A_IN, mint: 'X', pool: 'curve X', quoteRaw: 5n * 10n ** 9n }
  const pair = told(inOne(1_001, A_IN, other, { ...B_IN, route: 2 }))
  expect(traderOf(pair, 'B')).toMatchObject({ bought_sol: 1 })
})

test('whatever of a route comes late, it is paid once', () => {
  const hops = [...BOUGHT, ...inOne(1_002, B_OUT, A_OUT, { ...A_OUT, baseRaw: 5n })]
  const behind = swap({ slot: 121, txIndex: 1_003, mint: 'A', pool: 'curve A' })
  for (let late = 0; late < hops.length; late += 1) {
    const rest = hops.filter((_, place) => place !== late)
    const pair = told([...rest, behind, hops[late]])
    expect(traderOf(pair, 'B')).toMatchObject({ bought_sol: 1, sold_sol: 2 })
  }
})

test('who made money by the last hop is a pro, and who lost it there is none', () => {
  const plain = { mint: 'X', pool: 'curve X' }
  // Four swaps of the same price; with the two hops they are six, in two mints.
  const trades = [110, 111, 112, 113].map((slot, i) =>
    swap({ ...plain, slot, direction: i % 2 === 0 ? 'buy' : 'sell' }),
  )
  const held = swap({ ...B_IN, slot: 114, quoteRaw: 10n ** 13n })
  const proAfter = (quoteRaw: bigint) => {
    const pair = told([...trades, held, ...inOne(1_002, B_OUT, { ...A_OUT, quoteRaw })])
    const next = swap({ ...plain, slot: 130 })
    expect(follow(pair, [next])).toBeNull()
    const [newest] = JSON.parse(pair.answers.swaps('X', null, { page: 1, limit: 1 })).items
    return newest.pro_trader
  }
  // 1e7 A are 0.3 SOL: that is what B cost, and what hop 1 alone brings.
  expect(proAfter(2n * 10n ** 9n)).toBe(true)
  expect(proAfter(10n ** 8n)).toBe(false)
})

test('a coin that passes between two trades of it leaves them what they are', () => {
  const ofA = { mint: 'A', pool: 'curve A' }
  const own = swap({ ...ofA, slot: 110, baseBalanceBeforeRaw: 0n })
  const pair = told([own, ...BOUGHT, swap({ ...ofA, slot: 125 })])
  expect(traderOf(pair, 'A')).toMatchObject({ buys: 2, bought_sol: 2, holding_amount: 200 })
})

test('who passes a coin on bundles with nobody', () => {
  const bob = { ...A_IN, signer: 'bob', route: 0, baseRaw: 100_000_000n }
  const pair = told(inOne(1_001, A_IN, { ...B_IN, route: 2 }, bob))
  expect(JSON.parse(pair.answers.marketData(['A']))[0]).toMatchObject({ bundle_holding: 0 })
  // In the slot behind the creation of A, where two that buy bundle.
  const launch = (route: number) => {
    const [first, second] = [{ route }, { route: 0, signer: 'bob' }].map((over) =>
      swap({ ...A_IN, slot: 91, baseRaw: 100_000_000n, ...over }),
    )
    const at = told([first, second]).answers.marketData(['A'])
    return JSON.parse(at)[0].bundle_holding > 0
  }
  expect([launch(0), launch(1)]).toEqual([true, false])
})

test('at rest, too, a coin that passed is in nobody’s list', () => {
  const bob = swap({ ...A_IN, signer: 'bob', slot: 121, route: 0 })
  // Far enough behind them that nothing can come between.
  const later = [500, 600, 700].map((slot) => swap({ mint: 'X', pool: 'curve X', slot }))
  const pair = told([...BOUGHT, bob, ...later])
  pair.rest()
  expect(pair.engine.state.dormant.tokens).toBe(2)
  expect(checkAll(pair, 2)).toBeNull()
})

test('swaps of a transaction follow each other, too, where those before have left memory', () => {
  const unplaced = <Event extends FeedEvent>(event: Event) => ({ ...event, slot: null })
  // The balance is that before all of them.
  const bought = { mint: 'A', pool: 'curve A', baseBalanceBeforeRaw: 0n }
  const dearer = { ...bought, quoteRaw: 3n * 10n ** 9n }
  const story = [...BOUGHT, ...inOne(1_002, B_OUT, A_OUT), ...inOne(1_003, bought, dearer)]
  for (let behind = 1; behind < story.length; behind += 1) {
    const pair = new Pair('event')
    for (const event of BEFORE) pair.apply('slot' in event ? unplaced(event) : event)
    const fill = TAPE_BLOCK_RECORDS - behind
    for (let i = 0; i < fill; i += 1) pair.apply(unplaced(swap({ mint: 'X', pool: 'curve X' })))
    for (const [place, event] of story.entries()) {
      pair.apply(unplaced(event))
      pair.leaveMemory()
      expect(pair.engine.state.tape.firstInMemory > 0).toBe(place + 1 >= behind)
    }
    expect(checkAll(pair, 1), `${behind} of them in the chunk before`).toBeNull()
    expect(traderOf(pair, 'B')).toMatchObject({ bought_sol: 1, sold_sol: 2 })
  }
})
