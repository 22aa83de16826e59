import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'HeldUpMintpump'
/** Of each endpoint, in a window of ten seconds. */
const READS = 3

const trade = (slot: number) =>
  purchase({
    mint: MINT,
    signature: `HeldUpTrade${slot}`,
    slot,
    pool: 'HeldUpCurve',
    signer: 'HeldUpWallet',
  })

describePage(
  'figures that the rate limit holds up',
  () => startProgram({ FEED: 'stdin', RATE_LIMIT: `${READS}/10s` }),
  (market) => {
    test('are said to be of then while the trades go on, and the page is live again with the next ones', async () => {
      const tab = await market().tab()
      const { page } = tab
      feed(market().program, [trade(100)])
      await page.goto(`${market().program.url}/token/${MINT}`)
      await page.locator('.status[data-state="live"]').waitFor()
      const told = page.getByText(/^Some figures are of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
      let slot = 100
      await until('the page tells it', async () => {
        slot += 1
        feed(market().program, [trade(slot)])
        await page.waitForTimeout(500)
        return (await told.isVisible()) ? true : null
      })
      expect(await page.locator('.foot .status').textContent()).toBe('Stale')
      await page.locator(`main[data-swaps="${slot - 99}"]`).waitFor()
      await until('live again', async () =>
        (await page.locator('.foot .status').textContent()) === 'Live' ? true : null,
      )
      expect(await page.getByRole('alert').count()).toBe(0)
      await tab.close()
    })
  },
)
