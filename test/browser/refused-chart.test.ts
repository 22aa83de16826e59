import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'RefusedChartMintpump'
const REFUSAL = 'More than 1000 candles of one address are followed.'
const refusal = JSON.stringify({ type: 'error', code: 'too_many_candles', message: REFUSAL })

let browser: Browser
let program: Program

describe.skipIf(reason !== null)(
  'a chart that the service refuses',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      feed(program, [
        purchase({
          mint: MINT,
          signature: 'RefusedChartTrade',
          slot: 100,
          pool: 'RefusedChartCurve',
          signer: 'RefusedChartWallet',
        }),
      ])
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('says why, and not that there were no trades', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      await page.routeWebSocket(/\/ws/, (socket) => {
        const server = socket.connectToServer()
        socket.onMessage((message) => {
          if (!String(message).includes('"candles"')) server.send(message)
          // Requests are answered in order: what was asked before has its answer by then.
          else setTimeout(() => socket.send(refusal), 500)
        })
      })
      await page.goto(`${program.url}/token/${MINT}`)
      const chart = page.getByRole('region', { name: 'Chart' })
      await chart.getByText(REFUSAL).waitFor()
      expect(await chart.getByText('No trades yet').count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
