import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'RefusedChartMintpump'
const REFUSAL = 'More than 1000 candles of one address are followed.'
const refusal = JSON.stringify({ type: 'error', code: 'too_many_candles', message: REFUSAL })

describePage(
  'a chart that the service refuses',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      purchase({
        mint: MINT,
        signature: 'RefusedChartTrade',
        slot: 100,
        pool: 'RefusedChartCurve',
        signer: 'RefusedChartWallet',
      }),
    ])
    return program
  },
  (market) => {
    test('says why, and not that there were no trades', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.routeWebSocket(/\/ws/, (socket) => {
        const server = socket.connectToServer()
        socket.onMessage((message) => {
          if (!String(message).includes('"candles"')) server.send(message)
          // Requests are answered in order: what was asked before has its answer by then.
          else setTimeout(() => socket.send(refusal), 500)
        })
      })
      await page.goto(`${market().program.url}/token/${MINT}`)
      const chart = page.getByRole('region', { name: 'Chart' })
      await chart.getByText(REFUSAL).waitFor()
      expect(await chart.getByText('No trades yet').count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
