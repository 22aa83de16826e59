import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const WALLET = 'WalletGapsWallet'
const SECONDS = Math.floor(Date.now() / 1000) - 1_000
/** The first token is traded first and last, eight others between; the page reads the trades of six. */
const TOKENS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]

describePage(
  'the last trades of a wallet that came back to an old token',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const trades = TOKENS.map((token, at) =>
      purchase({
        mint: `WalletGaps${token}pump`,
        signature: `WalletGapsTrade${at}`,
        slot: 100 + at,
        timestamp: SECONDS + 10 * at,
        pool: `WalletGapsCurve${token}`,
        signer: WALLET,
      }),
    )
    feed(program, trades)
    return program
  },
  (market) => {
    test('are its last ones, with none between them left out', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      const links = page.getByRole('region', { name: 'Last trades' }).locator('tbody a[title]')
      const newest = TOKENS.map((token) => `WalletGaps${token}pump`).reverse()
      const mints = await until('the trades', async () => {
        const titles = links.evaluateAll((all) => all.map((link) => link.getAttribute('title')))
        return (await titles).length > 0 ? titles : null
      })
      expect(mints.length).toBeGreaterThanOrEqual(6)
      expect(mints).toEqual(newest.slice(0, mints.length))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are there also where no stream gets through', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.routeWebSocket(/\/ws/, (socket) => void socket.close())
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      const rows = page.getByRole('region', { name: 'Last trades' }).locator('tbody tr')
      await until('the trades', async () => ((await rows.count()) >= 6 ? true : null))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are there also where no stream gets through, and nothing did at first', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.routeWebSocket(/\/ws/, (socket) => void socket.close())
      let asked = 0
      // For longer than the stream is waited for, though the client asks several times for each read.
      await page.route(/\/traders\/.*\/tokens/, (route) => {
        asked += 1
        return asked <= 12 ? route.fulfill({ status: 502, body: '' }) : route.continue()
      })
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      const rows = page.getByRole('region', { name: 'Last trades' }).locator('tbody tr')
      await until('the trades', async () => ((await rows.count()) >= 6 ? true : null))
      await tab.close()
    })

    test('are read once for each token: the rate limit lasts for twice as many wallets so', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.clock.install()
      const asked: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (pathname.endsWith('/swaps')) asked.push(pathname)
      })
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      const rows = page.getByRole('region', { name: 'Last trades' }).locator('tbody tr')
      await until('the trades', async () => ((await rows.count()) > 0 ? true : null))
      await page.waitForLoadState('networkidle')
      // So long that no stream would be waited for any more.
      await page.clock.fastForward(4_000)
      await page.evaluate(() => fetch('/healthz'))
      expect(asked.length).toBeGreaterThanOrEqual(6)
      expect(asked).toEqual([...new Set(asked)])
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
