import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

/** How late all comes that the service tells. */
const LATE_MS = 8_000
/** A ping is due every ten seconds; five later it is told that its answer is missing. */
const TOLD_WITHIN_MS = 25_000

describePage(
  'a line on which all comes seconds late, and nothing is ever silent',
  () => startProgram({ SIM_TOKENS: '200', SIM_RATE: '50', RATE_LIMIT: 'off' }),
  (market) => {
    test('is not called live, and is again when it keeps up', async () => {
      const tab = await market().tab()
      const { page } = tab
      let lateMs = 0
      const waiting: { readonly untilMs: number; readonly send: () => void }[] = []
      const pass = () => {
        while (waiting.length > 0 && (lateMs === 0 || waiting[0].untilMs <= Date.now()))
          waiting.shift()?.send()
      }
      const passing = setInterval(pass, 20)
      await page.routeWebSocket(/\/ws/, (socket) => {
        const server = socket.connectToServer()
        server.onMessage((message) => {
          waiting.push({ untilMs: Date.now() + lateMs, send: () => socket.send(message) })
        })
      })
      await page.goto(market().program.url)
      await rowsCame(page, 'new', 2)
      const status = page.locator('.foot .status')
      await status.getByText('Live', { exact: true }).waitFor()
      lateMs = LATE_MS
      const within = { timeout: TOLD_WITHIN_MS }
      await page.getByText(/^What is shown is late/).waitFor(within)
      expect(await status.textContent()).toBe('Late')
      lateMs = 0
      await status.getByText('Live', { exact: true }).waitFor(within)
      expect(await page.getByRole('alert').count()).toBe(0)
      clearInterval(passing)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
