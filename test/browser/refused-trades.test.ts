import { expect, test } from 'vitest'
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
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
