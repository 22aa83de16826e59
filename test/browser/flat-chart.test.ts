import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

/** Market caps in USD of tokens with one trade, and so of one flat bar. */
const CAPS = [12_000, 30_000, 60_000, 1e9, 1e14]

const SECONDS = Math.floor(Date.now() / 1000)
const QUIET_MINT = 'QuietChartpump'
/** Market caps in USD of a bar whose prices are all `$8.07K`. */
const QUIET_CAPS = [8_066.69, 8_072.92, 8_068.56]

const mintOf = (at: number) => `FlatChart${at}pump`

/** One trade at a price that makes a billion tokens worth so much, at 100 USD a SOL. */
const trade = (capUsd: number, at: number) =>
  purchase({
    mint: mintOf(at),
    signature: `FlatChartTrade${at}`,
    slot: 100 + at,
    pool: `FlatChartCurve${at}`,
    signer: 'FlatChartWallet',
    // A flat volume of the same size stands below the bar.
    quoteRaw: BigInt(Math.min(capUsd, 1e9)) * 10_000_000n,
    virtualBaseRaw: 1_000_000_000_000n,
    virtualQuoteRaw: BigInt(capUsd) * 10_000n,
    solPriceUsd: 100,
  })

const quietTrade = (capUsd: number, at: number) => ({
  ...trade(1, at),
  mint: QUIET_MINT,
  signature: `QuietChartTrade${at}`,
  slot: 90 + at,
  timestamp: SECONDS,
  virtualQuoteRaw: BigInt(Math.round(capUsd * 10_000)),
})

describePage(
  'the chart of a token that was traded once',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [...QUIET_CAPS.map(quietTrade), ...CAPS.map(trade)])
    return program
  },
  (market) => {
    test.each(CAPS.map((cap, at) => [cap, at] as const))(
      'is drawn at a market cap of %d USD, and the page goes on',
      async (_, at) => {
        const tab = await market().tab()
        const { page } = tab
        await page.goto(`${market().program.url}/token/${mintOf(at)}`)
        await page.locator('.legend').waitFor()
        await page.locator('.canvas canvas').first().waitFor()
        // A page that hangs in its drawing answers no click any more.
        for (const name of ['Price', 'SOL', 'Market cap']) {
          const choice = page.getByRole('button', { name, exact: true })
          await choice.click()
          await page.waitForTimeout(200)
          expect(await choice.getAttribute('aria-pressed')).toBe('true')
        }
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('has its prices told apart where they lie close to each other', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${QUIET_MINT}`)
      const legend = page.locator('.legend')
      for (const text of ['O $8.0667K', 'H $8.0729K', 'L $8.0667K', 'C $8.0686K'])
        await legend.getByText(text, { exact: true }).waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
