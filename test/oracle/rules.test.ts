/** More hand-worked cases: wallets over all mints, unknown mints, text, and the charts' extras. */
import { expect, test } from 'vitest'
import {
  chart,
  created,
  oracleOf,
  price,
  RESERVES,
  START_SECOND,
  swap,
  TRADERS,
  twitter,
} from './fixtures.ts'
import { USDC } from './market.ts'
import { Oracle } from './oracle.ts'
import { cleanLink, cleanText, xLink } from './text.ts'

const DAY = 86_400
const ALL = { type: 'all', filters: {}, limit: 50 } as const

test('a wallet is fresh for 24 hours and ten trades, whatever the mint; the flag wins', () => {
  // Trades 1 to 10 are fresh, the 11th is not; a flag is believed; a day later it is not fresh.
  const ten = Array.from({ length: 10 }, () => swap({ mint: 'other', signer: 'bob' }))
  const oracle = oracleOf(
    ...ten,
    swap({ signer: 'bob' }),
    swap({ signer: 'bob', fresh: true }),
    swap({ signer: 'carol' }),
    swap({ signer: 'carol', slot: 300, timestamp: START_SECOND + 4 + DAY }),
    swap({ signer: 'carol', slot: 301, timestamp: START_SECOND + 3 + DAY }),
  )
  expect(oracle.swaps('mint', null, 1, 9)).toMatchObject({
    items: [true, false, true, true, false].map((fresh_wallet) => ({ fresh_wallet })),
  })
  expect(oracle.swaps('other', null, 1, 1)).toMatchObject({ items: [{ fresh_wallet: true }] })
})

test('a pro trader has traded, over mints, at a profit; a swap shows what was before it', () => {
  // Buys 100 for 100 USD and sells them for 200 in mint a, then trades b: pro from the third on.
  const oracle = new Oracle({ clock: 'event', proRule: { trades: 2, mints: 1 } })
  const sold = { direction: 'sell', quoteRaw: 2_000_000_000n } as const
  const events = [
    price(100),
    swap({ mint: 'a' }),
    swap({ ...sold, mint: 'a' }),
    swap({ mint: 'b' }),
  ]
  for (const event of events) oracle.apply(event)
  expect(oracle.swaps('a', null, 1, 9)).toMatchObject({
    items: [{ pro_trader: false }, { pro_trader: false }],
  })
  expect(oracle.swaps('b', null, 1, 9)).toMatchObject({ items: [{ pro_trader: true }] })
  expect(oracle.marketData(['a', 'b'])).toMatchObject([{ pro_traders: 0 }, { pro_traders: 1 }])
  oracle.apply(swap({ mint: 'b', pro: false }))
  expect(oracle.marketData(['b'])).toMatchObject([{ pro_traders: 0 }])
})

test('a mint born on the AMM is graduated, one born on the curve has its pool', () => {
  const oracle = oracleOf(
    swap({ mint: 'amm', source: 'pump_amm', pool: 'amm pool', realBaseRaw: 0n }),
    swap({ mint: 'curve mint', pool: 'a curve' }),
  )
  expect(oracle.tables(ALL)).toMatchObject({
    new: [{ mint: 'curve mint', pool: 'a curve', creator: '' }],
    graduated: [{ mint: 'amm', pool: 'amm pool', pct_completion: 100 }],
  })
  expect(oracle.search('amm')).toMatchObject([
    { bonding_curve: '', pool_amm: 'amm pool', migration_signature: null },
  ])
  expect(oracle.migrationMessage('amm')).toBe(null)
})

test('a creation told too late leaves the dollars that are stored, and gives the rest its quote', () => {
  // 2 of a quote that nobody knew were 2 SOL, 200 USD; as USDC they are 2,000 and still 200 USD.
  const traded = [price(100), swap({ slot: 200, quoteRaw: 2_000_000_000n })]
  const usdc = created({ slot: 199, quoteMint: USDC })
  const inReach = oracleOf(...traded, swap({ slot: 231, mint: 'other' }), usdc)
  expect(inReach.swaps('mint', null, 1, 9)).toMatchObject({
    items: [{ quote_mint_amount: 2000, volume_usd: 2000, base_mint_price_usd: 3e-5 }],
  })
  const tooLate = oracleOf(...traded, swap({ slot: 232, mint: 'other' }), usdc)
  expect(tooLate.swaps('mint', null, 1, 9)).toMatchObject({
    items: [{ quote_mint_amount: 2000, volume_usd: 200, base_mint_price_usd: 3e-5 }],
  })
  expect(tooLate.marketData(['mint'])).toMatchObject([{ vol_24h: 200 }])
  expect(tooLate.tokenTraders('mint', TRADERS)).toMatchObject({ items: [{ bought_usd: 200 }] })
})

test('a swap tells the quote of its mint while no creation is known, and a creation knows better', () => {
  const swaps = [
    swap({ slot: 200, quoteRaw: 2_000_000_000n }),
    swap({ slot: 201, quoteRaw: 3_000_000_000n, quoteMint: USDC }),
    swap({ slot: 202, quoteRaw: 4_000_000_000n, quoteMint: 'the first counts' }),
  ]
  const told = oracleOf(price(100), ...swaps).swaps('mint', null, 1, 9)
  expect(told).toMatchObject({
    items: [
      { quote_mint_amount: 4000, volume_usd: 4000, base_mint_price_usd: 3e-5 },
      { quote_mint_amount: 3000, volume_usd: 3000, base_mint_price_usd: 3e-5 },
      // Nobody had said so yet: its dollars stay, its price is that of all.
      { quote_mint_amount: 2000, volume_usd: 200, base_mint_price_usd: 3e-5 },
    ],
  })
  const inSol = oracleOf(price(100), created(), ...swaps).swaps('mint', null, 1, 9)
  expect(inSol).toMatchObject({ items: [{ volume_usd: 400 }, { volume_usd: 300 }, {}] })
})

test('a creation that comes to stand behind a swap fills in what the swap is measured by', () => {
  // The swap names no index and is the first of its slot; half of what the curve had is sold.
  const early = swap({ slot: 100, txIndex: null, realBaseRaw: 350_000_000_000_000n })
  const behind = created({ txIndex: 2, realBaseRaw: 700_000_000_000_000n, supplyRaw: 10n ** 12n })
  const oracle = oracleOf(price(100), early, behind)
  expect(oracle.swaps('mint', null, 1, 9)).toMatchObject({
    items: [{ tx_index: 0, bonding_curve_progress: 50, m_cap_usd: expect.closeTo(3) }],
  })
  expect(oracle.marketData(['mint'])).toMatchObject([
    { pct_completion: 50, market_cap: expect.closeTo(3) },
  ])
})

test('a sell moves a token back to `new`, a completed one stays', () => {
  const most = { realBaseRaw: 100_000_000_000_000n }
  const back = swap({ direction: 'sell', slot: 111 })
  const completed = { ...created(), type: 'completed', slot: 112 } as const
  const oracle = oracleOf(created(), swap(most), back)
  expect(oracle.tables(ALL)).toMatchObject({ new: [{ pct_completion: 0 }], completing: [] })
  oracle.apply(completed)
  expect(oracle.tables(ALL)).toMatchObject({ new: [], completing: [{ pct_completion: 100 }] })
})

test('search ranks the mint, the symbol, prefixes, then the rest, by market cap', () => {
  // DOG is exact, `dogma` a prefix, `Hotdog` and the mint `xdogx` hold it; 3e-8 twice is higher.
  const rich = { virtualQuoteRaw: 60_000_000_000n }
  const oracle = oracleOf(
    price(100),
    created({ mint: 'm1', name: 'Hotdog', symbol: 'H' }),
    created({ mint: 'xdogx', name: '', symbol: '', ...rich }),
    created({ mint: 'm2', name: 'Dogma', symbol: 'D' }),
    created({ mint: 'm3', name: 'Cat', symbol: 'DOG' }),
    created({ mint: 'm4', name: 'Cat', symbol: 'CAT' }),
  )
  const found = ['m3', 'm2', 'xdogx', 'm1'].map((mint) => ({ mint }))
  expect(oracle.search(' dOg ')).toMatchObject(found)
})

test('text is cut by code points and made well-formed, links are filtered', () => {
  expect(cleanText('🐕🐕🐕', 2)).toBe('🐕🐕')
  expect(cleanText('a\ud800b', 256)).toBe('a\ufffdb')
  expect(cleanLink(' HTTPS://a.b ')).toBe(' HTTPS://a.b ')
  expect(cleanLink('javascript:alert(1)')).toBe('')
  for (const bare of ['t.me/dog', 'x.com/dog', 'Twitter.com/dog'])
    expect(cleanLink(` ${bare}`)).toBe(`https://${bare}`)
  for (const bare of ['dog.example/', 'www.x.com/dog', 'x.com', 'xx.com/dog', 't.me'])
    expect(cleanLink(bare)).toBe('')
  expect(xLink('x.com/Dog')).toBe('handle:dog')
  expect(xLink('https://x.com/i/status/12?s=1')).toBe('status:12')
  expect(xLink('https://twitter.com/i/web/status/12')).toBe('status:12')
  expect(xLink('https://x.com/i/web')).toBe(null)
  expect(xLink('https://twitter.com/Some_One/')).toBe('handle:some_one')
  expect(xLink('https://x.com/search?q=a')).toBe(null)
  expect(xLink('https://x.com/i/communities/7')).toBe('community:7')
  const oracle = oracleOf(created(), twitter('mint', 'https://x.com/a'), twitter('mint', ''))
  expect(oracle.marketData(['mint', 'unknown'])).toMatchObject([{ twitter: null }])
})

test('a filled chart keeps the newest 5,000 bars and ends at now', () => {
  // One trade at + 4 s, now at + 6,000 s: bars of a second at + 1,001 to + 6,000.
  const later = { type: 'sol_price', timestamp: START_SECOND + 6000, usd: 1 } as const
  const oracle = oracleOf(created(), swap(), later)
  const query = chart({ resolution: '1S', fill: 'previous', to: START_SECOND + 9000 })
  const t = Array.from({ length: 5000 }, (_, index) => START_SECOND + 1001 + index)
  expect(oracle.chart(query)).toMatchObject({ t })
})

test('before any SOL price the first swap with its own sets the price of the later ones', () => {
  // 1 SOL is 0, 50 and 50 USD; then 70 by a sol_price, which the last swap's own 60 does not move.
  const oracle = oracleOf(swap(), swap({ solPriceUsd: 50 }), swap())
  expect(oracle.swaps('mint', null, 1, 9)).toMatchObject({
    items: [{ volume_usd: 50 }, { volume_usd: 50 }, { volume_usd: 0 }],
  })
  oracle.apply(price(70))
  oracle.apply(swap({ solPriceUsd: 60 }))
  expect(oracle.search('mint')).toMatchObject([{ sol_price_usd: 70, volume: 160 }])
  // 3e-8 SOL * 70 = 2.1e-6 USD.
  expect(oracle.tokenTraders('mint', TRADERS)).toMatchObject({
    items: [{ token_price_usd: expect.closeTo(2.1e-6, 15) }],
  })
})

test('raw amounts beyond 2^53 keep their digits', () => {
  // 18,446,744,073,709,551,615 / 1e6, and 2^53 + 1 sold of it leaves 18,437,736,874,454,810,622.
  const most = 2n ** 64n - 1n
  const oracle = oracleOf(
    created(),
    swap({ baseRaw: most, ...RESERVES }),
    swap({ direction: 'sell', baseRaw: 2n ** 53n + 1n }),
  )
  expect(oracle.swaps('mint', null, 1, 9)).toMatchObject({
    items: [
      { base_balance_after: Number('18437736874454.810622') },
      { base_mint_amount: Number('18446744073709.551615') },
    ],
  })
})
