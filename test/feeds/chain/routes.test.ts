import { expect, test } from 'vitest'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { BUY_EVENT, SELL_EVENT } from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { canonicalPoolAddress } from '../../../src/feeds/chain/layouts/program-address.ts'
import { TRADE_EVENT } from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { amm, curveOf, poolOf, pump } from '../peers/program-forms.ts'
import { address, change, DecodingFeed, TIMESTAMP } from '../peers/told-transaction.ts'

const [A, B, C, WALLET, PAYER, OTHER] = [7, 8, 9, 10, 11, 12].map(address)
const SOL = address(0)

/** A trade on the curve of `mint`, quoted in `quote`; a token for a token. */
function onCurve(mint: string, quote: string, isBuy: boolean, user = WALLET) {
  return pump(TRADE_EVENT, {
    ...{ timestamp: TIMESTAMP, mint, quote_mint: quote, is_buy: isBuy, user, ix_name: 'buy' },
    ...{ token_amount: 100n, sol_amount: 100n, quote_amount: 100n, real_token_reserves: 1n },
    real_quote_reserves: 1n,
  })
}

const hops = (events: readonly FeedEvent[]) =>
  events
    .filter((event): event is Swap => event.type === 'swap')
    .map(({ mint, route, signer }) => [mint, route, signer])

const NAME = 'multi_hop_swap, built from its layout and never seen as real bytes:'

test(`${NAME} purchases SOL to A to B have their numbers, with logs alone too`, () => {
  const told = new DecodingFeed()
  const events = told.events([onCurve(A, SOL, true), onCurve(B, A, true)])
  expect(hops(events)).toEqual([
    [A, 1, WALLET],
    [B, 2, WALLET],
  ])
  expect(events).toMatchObject([{ direction: 'buy' }, { direction: 'buy', quoteMint: A }])
})

test(`${NAME} sales B to A to SOL have them as well`, () => {
  const events = new DecodingFeed().events([onCurve(B, A, false), onCurve(A, SOL, false)])
  expect(hops(events)).toEqual([
    [B, 1, WALLET],
    [A, 2, WALLET],
  ])
})

test(`${NAME} the middle coin gets no balances, and nobody a balance that did not move`, () => {
  const balances = [
    change(WALLET, A, 5n, 5n),
    change(WALLET, B, 0n, 100n),
    change(OTHER, A, 9n, 9n),
    change(curveOf(A), A, 500n, 400n),
    change(curveOf(B), A, 0n, 100n),
    change(curveOf(B), B, 500n, 400n),
  ]
  const emitted = [onCurve(A, SOL, true), onCurve(B, A, true)]
  const [middle, end, ...rest] = new DecodingFeed().events(emitted, { signers: [WALLET], balances })
  expect(middle).not.toHaveProperty('baseBalanceBeforeRaw')
  expect(middle).not.toHaveProperty('baseBalanceAfterRaw')
  expect(end).toMatchObject({ baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 100n })
  expect(rest).toEqual([])
  // A little of it stayed: that is a balance, and still a route.
  const dust = [change(WALLET, A, 5n, 7n), ...balances.slice(1)]
  const kept = new DecodingFeed().events(emitted, { signers: [WALLET], balances: dust })
  expect(hops(kept).map(([, route]) => route)).toEqual([1, 2])
  expect(kept.slice(2)).toMatchObject([
    { type: 'balance', mint: A, wallet: WALLET, balanceRaw: 7n, ordinal: 2 },
  ])
})

test('who buys A, keeps it and buys B with what he had makes two trades of his own', () => {
  const emitted = [onCurve(A, SOL, true), onCurve(B, A, true)]
  const balances = [change(WALLET, A, 0n, 100n), change(WALLET, B, 0n, 100n)]
  const events = new DecodingFeed().events(emitted, { signers: [WALLET], balances })
  expect(hops(events)).toEqual([
    [A, undefined, WALLET],
    [B, undefined, WALLET],
  ])
  expect(events[0]).toMatchObject({ baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 100n })
})

test('through a router’s account all hops are of who moved the coin at the end', () => {
  const balances = [change(OTHER, B, 0n, 100n), change(curveOf(B), A, 0n, 100n)]
  const emitted = [onCurve(A, SOL, true), onCurve(B, A, true)]
  const events = new DecodingFeed().events(emitted, { signers: [PAYER], balances })
  expect(hops(events)).toEqual([
    [A, 1, OTHER],
    [B, 2, OTHER],
  ])
  // Of sales the end is the first: its coin was somebody's.
  const given = [change(OTHER, B, 150n, 50n), change(curveOf(B), A, 100n, 0n)]
  const sales = [onCurve(B, A, false), onCurve(A, SOL, false)]
  const sold = new DecodingFeed().swaps(sales, { signers: [PAYER], balances: given })
  expect(hops(sold)).toEqual([
    [B, 1, OTHER],
    [A, 2, OTHER],
  ])
  expect(sold[0]).toMatchObject({ baseBalanceBeforeRaw: 150n, baseBalanceAfterRaw: 50n })
  expect(sold[1]).not.toHaveProperty('baseBalanceBeforeRaw')
})

test('trades of others, of other directions or coins, and circles without an end are no route', () => {
  for (const emitted of [
    [onCurve(A, SOL, true), onCurve(B, A, true, OTHER)],
    [onCurve(A, SOL, true), onCurve(B, A, false)],
    [onCurve(A, SOL, true), onCurve(B, SOL, true)],
    [onCurve(B, A, true), onCurve(A, SOL, true)],
    [onCurve(A, SOL, false), onCurve(B, A, false)],
  ])
    expect(hops(new DecodingFeed().events(emitted)).map(([, route]) => route)).toEqual([
      undefined,
      undefined,
    ])
  const circle = Array.from({ length: 20 }, (_, n) => onCurve(n % 2 ? B : A, n % 2 ? A : B, true))
  const routes = hops(new DecodingFeed().events(circle)).map(([, route]) => Number(route))
  expect(Math.max(...routes)).toBe(7)
  expect(routes.slice(0, 9)).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 2])
})

test('pools of coins quoted in coins are known by their address, whichever stands first', () => {
  const pool = canonicalPoolAddress(B, A) ?? ''
  const values = { timestamp: TIMESTAMP, pool, user: WALLET }
  const told = (mints: readonly string[]) => {
    const balances = mints.map((mint) => ({ ...change(pool, mint, 1n, 2n), decimals: 8 }))
    return new DecodingFeed().swaps([amm(SELL_EVENT, values)], { balances })
  }
  for (const mints of [
    [A, B],
    [B, A],
    [OTHER, A, C, B],
  ])
    expect(told(mints)).toMatchObject([{ mint: B, quoteMint: A, quoteDecimals: 8, pool }])
})

test('a route may leave a curve and end in a pool', () => {
  const pool = canonicalPoolAddress(B, A) ?? ''
  const told = new DecodingFeed()
  told.normaliser.pools.learn(pool, { mint: B, quoteMint: A })
  told.normaliser.pools.learn(poolOf(A), { mint: A, quoteMint: null })
  const bought = (of: string) =>
    amm(BUY_EVENT, {
      timestamp: TIMESTAMP,
      pool: of,
      user: WALLET,
      base_amount_out: 1n,
      lp_fee: 1n,
    })
  expect(hops(told.events([onCurve(A, SOL, true), bought(pool)])).map(([, n]) => n)).toEqual([1, 2])
  expect(hops(told.events([bought(poolOf(A)), bought(pool)])).map(([, n]) => n)).toEqual([1, 2])
})
