import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FeedEvent } from '../../src/engine/event.ts'
import { eventLineText } from '../../src/wire/event-line-text.ts'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const WALLET = 'WalletOfManyTokens'
/** The page reads the records of 100. */
const TOKENS = 103

let browser: Browser
let program: Program

function purchase(at: number): FeedEvent {
  return {
    type: 'swap',
    slot: 100 + at,
    txIndex: 1,
    ordinal: 0,
    signature: `WalletTotalsTrade${at}`,
    timestamp: Math.floor(Date.now() / 1000),
    mint: `WalletTotals${at}pump`,
    source: 'pump',
    pool: `WalletTotalsCurve${at}`,
    signer: WALLET,
    direction: 'buy',
    baseRaw: 1_000_000_000n,
    quoteRaw: 32_190n,
    virtualBaseRaw: 1_000_000_000_000_000n,
    virtualQuoteRaw: 32_190_000_000n,
    realBaseRaw: 720_000_000_000_000n,
    realQuoteRaw: 2_190_000_000n,
    platformFeeRaw: 0n,
    creatorFeeRaw: 0n,
    solPriceUsd: 150,
  }
}

describe.skipIf(reason !== null)(
  'the page of a wallet with many tokens',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      const lines = Array.from({ length: TOKENS }, (_, at) => `${eventLineText(purchase(at))}\n`)
      program.child.stdin?.write(lines.join(''))
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
