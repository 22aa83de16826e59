import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'MissingChartMintpump'

describePage(
  'a chart whose program does not come, as behind an upgrade of the service or while it restarts',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      purchase({
        mint: MINT,
        signature: 'MissingChartTrade',
        slot: 100,
        pool: 'MissingChartCurve',
        signer: 'MissingChartWallet',
      }),
    ])
    return program
  },
  (market) => {
    test('says so, and is drawn once it comes', async () => {
      const tab = await market().tab()
      const { page } = tab
      let isThere = false
      const asked: string[] = []
      await page.route('**/chart-canvas-*', (route) => {
        asked.push(route.request().url())
        return isThere ? route.continue() : route.fulfill({ status: 404, body: 'not found' })
      })
      await page.goto(`${market().program.url}/token/${MINT}`)
      const chart = page.getByRole('region', { name: 'Chart' })
      await chart.getByText('The chart cannot be drawn').waitFor()
      expect(await chart.getByRole('button', { name: 'Load the page anew' }).count()).toBe(1)
      isThere = true
      await chart.locator('canvas').first().waitFor()
      await chart.getByText('The chart cannot be drawn').waitFor({ state: 'detached' })
      expect(tab.errors.filter((text) => !text.includes('404'))).toEqual([])
      // Some browsers keep that a module did not come.
      expect(asked.length).toBeGreaterThan(1)
      expect(new Set(asked).size).toBe(asked.length)
      await tab.close()
    })
  },
)
