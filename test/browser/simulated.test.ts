import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const SAID = 'Simulated market'

describePage(
  'the page of a simulated market',
  () => startProgram({ RATE_LIMIT: 'off', SIM_TOKENS: '50' }),
  (market) => {
    test.each([1440, 320])('says that it is one on a screen of %i pixels', async (width) => {
      const tab = await market().tab({ width })
      const { page } = tab
      await page.goto(market().program.url)
      await rowsCame(page, 'new', 2)
      await page.locator('.foot').getByText(SAID).waitFor()
      await page.locator('.row').first().click()
      await page.getByRole('region', { name: 'Trades' }).locator('time').first().waitFor()
      expect(await page.locator('a[href*="solscan"]').count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)

describePage(
  'the page of any other market',
  () => startProgram({ RATE_LIMIT: 'off', FEED: 'none' }),
  (market) => {
    test('does not say that it is simulated', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      await page.locator('.status[data-state="live"]').waitFor()
      expect(await page.getByText(SAID).count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
