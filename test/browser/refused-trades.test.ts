import { expect, test } from 'vitest'
import { addressOf } from '../address-of.ts'
import { startProgram } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'RefusedTradesMintpump'
const WALLET = 'RefusedTradesWallet'
const REFUSAL = 'The history of these trades cannot be read.'
const refusal = JSON.stringify({ type: 'error', code: 'history_unreadable', message: REFUSAL })

describePage(
  'trades that the service refuses',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      purchase({
        mint: MINT,
        signature: 'RefusedTradesTrade',
        slot: 100,
        pool: 'RefusedTradesCurve',
        signer: WALLET,
      }),
    ])
    return program
  },
  (market) => {
    test.each([
      ['token', `/token/${MINT}`, 'Trades', 'update_mint_info'],
      ['wallet', `/wallet/${WALLET}`, 'Last trades', 'wallet_trades'],
    ])(
      'are told on the page of a %s, whose list would only stand still',
      async (_, path, label, channel) => {
        const tab = await market().tab()
        const { page } = tab
        await page.routeWebSocket(/\/ws/, (socket) => {
          const server = socket.connectToServer()
          socket.onMessage((message) => {
            if (String(message).includes(`"${channel}"`)) socket.send(refusal)
            else server.send(message)
          })
        })
        await page.goto(market().program.url + path)
        const trades = page.getByRole('region', { name: label, exact: true })
        await trades.getByText(REFUSAL).waitFor()
        // It holds those before.
        await trades.locator('tbody tr').waitFor()
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('are told where a wallet is to be marked on the chart, and that it has none', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const traders = page.getByRole('region', { name: 'Traders', exact: true })
      const told = traders.getByRole('alert')
      const field = traders.getByLabel('Mark the trades of a wallet on the chart')
      await field.fill(addressOf('a stranger'))
      await field.press('Enter')
      await told.getByText('This wallet has no trades of this token.').waitFor()
      await field.fill(WALLET)
      await field.press('Enter')
      await told.waitFor({ state: 'detached' })
      const json = { statusCode: 400, error: '', code: 'invalid', message: REFUSAL, details: [] }
      await page.route(/\/swaps\?/, (route) => route.fulfill({ status: 400, json }))
      await field.fill('not a wallet')
      await field.press('Enter')
      await told.getByText(REFUSAL).waitFor()
      await field.fill('')
      await field.press('Enter')
      await told.waitFor({ state: 'detached' })
      expect(tab.errors.filter((text) => !/400/.test(text))).toEqual([])
      await tab.close()
    })
  },
)
