import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'
import { rowsCame, type TabOptions } from './tab.ts'

const MINTS = [41, 42, 43].map(addressOf)

/** The board, and what was copied last as pasted into the search. */
async function board(market: Market, options: TabOptions = {}) {
  const tab = await market.tab(options)
  const { page } = tab
  await page.goto(market.program.url)
  await rowsCame(page, 'new', MINTS.length)
  const field = page.getByRole('combobox', { name: 'Search a token', exact: true })
  const pasted = async () => {
    await field.focus()
    await page.keyboard.press('Control+V')
    const text = await field.inputValue()
    await page.keyboard.press('Escape')
    return text
  }
  return { tab, page, pasted }
}

describePage(
  'the mint of a row of the board',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(
      program,
      MINTS.map((mint, at) =>
        launch({
          ...{ mint, txIndex: at, creator: addressOf(45), bondingCurve: addressOf(46 + at) },
          ...{ name: `Copied ${at}`, symbol: 'COPIED', signature: `CopiedCreation${at}` },
        }),
      ),
    )
    return program
  },
  (market) => {
    test.each([
      [1440, false],
      [390, true],
      [320, true],
    ])(
      'is copied by a button, on a screen of %i pixels, and the board stays',
      async (width, hasTouch) => {
        const { tab, page, pasted } = await board(market(), { width, height: 844, hasTouch })
        const row = page.locator(`.row[data-mint="${MINTS[1]}"]`)
        const button = row.getByRole('button', { name: /^Copy mint / })
        if (hasTouch) await button.tap()
        else await button.click()
        await row.getByText('copied', { exact: true }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/')
        const box = await button.boundingBox()
        expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24)
        expect(await pasted()).toBe(MINTS[1])
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('is copied by the key c, of the row that was walked to or has the focus', async () => {
      const { tab, page, pasted } = await board(market())
      await page.keyboard.press('j')
      const walked = page.locator('.row[aria-current="true"]')
      const mint = await walked.getAttribute('data-mint')
      await page.keyboard.press('c')
      await walked.getByText('copied', { exact: true }).waitFor()
      expect(await pasted()).toBe(mint)
      const link = page.locator(`.row[data-mint="${MINTS[0]}"] > a`)
      await link.focus()
      await page.keyboard.press('c')
      await page
        .locator(`.row[data-mint="${MINTS[0]}"]`)
        .getByText('copied', { exact: true })
        .waitFor()
      expect(await link.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await pasted()).toBe(MINTS[0])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('takes no step of the Tab key: the next one is the next row, as before', async () => {
      const { tab, page } = await board(market())
      await page.locator('.column[data-group="new"] .row > a').first().focus()
      await page.keyboard.press('Tab')
      const at = await page.evaluate(() => document.activeElement?.matches('.row > a'))
      expect(at).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
