import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { CREATE_POOL_EVENT, SELL_EVENT } from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { CREATE_EVENT, TRADE_EVENT } from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { balancesOfMeta } from '../../../src/feeds/chain/transactions/rpc-json.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { RecordedValues } from '../../../src/feeds/replay/recorded-value.ts'
import { DATA, hasData, withData } from '../data-folder.ts'
import { amm, curveOf, poolOf, pump } from '../peers/program-forms.ts'
import { address, change, DecodingFeed, TIMESTAMP } from '../peers/told-transaction.ts'

const [MINT, COIN, WALLET, OTHER, THIRD] = [7, 8, 9, 10, 11].map(address)

function trade(values: Record<string, string | bigint | boolean> = {}) {
  return pump(TRADE_EVENT, {
    ...{ timestamp: TIMESTAMP, mint: MINT, user: WALLET, is_buy: true, token_amount: 100n },
    ...{ sol_amount: 5n, real_token_reserves: 900n, real_quote_reserves: 1n, ix_name: 'buy' },
    ...values,
  })
}

test('owners that the swaps do not explain are told, behind the events and in the order of the list', () => {
  const balances = [
    change(THIRD, MINT, 4n, 4n),
    change(WALLET, MINT, 0n, 60n),
    change(curveOf(MINT), MINT, 1_000n, 900n),
    change(OTHER, MINT, 0n, 40n),
    change(OTHER, COIN, 0n, 1n),
  ]
  const [swap, ...rest] = new DecodingFeed().events([trade()], { signers: [WALLET], balances })
  expect(swap).toMatchObject({ baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 60n })
  const place = { slot: 1, txIndex: 2, signature: 'signature', timestamp: Number(TIMESTAMP) }
  expect(rest).toEqual([
    { type: 'balance', ...place, ordinal: 1, mint: MINT, wallet: THIRD, balanceRaw: 4n },
    { type: 'balance', ...place, ordinal: 2, mint: MINT, wallet: OTHER, balanceRaw: 40n },
  ])
})

test('a quote coin that was given away is told of its owners, and SOL never is', () => {
  const balances = [
    change(WALLET, MINT, 0n, 100n),
    change(WALLET, COIN, 50n, 30n),
    change(curveOf(MINT), COIN, 0n, 20n),
    change(OTHER, 'So11111111111111111111111111111111111111112', 0n, 7n),
  ]
  const emitted = [trade({ quote_mint: COIN })]
  const events = new DecodingFeed().events(emitted, { signers: [WALLET], balances })
  expect(events.slice(1)).toMatchObject([
    { type: 'balance', mint: COIN, wallet: WALLET, balanceRaw: 30n, ordinal: 1 },
  ])
})

test('a pool that trades owns nothing that is told', () => {
  const pool = poolOf(MINT)
  const told = new DecodingFeed()
  told.normaliser.pools.learn(pool, { mint: MINT, quoteMint: null })
  const values = { timestamp: TIMESTAMP, pool, user: WALLET, base_amount_in: 100n }
  const sale = amm(SELL_EVENT, { ...values, pool_quote_token_reserves: 9n, quote_amount_out: 5n })
  const balances = [change(WALLET, MINT, 100n, 0n), change(pool, MINT, 0n, 100n)]
  const events = told.events([sale], { signers: [WALLET], balances })
  expect(events).toMatchObject([{ type: 'swap', baseBalanceAfterRaw: 0n }])
})

test('where no event is told there are no balances, and past their limit they are counted', () => {
  const owner = (n: number) => encodeBase58(Buffer.alloc(32, `owner ${n}`))
  const balances = Array.from({ length: 300 }, (_, n) => change(owner(n), MINT, 0n, 1n))
  const told = new DecodingFeed()
  expect(told.events([], { signers: [WALLET], balances })).toEqual([])
  const events = told.events([trade()], { signers: [WALLET], balances })
  expect(events).toHaveLength(1 + 128)
  expect(told.counters.leftOutBalances).toBe(300 - 128)
})

test('an owner that is no address is nobody: no event could carry him', () => {
  const balances = [change('\u0000', MINT, 0n, 100n), change('', MINT, 0n, 1n)]
  const events = new DecodingFeed().events([trade()], { signers: [OTHER], balances })
  expect(events).toMatchObject([{ type: 'swap', signer: OTHER }])
  expect(events).toHaveLength(1)
})

test('amounts that no account holds end at the largest one', () => {
  const entry = (amount: string) => ({ mint: MINT, owner: WALLET, uiTokenAmount: { amount } })
  const most = 2n ** 64n - 1n
  const meta = { preTokenBalances: [], postTokenBalances: [entry(`${most}`), entry(`${most}`)] }
  expect(balancesOfMeta(meta)).toEqual([change(WALLET, MINT, 0n, most)])
})

test('accounts of an owner are summed, and decimals that a message leaves out are what it means by that', () => {
  const entry = (amount: string, told = {}) => ({
    ...{ mint: MINT, owner: WALLET },
    uiTokenAmount: { amount, ...told },
  })
  const meta = {
    preTokenBalances: [entry('1'), entry('2')],
    postTokenBalances: [entry('3'), entry('4')],
  }
  expect(balancesOfMeta(meta)).toEqual([change(WALLET, MINT, 3n, 7n)])
  // A field of protobuf that is 0 is not sent.
  expect(balancesOfMeta(meta, 0)).toEqual([{ ...change(WALLET, MINT, 3n, 7n), decimals: 0 }])
  const told = { preTokenBalances: [], postTokenBalances: [entry('3', { decimals: 8 })] }
  expect(balancesOfMeta(told, 0)).toEqual([{ ...change(WALLET, MINT, 0n, 3n), decimals: 8 }])
})

test('decimals of a quote coin come from balances and pools; what none can have is counted and not told', () => {
  const swapWith = (decimals: number) => {
    const told = new DecodingFeed()
    const balances = [{ ...change(OTHER, COIN, 0n, 1n), decimals }]
    const [swap] = told.swaps([trade({ quote_mint: COIN })], { balances })
    return { swap, bad: told.counters.badDecimals }
  }
  expect(swapWith(8)).toMatchObject({ swap: { quoteMint: COIN, quoteDecimals: 8 }, bad: 0 })
  expect(swapWith(0)).toMatchObject({ swap: { quoteDecimals: 0 }, bad: 0 })
  const { swap, bad } = swapWith(255)
  expect(swap).not.toHaveProperty('quoteDecimals')
  expect(bad).toBe(1)
  const told = new DecodingFeed()
  const pool = { timestamp: TIMESTAMP, base_mint: OTHER, quote_mint: COIN, pool: THIRD }
  told.events([amm(CREATE_POOL_EVENT, { ...pool, quote_mint_decimals: 5 })])
  expect(told.swaps([trade({ quote_mint: COIN })])).toMatchObject([{ quoteDecimals: 5 }])
  const created = { timestamp: TIMESTAMP, mint: MINT, quote_mint: COIN, depth: 1 }
  expect(told.events([pump(CREATE_EVENT, created)])).toMatchObject([
    { type: 'token_created', quoteMint: COIN, quoteDecimals: 5 },
  ])
  expect(told.swaps([trade()])[0]).not.toHaveProperty('quoteDecimals')
})

/** Events of one of the small inputs. */
function eventsOfCase(name: string) {
  const values = new RecordedValues(newFeedCounters())
  const lines = readFileSync(join(DATA, '..', 'cases', name), 'utf8').split('\n')
  return lines
    .filter((line) => line !== '')
    .flatMap((line) => {
      const events = values.eventsOf(JSON.parse(line))
      if ('error' in events) throw new Error(events.error)
      return events
    })
}

test.skipIf(!hasData)(`a creator who spreads what he buys leaves five holders${withData}`, () => {
  const events = eventsOfCase('dev-forwards-at-launch.ndjson')
  const kinds = events.map(({ type }) => type)
  expect(kinds).toEqual(['sol_price', 'token_created', 'swap', ...Array(5).fill('balance')])
  const told = events.filter((event) => event.type === 'balance')
  expect(new Set(told.map(({ wallet }) => wallet)).size).toBe(5)
  expect(new Set(told.map(({ balanceRaw }) => balanceRaw))).toEqual(new Set([53_650_000_000_000n]))
  const [swap] = events.filter((event) => event.type === 'swap')
  expect(swap).toMatchObject({ baseRaw: 268_250_000_000_000n, baseBalanceAfterRaw: 0n })
})

test.skipIf(!hasData)(`a router’s vault is not who traded${withData}`, () => {
  const swap = eventsOfCase('router-vault-signer.ndjson').find(({ type }) => type === 'swap')
  expect(swap).toMatchObject({
    signer: '8Xxf4wo2b1K6EPdHNf94MzWKWh16AwWKSXgDG7EbGXFk',
    baseRaw: 34_612_903_225_806n,
    baseBalanceBeforeRaw: 0n,
    baseBalanceAfterRaw: 34_612_903_225_806n,
  })
})

test.skipIf(!hasData)(`virtual SOL that is set from 31 to 4.5 is told${withData}`, () => {
  const events = eventsOfCase('mayhem-virtual-params.ndjson')
  expect(events.at(-1)).toMatchObject({
    ...{ type: 'reserves', reason: 'mayhem', source: 'pump', slot: 16_020 },
    ...{ virtualBaseRaw: 1_038_387_096_774_194n, virtualQuoteRaw: 4_500_000_000n },
  })
})
