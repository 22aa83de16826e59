import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const MINT = addressOf(21)
const CURVE = addressOf(23)

describePage(
  'the legend',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      launch({
        ...{ mint: MINT, creator: addressOf(22), bondingCurve: CURVE },
        ...{ name: 'Legend', symbol: 'LEGEND', signature: 'LegendCreation' },
      }),
      purchase({
        ...{ mint: MINT, slot: 101, pool: CURVE, signer: addressOf(24) },
        signature: 'LegendTrade',
      }),
    ])
    return program
  },
  (market) => {
    test.each([1440, 390, 320])(
      'tells every mark of a row, and can be opened on a screen of %i pixels',
      async (width) => {
        const tab = await market().tab({ width, height: 844 })
        const { page } = tab
        await page.goto(market().program.url)
        await rowsCame(page, 'new', 1)
        const labels = await page
          .locator(`.row[data-mint="${MINT}"] .label`)
          .evaluateAll((all) => all.map(({ textContent }) => textContent))
        expect(labels).toEqual(expect.arrayContaining(['H', 'B', 'S', 'V', 'T10', 'DEV', 'SNP']))
        await page.getByRole('button', { name: 'Legend', exact: true }).click()
        const legend = page.getByRole('dialog', { name: 'Legend', exact: true })
        await legend.waitFor()
        const told = await legend.locator('dt').allInnerTexts()
        expect(told).toEqual(expect.arrayContaining(labels))
        const sentences = await legend.locator('dd').allInnerTexts()
        expect(sentences.length).toBe(told.length)
        expect(sentences.filter((text) => text.length < 10)).toEqual([])
        const box = await legend.boundingBox()
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
        await page.keyboard.press('Escape')
        await legend.waitFor({ state: 'hidden' })
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('is beside the wallets of a token, too, and tells from how much on a share is marked', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const holders = page.getByRole('region', { name: 'Holders', exact: true })
      await holders.getByRole('button', { name: 'Legend', exact: true }).press('Enter')
      const legend = page.getByRole('dialog', { name: 'Legend', exact: true })
      await legend.getByText('marked from 50% on').waitFor()
      await legend.getByRole('button', { name: 'Close', exact: true }).press('Enter')
      await legend.waitFor({ state: 'detached' })
      // The focus is back where it was opened, and it opens again, also before the event of its close has come.
      await page.keyboard.press('Enter')
      await legend.waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
