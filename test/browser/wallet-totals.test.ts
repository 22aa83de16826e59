import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const WALLET = 'WalletOfManyTokens'
/** The page reads the records of 100. */
const TOKENS = 103

const trade = (at: number) =>
  purchase({
    mint: `WalletTotals${at}pump`,
    signature: `WalletTotalsTrade${at}`,
    slot: 100 + at,
    pool: `WalletTotalsCurve${at}`,
    signer: WALLET,
  })

describePage(
  'the page of a wallet with many tokens',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(
      program,
      Array.from({ length: TOKENS }, (_, at) => trade(at)),
    )
    return program
  },
  (market) => {
    test('says of how many of them its sums are', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      await page.getByText('100 of 103 tokens').waitFor()
      expect(await page.title()).toBe('Wallet Wall…kens · mintfeed')
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
