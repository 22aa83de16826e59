import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { freePort } from '../process/free-port.ts'
import { type Program, startProgram, until } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { closeTabs, sharedBrowser, whyNoBrowser } from './chromium.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'OtherStreamMintpump'
const CURVE = 'OtherStreamCurve'
const WALLET = addressOf(72)

let browser: Browser

/** A token with trades of one wallet; `stream` makes the trades of one service others than the next one's. */
function events(stream: string, trades: number, signer = WALLET): FeedEvent[] {
  const timestamp = Math.floor(Date.now() / 1000)
  const creation = launch({
    mint: MINT,
    timestamp,
    signature: `${stream}Creation`,
    name: 'Other',
    symbol: 'OTHER',
    creator: 'OtherStreamCreator',
    bondingCurve: CURVE,
  })
  const tradeOf = (at: number) =>
    purchase({
      mint: MINT,
      timestamp,
      signature: `${stream}Trade${at}`,
      slot: 100,
      txIndex: at + 1,
      pool: CURVE,
      signer,
    })
  return [creation, ...Array.from({ length: trades }, (_, at) => tradeOf(at))]
}

async function started(
  PORT: string,
  stream: string,
  trades: number,
  signer?: string,
): Promise<Program> {
  const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', PORT })
  onTestFinished(async () => void (await program.end('SIGKILL')))
  feed(program, events(stream, trades, signer))
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
      browser = await sharedBrowser()
    })
    afterAll(closeTabs)

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

    test.each([
      ['token', `/token/${MINT}`, 'Trades'],
      ['wallet', `/wallet/${WALLET}`, 'Last trades'],
    ])(
      'leaves nothing of the former one on the page of a %s where no WebSocket gets through',
      async (_, path, label) => {
        const port = String(await freePort())
        const former = await started(port, 'Former', 3)
        const tab = await Tab.open(browser, former.url)
        const { page } = tab
        await page.routeWebSocket(/\/ws/, (socket) => void socket.close())
        await page.goto(former.url + path)
        await tradesCame(page, label, 3)
        await former.end('SIGTERM')
        await started(port, 'Later', 1)
        await tradesCame(page, label, 1)
        await tab.close()
      },
    )

    test('has the trades of a followed wallet read anew', async () => {
      const port = String(await freePort())
      const former = await started(port, 'Former', 3)
      const tab = await Tab.open(browser, former.url)
      const { page } = tab
      await page.goto(`${former.url}/token/${MINT}`)
      await tradesCame(page, 'Trades', 3)
      const traders = page.getByRole('region', { name: 'Traders', exact: true })
      await traders.locator('.mark-button').first().click()
      await page.waitForTimeout(500)
      expect(await traders.getByRole('alert').count()).toBe(0)
      await former.end('SIGTERM')
      await page.getByText('The service is out of reach').waitFor()
      await started(port, 'Later', 1, 'SomebodyElse')
      await traders.getByRole('alert').waitFor()
      await tab.close()
    })
  },
)
