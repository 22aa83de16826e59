import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'ExplorerMintpump'
const WALLET = 'ExplorerWallet'
const SIGNATURE = 'ExplorerTrade'

describePage(
  'the page of a market of the chain',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const bondingCurve = 'ExplorerCurve'
    feed(program, [
      launch({
        slot: 100,
        mint: MINT,
        signature: 'ExplorerCreation',
        name: 'Explorer',
        symbol: 'EXPL',
        creator: 'ExplorerCreator',
        bondingCurve,
      }),
      purchase({
        mint: MINT,
        signature: SIGNATURE,
        slot: 101,
        timestamp: Math.floor(Date.now() / 1000),
        pool: bondingCurve,
        signer: WALLET,
      }),
    ])
    return program
  },
  (market) => {
    test.each([
      { of: 'token', path: `/token/${MINT}`, leads: `token/${MINT}` },
      { of: 'wallet', path: `/wallet/${WALLET}`, leads: `account/${WALLET}` },
    ])('leads from a $of and its trades to the chain itself', async ({ path, leads }) => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url + path)
      const trade = page.locator('tbody tr', { hasText: 'Buy' }).locator('a:has(time)')
      for (const [link, to] of [
        [trade, `tx/${SIGNATURE}`],
        [page.getByRole('link', { name: 'SCAN' }), leads],
      ] as const) {
        await link.waitFor()
        expect(await link.getAttribute('href')).toBe(`https://solscan.io/${to}`)
        expect(await link.getAttribute('rel')).toContain('noreferrer')
      }
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
