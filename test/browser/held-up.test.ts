import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram, until } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'HeldUpMintpump'
/** Of each endpoint, in a window of ten seconds. */
const READS = 3

let browser: Browser
let program: Program

const trade = (slot: number) =>
  purchase({
    mint: MINT,
    signature: `HeldUpTrade${slot}`,
    slot,
    pool: 'HeldUpCurve',
    signer: 'HeldUpWallet',
  })

describe.skipIf(reason !== null)(
  'figures that the rate limit holds up',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: `${READS}/10s` })
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('are said to be of then while the trades go on, and the page is live again with the next ones', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      feed(program, [trade(100)])
      await page.goto(`${program.url}/token/${MINT}`)
      await page.locator('.status[data-state="live"]').waitFor()
      const told = page.getByText(/^Some figures are of \d\d:\d\d:\d\d UTC/)
      let slot = 100
      await until('the page tells it', async () => {
        slot += 1
        feed(program, [trade(slot)])
        await page.waitForTimeout(500)
        return (await told.isVisible()) ? true : null
      })
      expect(await page.locator('.foot .status').textContent()).toBe('Stale')
      await page.locator(`main[data-swaps="${slot - 99}"]`).waitFor()
      await until('live again', async () =>
        (await page.locator('.foot .status').textContent()) === 'Live' ? true : null,
      )
      expect(await page.getByRole('alert').count()).toBe(0)
      await tab.close()
    })
  },
)
