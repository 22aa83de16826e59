import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const MINT = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrpmpM'
const NO_PRICE = 'No price of SOL is known'

describePage(
  'the page of a market without a price of SOL',
  () => startProgram({ RATE_LIMIT: 'off', FEED: 'stdin' }),
  (market) => {
    test.each([1440, 320])('says why amounts read 0 on a screen of %i pixels', async (width) => {
      const { program } = market()
      const { solPriceUsd: _, ...unpriced } = purchase({
        ...{ mint: MINT, signature: `buy ${width}`, slot: 101, pool: 'curve', signer: 'wallet' },
      })
      const token = { name: 'Unpriced', symbol: 'UNP', creator: 'creator', bondingCurve: 'curve' }
      feed(program, [launch({ mint: MINT, signature: 'launch', ...token }), unpriced])
      await program.seen(new RegExp(NO_PRICE))
      const tab = await market().tab({ width })
      const { page } = tab
      await page.goto(program.url)
      await rowsCame(page, 'new', 1)
      await page.getByRole('status').getByText(NO_PRICE).waitFor()
      await page.goto(`${program.url}/engine`)
      await page.getByRole('status').getByText(NO_PRICE).waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)

describePage(
  'the page of a market with prices',
  () => startProgram({ RATE_LIMIT: 'off', SIM_TOKENS: '50' }),
  (market) => {
    test('has no such line', async () => {
      const tab = await market().tab()
      const { page } = tab
      const asked = page.waitForResponse(/\/readyz$/)
      await page.goto(market().program.url)
      await asked
      await rowsCame(page, 'new', 2)
      expect(await page.locator('.notice-line').count()).toBe(0)
      await tab.close()
    })
  },
)
