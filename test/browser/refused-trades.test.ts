import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const MINT = 'RefusedTradesMintpump'
const WALLET = 'RefusedTradesWallet'
const REFUSAL = 'The history of these trades cannot be read.'
const refusal = JSON.stringify({ type: 'error', code: 'history_unreadable', message: REFUSAL })

let browser: Browser
let program: Program

describe.skipIf(reason !== null)(
  'trades that the service refuses',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      feed(program, [
        purchase({
          mint: MINT,
          signature: 'RefusedTradesTrade',
          slot: 100,
          pool: 'RefusedTradesCurve',
          signer: WALLET,
        }),
      ])
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test.each([
      ['token', `/token/${MINT}`, 'Trades', 'update_mint_info'],
      ['wallet', `/wallet/${WALLET}`, 'Last trades', 'wallet_trades'],
    ])(
      'are told on the page of a %s, whose list would only stand still',
      async (_, path, label, channel) => {
        const tab = await Tab.open(browser, program.url)
        const { page } = tab
        await page.routeWebSocket(/\/ws/, (socket) => {
          const server = socket.connectToServer()
          socket.onMessage((message) => {
            if (String(message).includes(`"${channel}"`)) socket.send(refusal)
            else server.send(message)
          })
        })
        await page.goto(program.url + path)
        const trades = page.getByRole('region', { name: label, exact: true })
        await trades.getByText(REFUSAL).waitFor()
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
