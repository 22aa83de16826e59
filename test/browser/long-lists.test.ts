import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'LongListMintpump'
const CREATOR = 'LongListCreator'
/** The page reads the records of 100. */
const HOLDERS = 103
/** The service names 50 of a creator. */
const TOKENS = 52
/** The page begins with 200. */
const TRADES = 205
/** The page keeps so many. */
const TAPE = 400
/** Trades for the first time while the page is there. */
const LATER = addressOf(71)

const creation = (mint: string, at: number) =>
  launch({
    ...{ mint, signature: `LongListCreation${at}`, name: mint, symbol: 'LONG', txIndex: at },
    ...{ creator: CREATOR, bondingCurve: `${mint}Curve` },
  })

const trade = (at: number) =>
  purchase({
    ...{ mint: MINT, signature: `LongListTrade${at}`, slot: 101, txIndex: at },
    pool: `${MINT}Curve`,
    // The creator's is the first of all.
    signer: at === 0 ? CREATOR : `LongListWallet${at % (HOLDERS - 1)}`,
  })

describePage(
  'lists of a token that are longer than what is shown of them',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      creation(MINT, 0),
      ...Array.from({ length: TOKENS - 1 }, (_, at) => creation(`LongList${at}pump`, at + 1)),
      ...Array.from({ length: TRADES }, (_, at) => trade(at)),
    ])
    return program
  },
  (market) => {
    test.each([
      ['Holders', '100 of 103'],
      ['Traders', '100 of 103'],
      ['Creator', '52 created · 0 graduated · 50 shown'],
    ])('say how much of them is shown: %s', async (region, text) => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const panel = page.getByRole('region', { name: region, exact: true })
      await panel.locator('tbody tr').first().waitFor()
      expect(await panel.locator('.panel-head .faint').first().textContent()).toBe(text)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('let go of no mark of a followed wallet', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const trades = page.getByRole('region', { name: 'Trades', exact: true }).locator('tbody tr')
      await trades.first().waitFor()
      const traders = page.getByRole('region', { name: 'Traders', exact: true })
      const newest = (at: number) => trades.and(page.locator(`[data-seq="${at}"]`)).waitFor()
      await traders.getByLabel('Mark the trades of a wallet on the chart').fill(LATER)
      await page.keyboard.press('Enter')
      const without = traders.getByRole('alert')
      await without.waitFor()
      feed(market().program, [{ ...trade(TRADES), signer: LATER }])
      await without.waitFor({ state: 'detached' })
      // Longer than what is read again in any case.
      await page.waitForTimeout(6_000)
      feed(
        market().program,
        Array.from({ length: TAPE + 1 }, (_, at) => trade(TRADES + 1 + at)),
      )
      await newest(TRADES + TAPE + 2)
      expect(await without.count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are no reason to say that a creator never traded who is not among the newest trades', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const panel = page.getByRole('region', { name: 'Trades', exact: true })
      await panel.locator('tbody tr').nth(50).waitFor()
      await panel.getByLabel('Class of the wallet').selectOption('Creator')
      const note = panel.getByRole('status')
      expect(await note.textContent()).toMatch(/^Nothing fits among the newest 200 trades/)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
