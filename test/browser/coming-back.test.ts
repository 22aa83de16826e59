import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { describePage } from './page-tests.ts'

const SCROLLED_PX = 700
/** More than fit into the window so far down. */
const ROWS = 20

describePage(
  'who comes back from a token to the board',
  () => startProgram({ RATE_LIMIT: 'off', SIM_TOKENS: '4000' }),
  (market) => {
    test.each([1440, 390])('finds it as they left it on a screen of %i pixels', async (width) => {
      const tab = await market().tab({ width })
      const { page } = tab
      await page.goto(market().program.url)
      const focused = () => page.evaluate(() => document.activeElement?.id)
      // The keys of who has just come begin at the top of the page.
      expect(await focused()).toBe('')
      const choice = page.getByRole('button', { name: 'Completing', exact: true })
      if (width < 900) await choice.click()
      const column = page.locator('.column[data-group="completing"]')
      const rows = column.locator('.rows')
      // A market that has just begun tells its tokens one after the other; one that is scrolled is held.
      await until('enough rows', async () =>
        Number(await column.locator('.count').textContent()) >= ROWS ? true : null,
      )
      await rows.evaluate((box, top) => box.scrollTo({ top }), SCROLLED_PX)
      await rows.locator('.row[style*="translateY(840px)"] a').click()
      await page.locator('.token-head').waitFor()
      expect(await focused()).toBe('main')
      await page.goBack()
      await until('where it was left', async () =>
        (await rows.evaluate((box) => box.scrollTop)) === SCROLLED_PX ? true : null,
      )
      await rows.locator('.row').first().waitFor()
      expect(await focused()).toBe('main')
      if (width < 900) expect(await choice.getAttribute('aria-pressed')).toBe('true')
      // Rows of another order are others.
      await page.getByLabel('Order of Completing').selectOption('holders')
      await until('its top', async () =>
        (await rows.evaluate((box) => box.scrollTop)) === 0 ? true : null,
      )
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('goes one step back, however often the page that is shown was chosen', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/engine`)
      const board = page.getByRole('link', { name: 'Board', exact: true })
      await board.click()
      await board.click()
      await page.keyboard.press('b')
      await page.goBack()
      await page.getByRole('heading', { name: 'Engine' }).waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
