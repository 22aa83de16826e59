import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const COIN = 'QuoteCoinMintpump'
const IN_COIN = 'QuotedInCoinMintpump'
const IN_UNKNOWN = 'QuotedInUnknownMintpump'
const RECEIVER = 'QuoteReceiverWallet'

const birth = (mint: string, symbol: string, txIndex: number) =>
  launch({
    ...{ mint, symbol, name: symbol, txIndex },
    signature: `${symbol}Creation`,
    creator: `${symbol}Creator`,
    bondingCurve: `${symbol}Curve`,
  })
const bought = (mint: string, signature: string, quoteMint?: string) =>
  purchase({
    ...{ mint, signature, slot: 101, pool: `${signature}Pool`, signer: 'QuoteBuyer' },
    ...(quoteMint !== undefined && { quoteMint }),
  })

describePage(
  'the page of a token that is quoted in a coin',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      birth(COIN, 'COIN', 0),
      bought(COIN, 'QuoteCoinTrade'),
      { ...birth(IN_COIN, 'INCOIN', 1), quoteMint: COIN },
      bought(IN_COIN, 'QuotedTrade', COIN),
      {
        type: 'balance',
        ...{ slot: 102, txIndex: 0, ordinal: 0, signature: 'QuoteHanded' },
        ...{ timestamp: Math.floor(Date.now() / 1000), mint: IN_COIN },
        ...{ wallet: RECEIVER, balanceRaw: 5_000_000n },
      },
      { ...birth(IN_UNKNOWN, 'UNPRICED', 2), quoteMint: 'QuoteThatNobodyMade' },
      bought(IN_UNKNOWN, 'UnpricedTrade', 'QuoteThatNobodyMade'),
    ])
    return program
  },
  (market) => {
    test('names the coin above the amounts of trades, and who was handed tokens', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${IN_COIN}`)
      const trades = page.getByRole('region', { name: 'Trades' })
      await trades.locator('tr[data-seq="1"]').waitFor()
      const head = trades.getByRole('columnheader', { name: 'COIN', exact: true })
      expect(await head.getAttribute('title')).toContain(COIN)
      const amount = trades.locator('tr[data-seq="1"] [data-cell="quote"]')
      expect(await amount.getAttribute('title')).toBe('0.03219 COIN')
      const holders = page.getByRole('region', { name: 'Holders' })
      await holders.locator(`tr[data-wallet="${RECEIVER}"]`, { hasText: 'HANDED' }).waitFor()
      expect(await holders.getByText('HANDED').count()).toBe(1)
      expect(await page.locator('.token-head [data-cell="price"]').textContent()).toMatch(/^\$/)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('says that no price is known where nobody knows the coin', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${IN_UNKNOWN}`)
      const trade = page.getByRole('region', { name: 'Trades' }).locator('tr[data-seq="1"]')
      await trade.waitFor()
      expect(await trade.locator('[data-cell="usd"]').textContent()).toBe('–')
      const price = page.locator('.token-head [data-cell="price"]')
      expect(await price.textContent()).toBe('no price known')
      // Amounts without a unit would be taken for SOL.
      const trades = page.getByRole('region', { name: 'Trades', exact: true })
      await trades.getByRole('columnheader', { name: 'Quot…Made', exact: true }).waitFor()
      const amount = trades.locator('tr[data-seq="1"] [data-cell="quote"]')
      expect(await amount.getAttribute('title')).toMatch(/ Quot…Made$/)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('names no dollars of a trade without a price, also to the wallet that made it', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${IN_UNKNOWN}`)
      const trades = page.getByRole('region', { name: 'Trades', exact: true })
      await trades.locator('tr[data-seq="1"]').waitFor()
      expect(await trades.locator('[data-cell="cap"]').allTextContents()).toEqual(['–'])
      await page.goto(`${market().program.url}/wallet/QuoteBuyer`)
      const last = page.getByRole('region', { name: 'Last trades' })
      const unpriced = last.getByRole('row').filter({ hasText: 'UNPRICED' })
      await unpriced.waitFor()
      expect(await unpriced.locator('[data-cell]').allTextContents()).toEqual(['–', '–'])
      const priced = last.getByRole('row').filter({ hasText: 'INCOIN' })
      expect(await priced.locator('[data-cell="usd"]').textContent()).toMatch(/\$/)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('says of a token that slots behind its creation were not seen', async () => {
      const { program } = market()
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${program.url}/token/${COIN}`)
      await page.locator('.token-head [data-cell="price"]').waitFor()
      const mark = page.locator('.token-head [data-cell="history"]')
      expect(await mark.count()).toBe(0)
      const timestamp = Math.floor(Date.now() / 1000)
      feed(program, [{ type: 'gap', state: 'lost', fromSlot: 101, toSlot: 110, timestamp }])
      await page.reload()
      await mark.waitFor()
      expect(await mark.getAttribute('title')).toContain('Not every event of this token was seen')
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
