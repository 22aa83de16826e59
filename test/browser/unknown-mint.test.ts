import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram, until } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'UnknownMintpump'
const CURVE = 'UnknownMintCurve'
/** How long the page waits for the token, in ms, and what it may ask meanwhile: each second, and at its start. */
const WAITED_MS = 4_000
const READS_MAX = 3 * (WAITED_MS / 1_000 + 2)

let browser: Browser
let program: Program

const creation = () =>
  launch({
    mint: MINT,
    signature: 'UnknownMintCreation',
    name: 'Late',
    symbol: 'LATE',
    creator: 'UnknownMintCreator',
    bondingCurve: CURVE,
  })

const trade = (slot: number) =>
  purchase({
    mint: MINT,
    signature: `UnknownMintTrade${slot}`,
    slot,
    pool: CURVE,
    signer: 'UnknownMintWallet',
  })

describe.skipIf(reason !== null)(
  'the page of a mint that nobody knows',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('asks for it now and then, and opens with its first trade', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      let reads = 0
      page.on('request', (request) => {
        if (request.url().includes('/api/v2/')) reads += 1
      })
      await page.goto(`${program.url}/token/${MINT}`)
      await page.getByText('Nobody knows this mint yet').waitFor()
      await page.waitForTimeout(WAITED_MS)
      expect(reads).toBeLessThanOrEqual(READS_MAX)
      feed(program, [creation(), trade(100)])
      await page.locator('.token-head').waitFor()
      const trades = page.getByRole('region', { name: 'Trades', exact: true }).locator('tbody tr')
      await until('its trade', async () => ((await trades.count()) === 1 ? true : null))
      const others = tab.errors.filter((text) => !/404/.test(text))
      expect(others).toEqual([])
      await tab.close()
    })

    test('reads again what could not be read while its last trade came', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      await page.goto(`${program.url}/token/${MINT}`)
      const shown = page.locator('main[data-swaps]')
      const before = Number(await shown.getAttribute('data-swaps'))
      // Nothing is asked any more: the token rests.
      await page.waitForTimeout(2_000)
      const detail = `**/tokens/${MINT}`
      await page.route(detail, (route) => route.fulfill({ status: 500, body: '{}' }))
      const failed = page.waitForResponse(detail)
      feed(program, [trade(100 + before)])
      await failed
      await page.waitForTimeout(1_500)
      await page.unroute(detail)
      await page.locator(`main[data-swaps="${before + 1}"]`).waitFor()
      expect(tab.errors.filter((text) => !/500/.test(text))).toEqual([])
      await tab.close()
    })
  },
)
