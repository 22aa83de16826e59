import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { type Program, startProgram, until } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'WalletOrderMintpump'
const WALLET = 'WalletOrderWallet'
const DIRECTIONS = ['buy', 'buy', 'sell', 'buy', 'sell', 'sell', 'buy', 'sell'] as const
const SECONDS = Math.floor(Date.now() / 1000)

let browser: Browser
let program: Program

/** Of a feed that knows no slots: all in one second. */
const trade = (at: number) =>
  purchase({
    mint: MINT,
    signature: `WalletOrderTrade${at}`,
    slot: null,
    txIndex: null,
    timestamp: SECONDS,
    pool: 'WalletOrderCurve',
    signer: WALLET,
    direction: DIRECTIONS[at],
  })

describe.skipIf(reason !== null)(
  'trades of a wallet in one second',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      feed(program, [0, 1, 2].map(trade))
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('are shown as the API has them, newest first, whatever comes behind them', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      const { read } = new Mintfeed(program.url)
      await page.goto(`${program.url}/wallet/${WALLET}`)
      const rows = page.getByRole('region', { name: 'Last trades' }).locator('tbody tr')
      for (let count = 3; count <= DIRECTIONS.length; count += 1) {
        await until(`${count} trades`, async () => ((await rows.count()) === count ? true : null))
        const answer = await read.swaps(MINT, { wallet: WALLET })
        const told = answer.ok ? answer.data.items.map(({ direction }) => direction) : []
        const sides = await rows.locator('td:nth-child(2)').allTextContents()
        expect(sides.map((side) => side.toLowerCase())).toEqual(told)
        if (count < DIRECTIONS.length) feed(program, [trade(count)])
      }
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
