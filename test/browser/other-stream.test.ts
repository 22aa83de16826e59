import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FeedEvent } from '../../src/engine/event.ts'
import { eventLineText } from '../../src/wire/event-line-text.ts'
import { freePort } from '../process/free-port.ts'
import { type Program, startProgram, until } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'OtherStreamMintpump'
const WALLET = 'OtherStreamWallet'

let browser: Browser

/** A token with trades of one wallet; `stream` makes the trades of one service others than the next one's. */
function events(stream: string, trades: number): FeedEvent[] {
  const timestamp = Math.floor(Date.now() / 1000)
  const place = { slot: 100, timestamp, mint: MINT }
  const reserves = { virtualBaseRaw: 1_000_000_000_000_000n, virtualQuoteRaw: 32_190_000_000n }
  return [
    {
      ...place,
      type: 'token_created',
      txIndex: 0,
      ordinal: 0,
      signature: `${stream}Creation`,
      name: 'Other',
      symbol: 'OTHER',
      uri: '',
      creator: 'OtherStreamCreator',
      bondingCurve: 'OtherStreamCurve',
      tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      isMayhemMode: false,
      ...reserves,
      realBaseRaw: 793_100_000_000_000n,
    },
    ...Array.from(
      { length: trades },
      (_, at): FeedEvent => ({
        ...place,
        ...reserves,
        type: 'swap',
        txIndex: at + 1,
        ordinal: 0,
        signature: `${stream}Trade${at}`,
        source: 'pump',
        pool: 'OtherStreamCurve',
        signer: WALLET,
        direction: 'buy',
        baseRaw: 1_000_000_000n,
        quoteRaw: 32_190n,
        realBaseRaw: 720_000_000_000_000n,
        realQuoteRaw: 2_190_000_000n,
        platformFeeRaw: 0n,
        creatorFeeRaw: 0n,
        solPriceUsd: 150,
      }),
    ),
  ]
}

async function started(PORT: string, stream: string, trades: number): Promise<Program> {
  const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', PORT })
  onTestFinished(async () => void (await program.end('SIGKILL')))
  const lines = events(stream, trades).map((event) => `${eventLineText(event)}\n`)
  program.child.stdin?.write(lines.join(''))
  return program
}

/** Waits until so many trades are shown. */
function tradesCame(page: Page, label: string, count: number): Promise<true> {
  const rows = page.getByRole('region', { name: label, exact: true }).locator('tbody tr')
  return until(`${count} trades`, async () => ((await rows.count()) === count ? true : null))
}

describe.skipIf(reason !== null)(
  'a service that comes back with another stream',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      browser = await openBrowser()
    }, 60_000)
    afterAll(() => browser?.close())

    test.each([
      ['token', `/token/${MINT}`, 'Trades'],
      ['wallet', `/wallet/${WALLET}`, 'Last trades'],
    ])('leaves nothing of the former one on the page of a %s', async (_, path, label) => {
      const port = String(await freePort())
      const former = await started(port, 'Former', 3)
      const tab = await Tab.open(browser, former.url)
      const { page } = tab
      await page.goto(former.url + path)
      await tradesCame(page, label, 3)
      await former.end('SIGTERM')
      await page.getByText('The service is out of reach').waitFor()
      await started(port, 'Later', 1)
      await page.locator('.status[data-state="live"]').waitFor()
      await tradesCame(page, label, 1)
      await until('the record of the one trade', async () =>
        (await page.locator('[data-wallet] [data-cell="trades"]').textContent()) === '1'
          ? true
          : null,
      )
      const others = tab.errors.filter((text) => !/ERR_CONNECTION_REFUSED|404|503/.test(text))
      expect(others).toEqual([])
      await tab.close()
    })
  },
)
