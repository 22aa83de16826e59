import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const WALLET = 'WalletOfManyTokens'
/** The page reads the records of 100. */
const TOKENS = 103

let browser: Browser
let program: Program

const trade = (at: number) =>
  purchase({
    mint: `WalletTotals${at}pump`,
    signature: `WalletTotalsTrade${at}`,
    slot: 100 + at,
    pool: `WalletTotalsCurve${at}`,
    signer: WALLET,
  })

describe.skipIf(reason !== null)(
  'the page of a wallet with many tokens',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      feed(
        program,
        Array.from({ length: TOKENS }, (_, at) => trade(at)),
      )
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('says of how many of them its sums are', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      await page.goto(`${program.url}/wallet/${WALLET}`)
      await page.getByText('100 of 103 tokens').waitFor()
      expect(await page.title()).toBe('Wallet Wall…kens · mintfeed')
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
