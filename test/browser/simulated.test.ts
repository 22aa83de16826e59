import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RECORDING } from '../../packaging/recorded-market.ts'
import { startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
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
  'the page of a recording of a simulated market',
  () => startProgram({ FEED: `replay:${join(ROOT, RECORDING)}`, SPEED: 'max', RATE_LIMIT: 'off' }),
  (market) => {
    test('says that it is one, and leads to no explorer', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      await page.locator('.foot').getByText(SAID).waitFor()
      await page.locator('.row:visible').first().click()
      await page.locator('.token-head').waitFor()
      expect(await page.locator('a[href*="solscan"]').count()).toBe(0)
      // The page comes while the recording is read.
      expect(tab.errors.filter((text) => !/503/.test(text))).toEqual([])
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
