import { expect, test } from 'vitest'
import { SELL_EVENT } from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import {
  COMPLETE_EVENT,
  POST_COMPLETE_BUY_EVENT,
  TRADE_EVENT,
} from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { amm, curveOf, poolOf, pump } from '../peers/program-forms.ts'
import { address, change, DecodingFeed, TIMESTAMP } from '../peers/told-transaction.ts'

const [MINT, VAULT, PAYER, MOVER, OTHER] = [7, 8, 9, 10, 11].map(address)
const BASE = 100n

function trade(values: Record<string, string | bigint | boolean> = {}) {
  return pump(TRADE_EVENT, {
    ...{ timestamp: TIMESTAMP, mint: MINT, user: VAULT, is_buy: true, token_amount: BASE },
    ...{ sol_amount: 5n, real_token_reserves: 900n, ix_name: 'buy', ...values },
  })
}

const curve = change(curveOf(MINT), MINT, 1_000n, 900n)

/** Who is told to have traded, and which counter says how it was found. */
function found(
  emitted: Parameters<DecodingFeed['swaps']>[0],
  more: Parameters<DecodingFeed['swaps']>[1],
) {
  const told = new DecodingFeed()
  const swaps = told.swaps(emitted, more)
  const ways = Object.entries(told.counters).filter(
    ([name, count]) => name.startsWith('signers') && count > 0,
  )
  return { swaps, ways: Object.fromEntries(ways), signers: swaps.map(({ signer }) => signer) }
}

test('who stands in the event traded if he signed, whoever has the tokens', () => {
  const balances = [curve, change(MOVER, MINT, 0n, BASE)]
  const { signers, ways } = found([trade()], { signers: [PAYER, VAULT], balances })
  expect({ signers, ways }).toEqual({ signers: [VAULT], ways: { signersSigned: 1 } })
})

test('or if his balance of the mint moved, by whatever amount', () => {
  const balances = [curve, change(MOVER, MINT, 0n, BASE), change(VAULT, MINT, 5n, 4n)]
  const { signers, ways, swaps } = found([trade()], { signers: [PAYER], balances })
  expect({ signers, ways }).toEqual({ signers: [VAULT], ways: { signersMoved: 1 } })
  expect(swaps).toMatchObject([{ baseBalanceBeforeRaw: 5n, baseBalanceAfterRaw: 4n }])
})

test('else the one owner whose balance moved by exactly the amount, with his balances', () => {
  const others = [curve, change(VAULT, MINT, 0n, 0n), change(OTHER, MINT, 50n, 51n)]
  const balances = [...others, change(MOVER, MINT, 30n, 30n + BASE)]
  const { signers, ways, swaps } = found([trade()], { signers: [PAYER], balances })
  expect({ signers, ways }).toEqual({ signers: [MOVER], ways: { signersByAmount: 1 } })
  expect(swaps).toMatchObject([{ baseBalanceBeforeRaw: 30n, baseBalanceAfterRaw: 130n }])
})

test('a move against the direction, by another amount, of the curve or of two owners is nobody’s', () => {
  const ofMover = (before: bigint, after: bigint) => [change(MOVER, MINT, before, after)]
  for (const moved of [
    ofMover(BASE, 0n),
    ofMover(0n, BASE - 1n),
    [...ofMover(0n, BASE), change(OTHER, MINT, 7n, 7n + BASE)],
    [change(curveOf(MINT), MINT, 0n, BASE)],
  ]) {
    const { signers, ways } = found([trade()], { signers: [PAYER], balances: moved })
    expect({ signers, ways }).toEqual({ signers: [PAYER], ways: { signersPaid: 1 } })
  }
})

test('a sale takes the amount off its owner, and the fee payer has not what the event says of the vault', () => {
  const pool = poolOf(MINT)
  const values = { timestamp: TIMESTAMP, pool, user: VAULT, user_base_token_reserves: 500n }
  const sale = amm(SELL_EVENT, { ...values, base_amount_in: BASE, quote_amount_out: 5n })
  const told = new DecodingFeed()
  told.normaliser.pools.learn(pool, { mint: MINT, quoteMint: null })
  const balances = [change(pool, MINT, 0n, BASE), change(MOVER, MINT, BASE, 0n)]
  expect(told.swaps([sale], { signers: [PAYER], balances })).toMatchObject([
    { signer: MOVER, baseBalanceBeforeRaw: BASE, baseBalanceAfterRaw: 0n },
  ])
  const [paid] = told.swaps([sale], { signers: [PAYER] })
  expect(paid.signer).toBe(PAYER)
  expect(paid).not.toHaveProperty('baseBalanceBeforeRaw')
  const [own] = told.swaps([sale], { signers: [VAULT] })
  expect(own).toMatchObject({ signer: VAULT, baseBalanceBeforeRaw: 500n })
})

test('two trades of one vault in a transaction are of who moved their sum', () => {
  const balances = [curve, change(MOVER, MINT, 0n, BASE + 40n)]
  const emitted = [trade(), trade({ token_amount: 40n })]
  expect(found(emitted, { signers: [PAYER], balances }).signers).toEqual([MOVER, MOVER])
  const behind = pump(POST_COMPLETE_BUY_EVENT, {
    ...{ timestamp: TIMESTAMP, user: VAULT, mint: MINT, bonding_curve: curveOf(MINT) },
    ...{ base_out: 40n, quote_in: 2n, pool_quote_reserves_after: 3n },
  })
  const done = pump(COMPLETE_EVENT, { timestamp: TIMESTAMP, mint: MINT })
  const completing = [trade({ real_token_reserves: 0n }), done, behind]
  expect(found(completing, { signers: [PAYER], balances }).signers).toEqual([MOVER, MOVER])
  // What is bought and sold again moves nobody.
  const again = [trade(), trade({ is_buy: false })]
  const unmoved = [change(MOVER, MINT, 9n, 9n)]
  const { signers } = found(again, { signers: [PAYER], balances: unmoved })
  expect(signers).toEqual([PAYER, PAYER])
})

test('with logs alone it is who stands in the event', () => {
  const { signers, ways } = found([trade()], {})
  expect({ signers, ways }).toEqual({ signers: [VAULT], ways: { signersUntold: 1 } })
})
