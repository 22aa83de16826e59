/** Coins that others are quoted in, at edges where random histories seldom come. */
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { QUOTE_COINS_MAX } from '../../../src/engine/state/money.ts'
import { State } from '../../../src/engine/state/state.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { PUMP_MINT, Quote } from '../../../src/events/platform.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { checkAll } from '../../model/full-check.ts'
import { Pair } from '../../model/pair.ts'
import { follow } from '../../mutants/story.ts'
import { created, migrated, price, swap } from '../../oracle/fixtures.ts'
import { USDC } from '../../oracle/market.ts'

/** 30 SOL for 1e9 tokens: 3e-8 SOL each. */
const A = created({ mint: 'A', slot: 90, signature: 'A' })
/** 2 of the quote each, which has six decimals. */
const IN_COIN = { virtualBaseRaw: 10n ** 15n, virtualQuoteRaw: 2n * 10n ** 15n }
const inCoin = (mint: string, quoteMint: string, over = {}) =>
  created({ ...IN_COIN, mint, signature: mint, quoteMint, ...over })
/** 100 tokens for 200 of the quote. */
const buy = (mint: string, over: Partial<Swap> = {}) =>
  swap({ mint, pool: `curve ${mint}`, quoteRaw: 200_000_000n, ...IN_COIN, ...over })

/** Follows the events; a difference to the oracle fails, whatever is read. */
function follows(pair: Pair, ...events: readonly FeedEvent[]): void {
  expect(follow(pair, events)).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
}

function told(...events: readonly FeedEvent[]): Pair {
  const pair = new Pair('event')
  follows(pair, price(100), ...events)
  return pair
}

/** Of the newest swap of a mint. */
function newest(pair: Pair, mint: string) {
  return JSON.parse(pair.answers.swaps(mint, null, { page: 1, limit: 1 })).items[0]
}

test('a trade, and a token, has a price through four coins and none through five', () => {
  const coins = ['A', 'B', 'C', 'D', 'E', 'F']
  const births = coins.slice(1).map((mint, i) => inCoin(mint, coins[i]))
  const pair = told(A, ...births, ...coins.slice(1).map((mint) => buy(mint)))
  const priced = coins.map((mint) => JSON.parse(pair.answers.marketData([mint]))[0].market_cap > 0)
  expect(priced).toEqual([true, true, true, true, true, false])
  expect(newest(pair, 'E').volume_usd).toBeGreaterThan(0)
  expect(newest(pair, 'F').volume_usd).toBe(0)
})

test('amounts of a coin have its own decimals, whatever is told of them', () => {
  const nine = { ...A, decimals: 9, virtualBaseRaw: 10n ** 18n }
  const inNine = { quoteRaw: 200n * 10n ** 9n, virtualQuoteRaw: 2n * 10n ** 18n }
  const pair = told(nine, inCoin('B', 'A', { ...inNine, quoteDecimals: 2 }), buy('B', inNine))
  // 200 A are 6e-6 SOL.
  expect(newest(pair, 'B')).toMatchObject({ quote_mint_amount: 200, volume_usd: 0.0006 })
})

test('of a coin that is no token the decimals that are told first count, else those that mints look like', () => {
  const amountOf = (quoteMint: string, ...told_: readonly (number | undefined)[]) => {
    const births = told_.map((quoteDecimals, i) => inCoin(`M${i}`, quoteMint, { quoteDecimals }))
    return newest(told(...births, buy('M0', { quoteRaw: 10n ** 9n })), 'M0').quote_mint_amount
  }
  expect(amountOf('nobody', 8, 5)).toBe(10)
  expect(amountOf('nobody', undefined, 5)).toBe(10_000)
  expect(amountOf('nobody', undefined)).toBe(1)
  expect(amountOf('of the platform pump', undefined)).toBe(1_000)
  expect(amountOf(PUMP_MINT, undefined)).toBe(1_000)
})

test('decimals that were told before a restart count after it', () => {
  const pair = told(inCoin('M', 'nobody', { quoteDecimals: 8 }))
  pair.restart()
  follows(pair, inCoin('N', 'nobody', { quoteDecimals: 5 }), buy('N', { quoteRaw: 10n ** 9n }))
  expect(newest(pair, 'N')).toMatchObject({ quote_mint_amount: 10 })
})

test('of a mint without a creation the first swap tells the kind of its quote, and the first that came the coin', () => {
  const known = [A, { ...A, mint: 'A2', signature: 'A2', decimals: 9 }]
  const quotes = [undefined, USDC, 'A', 'A2'] as const
  for (const first of quotes)
    for (const second of quotes)
      for (const third of quotes) {
        const [one, two, behind] = [first, second, third].map((quoteMint, i) =>
          buy('M', { slot: 110 + i, ...(quoteMint !== undefined && { quoteMint }) }),
        )
        told(...known, one, two, behind)
        told(...known, behind, one, two)
        told(...known, two, one, behind)
      }
})

test('a coin without reserves is worth nothing, and so is what is paid in it', () => {
  const pair = told(migrated({ mint: 'A', slot: 90 }), inCoin('B', 'A'), buy('B'))
  expect(newest(pair, 'B')).toMatchObject({ volume_usd: 0, base_mint_price_usd: 0 })
  // With reserves it is, and the sum is that of what was worth something.
  follows(pair, swap({ mint: 'A', pool: 'curve A', slot: 119 }), buy('B', { slot: 120 }))
  expect(JSON.parse(pair.answers.marketData(['B']))[0]).toMatchObject({ vol_24h: 0.0006 })
})

test('the best of a search follow what their quote is worth', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const answers = new EngineQueries(engine, () => {})
  // More than are tried at once, from the greatest down.
  const many = Array.from({ length: 600 }, (_, i) => [
    created({ mint: `S${i}`, signature: `S${i}`, symbol: 'ALIKE' }),
    inCoin(`C${i}`, 'A', { symbol: 'ALIKE' }),
  ])
  engine.events([price(100), A, ...many.flat()])
  const first = (): string => JSON.parse(answers.search('ALIKE'))[0].mint
  // 3,000 dollars in SOL, 6,000 in A; then A is worth a tenth, and a hundred times that.
  expect(first()[0]).toBe('C')
  for (const [i, [virtualQuoteRaw, kind]] of (
    [
      [3n * 10n ** 9n, 'S'],
      [300n * 10n ** 9n, 'C'],
    ] as const
  ).entries()) {
    engine.accept(swap({ mint: 'A', pool: 'curve A', slot: 120 + i, virtualQuoteRaw }))
    expect(first()[0]).toBe(kind)
    expect(answers.search('ALIKE')).toBe(new EngineQueries(engine, () => {}).search('ALIKE'))
  }
})

test('a coin past their limit has no number: no address, no price, and nine decimals', () => {
  const { quotes } = new State()
  for (let address = 0; address < QUOTE_COINS_MAX; address += 1)
    expect(quotes.numberOfCoin(address)).toBe(Quote.other + 1 + address)
  expect(quotes.numberOfCoin(QUOTE_COINS_MAX)).toBe(Quote.other)
  expect(quotes.numberOfCoin(7)).toBe(Quote.other + 8)
  quotes.noteDecimals(Quote.other, 3)
  expect(quotes.decimalsOf(Quote.other)).toBe(9)
  expect(quotes.mintOf(Quote.other)).toBe('')
  expect(quotes.lamportsPerUnit(Quote.other, 100)).toBe(0)
})

test('filters follow the price of SOL, and that of each coin on the way to it', () => {
  const pair = told(A, inCoin('B', 'A'), inCoin('C', 'B'))
  const cap = (mint: string) => JSON.parse(pair.answers.marketData([mint]))[0].market_cap
  /** Do filters around the market caps of now let pass what they have to? */
  const isFound = (mint: string) => {
    const mCapUsd = { min: cap(mint) * 0.999, max: cap(mint) * 1.001 }
    const query = { type: 'new', filters: { new: { mCapUsd } }, limit: 9 } as const
    const rows: { mint: string }[] = JSON.parse(pair.answers.tables(query)).new
    return rows.some((row) => row.mint === mint)
  }
  const before = cap('C')
  for (const event of [price(200), buy('A', { pool: 'curve A' }), buy('B'), price(100)]) {
    follows(pair, event)
    expect(
      ['A', 'B', 'C'].filter((mint) => !isFound(mint)),
      event.type,
    ).toEqual([])
  }
  expect(cap('C')).not.toBe(before)
})
