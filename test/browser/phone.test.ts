import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const MINT = addressOf(61)
const CREATOR = addressOf(62)
const CURVE = addressOf(63)

/** Names of the buttons that are cut, or lie out of the screen. */
function outOfSight(buttons: Locator): Promise<string[]> {
  return buttons.evaluateAll((all) =>
    all
      .filter((button) => {
        const { left, top, width, height } = button.getBoundingClientRect()
        const isCut = button.scrollWidth > button.clientWidth
        const corners = [left + 1, left + width - 1].map((x) =>
          document.elementFromPoint(x, top + height / 2),
        )
        return isCut || corners.some((found) => !button.contains(found))
      })
      .map(({ textContent }) => textContent ?? ''),
  )
}

async function opened(market: Market, width: number, path: string) {
  const tab = await market.tab({ width, height: 740, hasTouch: true })
  await tab.page.goto(market.program.url + path)
  return tab
}

describePage(
  'on a phone',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      launch({
        ...{ mint: MINT, creator: CREATOR, bondingCurve: CURVE },
        ...{ name: 'Phone', symbol: 'PHONE', signature: 'PhoneCreation' },
      }),
      ...[1, 2, 3].map((txIndex) =>
        purchase({
          ...{ mint: MINT, slot: 101, txIndex, pool: CURVE, signer: CREATOR },
          signature: `PhoneTrade${txIndex}`,
        }),
      ),
    ])
    return program
  },
  (market) => {
    test.each([430, 390, 360, 320])(
      'every switch of the chart is in sight on a screen of %i pixels',
      async (width) => {
        const tab = await opened(market(), width, `/token/${MINT}`)
        const { page } = tab
        await page.locator('.canvas canvas').first().waitFor()
        const buttons = page.locator('.chart-bar button')
        expect(await buttons.count()).toBeGreaterThanOrEqual(17)
        expect(await outOfSight(buttons)).toEqual([])
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(wide).toBe(width)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test.each([390, 320])(
      'every column of the board can be chosen on a screen of %i pixels, also under a long preset',
      async (width) => {
        const path = '/?completing.ageMinutes=..60&completing.holders=20..&completing.sort=progress'
        const tab = await opened(market(), width, path)
        const { page } = tab
        await rowsCame(page, 'new', 1)
        expect(await page.getByLabel('Preset', { exact: true }).inputValue()).toBe(
          'About to graduate',
        )
        const switches = page.locator('.tabs button')
        expect(await switches.allInnerTexts()).toEqual(['New', 'Completing', 'Graduated'])
        expect(await outOfSight(switches)).toEqual([])
        await page.goto(`${market().program.url}/?new.sort=cap`)
        await rowsCame(page, 'new', 1)
        expect(await outOfSight(page.locator('.board-bar button:visible'))).toEqual([])
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('one row of the board is called a token, not tokens', async () => {
      const tab = await opened(market(), 390, '/')
      await rowsCame(tab.page, 'new', 1)
      const said = (group: string) =>
        tab.page
          .locator(`.column[data-group="${group}"] .count`)
          .evaluate((count) => count.textContent + getComputedStyle(count, '::after').content)
      expect([await said('new'), await said('graduated')]).toEqual(['1" token"', '0" tokens"'])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([1000, 390])(
      'trades stand before holders, and both before traders, on a screen of %i pixels',
      async (width) => {
        const tab = await opened(market(), width, `/token/${MINT}`)
        const { page } = tab
        const trades = page.getByRole('region', { name: 'Trades', exact: true })
        await trades.locator('tbody tr').first().waitFor()
        const names = await page.locator('.token-page section').evaluateAll((sections) =>
          sections
            .map((section) => [section.ariaLabel, section.getBoundingClientRect().top] as const)
            .toSorted((a, b) => a[1] - b[1])
            .map(([name]) => name),
        )
        const order = ['Chart', 'Trades', 'Holders', 'Traders', 'Creator']
        expect(names).toEqual(order)
        // Who goes through them by keys or by ear meets them in the same order.
        const inTree = await page
          .locator('.token-page section')
          .evaluateAll((sections) => sections.map((section) => section.ariaLabel))
        expect(inTree).toEqual(order)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test.each([390, 320])(
      'the figures of the engine are whole on a screen of %i pixels',
      async (width) => {
        const tab = await opened(market(), width, '/engine')
        const { page } = tab
        await page
          .getByRole('region', { name: 'Requests', exact: true })
          .locator('td')
          .first()
          .waitFor()
        const cut = await page
          .locator('.plot, .panel, .panel table')
          .evaluateAll((boxes) =>
            boxes
              .filter(
                (box) =>
                  box.getBoundingClientRect().right > innerWidth ||
                  box.scrollWidth > box.clientWidth + 1,
              )
              .map((box) => box.closest('section')?.ariaLabel),
          )
        expect(cut).toEqual([])
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
