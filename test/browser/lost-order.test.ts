import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'LostOrderMintpump'
const SLOT = 100
/** More than come before a late one whose place in the order of arrival is still known. */
const TRADES = 40

const trade = (at: number, slot: number) =>
  purchase({
    mint: MINT,
    signature: `LostOrderTrade${at}`,
    slot,
    txIndex: at,
    pool: 'LostOrderCurve',
    signer: 'LostOrderWallet',
  })

describePage(
  'a token of which one trade came so late that their order of arrival is lost',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const inTime = Array.from({ length: TRADES }, (_, at) => trade(at, SLOT + 1))
    feed(program, [...inTime, trade(TRADES, SLOT)])
    return program
  },
  (market) => {
    test('has its trades on its page, and those that come, each once', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const rows = page.getByRole('region', { name: 'Trades' }).locator('tbody tr')
      const count = (wanted: number) =>
        until(`${wanted} trades`, async () => ((await rows.count()) === wanted ? true : null))
      await count(TRADES + 1)
      feed(market().program, [trade(TRADES + 1, SLOT + 2)])
      await count(TRADES + 2)
      const numbers = await rows.evaluateAll((all) => all.map((row) => Number(row.dataset.seq)))
      expect(numbers).toEqual(Array.from({ length: TRADES + 2 }, (_, at) => TRADES + 2 - at))
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
