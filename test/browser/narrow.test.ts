import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'NarrowMintpump'

let browser: Browser
let program: Program

describe.skipIf(reason !== null)(
  'the page of a token on a screen of 320 pixels, or at 400 % on a laptop',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      const trade = (at: number) =>
        purchase({
          mint: MINT,
          signature: `NarrowTrade${at}`,
          slot: 100 + at,
          source: 'pump_amm',
          pool: 'NarrowPool',
          signer: 'NarrowWallet',
          // A price of many digits.
          virtualQuoteRaw: 1_234_567n * BigInt(at + 1),
        })
      feed(program, [0, 1, 2].map(trade))
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('has its figures apart and its controls within the screen', async () => {
      const tab = await Tab.open(browser, program.url, { width: 320, height: 568 })
      const { page } = tab
      await page.goto(`${program.url}/token/${MINT}`)
      await page.getByRole('region', { name: 'Trades' }).locator('tbody tr').first().waitFor()
      const wide = await page
        .locator('.facts-row > div, .panel-head')
        .evaluateAll((parts) =>
          parts
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ textContent }) => textContent),
        )
      expect(wide).toEqual([])
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
