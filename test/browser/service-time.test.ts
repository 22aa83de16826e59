import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'RecordedMintpump'
const CURVE = 'RecordedCurve'
const WALLET = 'RecordedWallet'
/** When the recording ends; its clock stands there. */
const END_SECONDS = 1_764_000_000

describePage(
  'ages on a page of a recording that is opened by its address',
  async () => {
    const program = await startProgram({ FEED: 'stdin', CLOCK: 'event', RATE_LIMIT: 'off' })
    const creation = launch({
      mint: MINT,
      signature: 'RecordedCreation',
      timestamp: END_SECONDS - 90,
      name: 'Recorded',
      symbol: 'REC',
      creator: 'RecordedCreator',
      bondingCurve: CURVE,
    })
    const trade = purchase({
      mint: MINT,
      signature: 'RecordedTrade',
      timestamp: END_SECONDS,
      slot: 101,
      pool: CURVE,
      signer: WALLET,
    })
    feed(program, [creation, trade])
    return program
  },
  (market) => {
    test('are those of its clock on the page of a token, and so is the width of its bars', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      await page.locator('.token-line .age').getByText('1m', { exact: true }).waitFor()
      expect(await page.locator('.widths [aria-pressed="true"]').textContent()).toBe('5s')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are those of its clock on the page of a wallet', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      await page
        .getByRole('region', { name: 'Last trades' })
        .locator('tbody time')
        .getByText(/^\d\d?s$/)
        .waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
