import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { describePage } from './page-tests.ts'

/** What the board may bring along over the line before it is there, in bytes. */
const FIRST_LOAD_MAX = 60 * 1024

describePage(
  'the first load of the page',
  () => startProgram({ FEED: 'none', RATE_LIMIT: 'off' }),
  (market) => {
    test('brings 60 KB at most, and what draws charts not before there is one', async () => {
      const tab = await market().tab()
      const { page } = tab
      const devTools = await page.context().newCDPSession(page)
      await devTools.send('Network.enable')
      let bytes = 0
      devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      const paths: string[] = []
      page.on('request', (request) => paths.push(new URL(request.url()).pathname))
      await page.goto(market().program.url, { waitUntil: 'networkidle' })
      await page.locator('.status[data-state="live"]').waitFor()
      expect(paths.filter((path) => path.includes('chart-canvas'))).toEqual([])
      expect(bytes).toBeGreaterThan(10 * 1024)
      expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_MAX)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
