import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FeedEvent } from '../../src/engine/event.ts'
import { eventLineText } from '../../src/wire/event-line-text.ts'
import { type Program, startProgram, until } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'UnknownMintpump'
/** How long the page waits for the token, in ms, and what it may ask meanwhile: each second, and at its start. */
const WAITED_MS = 4_000
const READS_MAX = 3 * (WAITED_MS / 1_000 + 2)

const reserves = { virtualBaseRaw: 1_000_000_000_000_000n, virtualQuoteRaw: 32_190_000_000n }

let browser: Browser
let program: Program

/** The token's creation and its first trade. */
function events(): FeedEvent[] {
  const timestamp = Math.floor(Date.now() / 1000)
  const place = { slot: 100, timestamp, mint: MINT }
  return [
    {
      ...place,
      ...reserves,
      type: 'token_created',
      txIndex: 0,
      ordinal: 0,
      signature: 'UnknownMintCreation',
      name: 'Late',
      symbol: 'LATE',
      uri: '',
      creator: 'UnknownMintCreator',
      bondingCurve: 'UnknownMintCurve',
      tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      isMayhemMode: false,
      realBaseRaw: 793_100_000_000_000n,
    },
    trade(100),
  ]
}

function trade(slot: number): FeedEvent {
  return {
    ...reserves,
    type: 'swap',
    slot,
    timestamp: Math.floor(Date.now() / 1000),
    mint: MINT,
    txIndex: 1,
    ordinal: 0,
    signature: `UnknownMintTrade${slot}`,
    source: 'pump',
    pool: 'UnknownMintCurve',
    signer: 'UnknownMintWallet',
    direction: 'buy',
    baseRaw: 1_000_000_000n,
    quoteRaw: 32_190n,
    realBaseRaw: 720_000_000_000_000n,
    realQuoteRaw: 2_190_000_000n,
    platformFeeRaw: 0n,
    creatorFeeRaw: 0n,
    solPriceUsd: 150,
  }
}

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
      const lines = events().map((event) => `${eventLineText(event)}\n`)
      program.child.stdin?.write(lines.join(''))
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
      program.child.stdin?.write(`${eventLineText(trade(100 + before))}\n`)
      await failed
      await page.waitForTimeout(1_500)
      await page.unroute(detail)
      await page.locator(`main[data-swaps="${before + 1}"]`).waitFor()
      expect(tab.errors.filter((text) => !/500/.test(text))).toEqual([])
      await tab.close()
    })
  },
)
