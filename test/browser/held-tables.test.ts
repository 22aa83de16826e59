import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Program, startProgram, until } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'

const WALLET = 'HeldWallet'
const SECONDS = Math.floor(Date.now() / 1000)
let trades = 0

/** Somebody buys a token for so many SOL at one price; by default the wallet that is looked at. */
function buy(program: Program, mint: string, signer: string = WALLET, sol: number = 1): void {
  trades += 1
  const trade = purchase({
    mint,
    signature: `HeldTrade${trades}`,
    slot: 100 + trades,
    timestamp: SECONDS + trades,
    pool: `${mint}Curve`,
    signer,
    baseRaw: BigInt(Math.round(sol * 31_065_548_306_927)),
    quoteRaw: BigInt(Math.round(sol * 1_000_000_000)),
  })
  feed(program, [trade])
}

/** What the rows of a table lead to, in order. */
function linksOf(page: Page, region: string): Promise<readonly (string | null)[]> {
  return page
    .getByRole('region', { name: region, exact: true })
    .locator('tbody tr a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('title')))
}

/** A table is held as soon as it is pointed at, whether or not anything comes: in less than figures are read again. */
const HELD_WITHIN_MS = 1_500

/** Points at the table, has `more` come, and holds the rows to where they were until the pointer leaves. */
async function isHeld(page: Page, region: string, more: () => void): Promise<void> {
  const panel = page.getByRole('region', { name: region, exact: true })
  const before = await linksOf(page, region)
  await panel.locator('tbody tr a').first().hover()
  await panel.getByText('paused', { exact: true }).waitFor({ timeout: HELD_WITHIN_MS })
  more()
  await panel.getByText(/paused · \d+ new/).waitFor()
  expect(await linksOf(page, region)).toEqual(before)
  await page.mouse.move(5, 5)
  await panel.getByText(/paused/).waitFor({ state: 'detached' })
  await until('what came', async () =>
    (await linksOf(page, region)).join() === before.join() ? null : true,
  )
}

async function opened(market: Market, path: string, region: string, rows: number) {
  const tab = await market.tab()
  await tab.page.goto(`${market.program.url}${path}`)
  await until('the first rows', async () =>
    (await linksOf(tab.page, region)).length >= rows ? true : null,
  )
  return tab
}

describePage(
  'a table of links that somebody points at',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    for (const at of [0, 1, 2]) {
      buy(program, 'HeldMintpump', `HeldTrader${at}`)
      buy(program, `HeldMint${at}pump`)
    }
    return program
  },
  (market) => {
    test.each(['Trades', 'Holders', 'Traders'])(
      'keeps its rows in their places: %s',
      async (region) => {
        const tab = await opened(market(), '/token/HeldMintpump', region, 3)
        // Who buys for most is the largest holder, and the first of traders who neither won nor lost is any.
        await isHeld(tab.page, region, () =>
          buy(market().program, 'HeldMintpump', `A${region}`, 1 + trades),
        )
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('keeps rows in their places that were chosen a moment ago among those that are there', async () => {
      const tab = await opened(market(), '/token/HeldMintpump', 'Trades', 3)
      await tab.page.getByRole('combobox', { name: 'Side', exact: true }).selectOption('buy')
      await isHeld(tab.page, 'Trades', () => buy(market().program, 'HeldMintpump', 'AChosen'))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each(['Tokens', 'Last trades'])('of a wallet too: %s', async (region) => {
      const tab = await opened(market(), `/wallet/${WALLET}`, region, 3)
      await isHeld(tab.page, region, () => buy(market().program, `New${region.length}pump`))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('says of an order by tokens that it is none by the dollars of its columns', async () => {
      const tab = await opened(market(), '/token/HeldMintpump', 'Traders', 3)
      const traders = tab.page.getByRole('region', { name: 'Traders', exact: true })
      const orders = traders.getByRole('combobox', { name: 'Order of the traders' })
      expect(await orders.locator('option').allTextContents()).toEqual([
        ...['PnL', 'Holding', 'Tokens bought', 'Tokens sold', 'Last active'],
      ])
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
