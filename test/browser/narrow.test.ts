import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'NarrowMintpump'
const LONG_NAMED = 'NarrowLongNamedpump'
const LONG_CURVE = 'NarrowLongNamedCurve'
const LONG_HOLDER = 'NarrowLongHolder'

/** A token of a name that takes all the room it gets, and one purchase of it. */
const longNamed = () => [
  launch({
    mint: LONG_NAMED,
    signature: 'NarrowLongNamedCreation',
    name: 'W'.repeat(64),
    symbol: 'W'.repeat(64),
    creator: 'NarrowCreator',
    bondingCurve: LONG_CURVE,
  }),
  purchase({
    mint: LONG_NAMED,
    signature: 'NarrowLongNamedTrade',
    slot: 101,
    pool: LONG_CURVE,
    signer: LONG_HOLDER,
  }),
]

describePage(
  'the page of a token on a screen of 320 pixels, or at 400 % on a laptop',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const trade = (at: number) =>
      purchase({
        mint: MINT,
        signature: `NarrowTrade${at}`,
        slot: 100 + at,
        source: 'pump_amm',
        pool: 'NarrowPool',
        signer: 'NarrowWallet',
        // A price of many digits.
        virtualQuoteRaw: 1_234_567n * BigInt(at + 1),
      })
    feed(program, [...[0, 1, 2].map(trade), ...longNamed()])
    return program
  },
  (market) => {
    test('has its figures apart and its controls within the screen', async () => {
      const tab = await market().tab({ width: 320, height: 568 })
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      await page.getByRole('region', { name: 'Trades' }).locator('tbody tr').first().waitFor()
      const wide = await page
        .locator('.facts-row > div, .panel-head')
        .evaluateAll((parts) =>
          parts
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ textContent }) => textContent),
        )
      expect(wide).toEqual([])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('has the PnL of a wallet in sight beside a long name', async () => {
      const width = 390
      const tab = await market().tab({ width, height: 844 })
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${LONG_HOLDER}`)
      const tokens = page.getByRole('region', { name: 'Tokens' })
      await tokens.locator('tbody tr').first().waitFor()
      const head = tokens.getByRole('columnheader', { name: 'PnL' })
      const right = await head.evaluate((cell) => cell.getBoundingClientRect().right)
      expect(right).toBeLessThanOrEqual(width)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('lets the tables of a wallet be scrolled on a small laptop, where a long name takes the room', async () => {
      const tab = await market().tab({ width: 1120, height: 700 })
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${LONG_HOLDER}`)
      const tokens = page.getByRole('region', { name: 'Tokens' })
      const age = tokens.locator('tbody tr time').first()
      await age.waitFor()
      await tokens.hover()
      await page.mouse.wheel(1_000, 0)
      const edge = await tokens.evaluate((panel) => panel.getBoundingClientRect().right)
      await until('the last column', async () => {
        const right = await age.evaluate((cell) => cell.getBoundingClientRect().right)
        return right <= edge ? true : null
      })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('lets the keyboard reach the windows of a wallet that are wider than the screen', async () => {
      const tab = await market().tab({ width: 320, height: 568 })
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${LONG_HOLDER}`)
      const windows = page.getByRole('region', { name: 'Windows' })
      await windows.waitFor()
      // Some browsers give the focus to whatever can be scrolled, others to nothing that does not ask for it.
      expect(await windows.evaluate((panel: HTMLElement) => panel.tabIndex)).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([320, 360])(
      'has the figures of a bar above the chart on a screen of %i pixels, not on its bars',
      async (width) => {
        const tab = await market().tab({ width, height: 740 })
        const { page } = tab
        await page.goto(`${market().program.url}/token/${MINT}`)
        await page.locator('.canvas canvas').first().waitFor()
        const bottom = await page.locator('.legend').evaluate((legend) => {
          const { top, height } = legend.getBoundingClientRect()
          return top + height
        })
        const chart = await page.locator('.canvas-box').boundingBox()
        expect(chart?.y).toBeGreaterThanOrEqual(bottom)
        expect(chart?.height).toBeGreaterThan(250)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('stands beside a description of the API that is no wider than the screen, examples too', async () => {
      for (const width of [320, 1440]) {
        const tab = await market().tab({ width })
        const { page } = tab
        await page.goto(`${market().program.url}/docs`)
        for (const example of await page.locator('summary').all()) await example.click()
        const widest = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(widest).toBe(width)
        expect(tab.errors).toEqual([])
        await tab.close()
      }
    })
  },
)
