import { expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { startProgram, until } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame, shownColumn, type Tab } from './tab.ts'

const [FIRST, SECOND, THIRD] = [11, 12, 13].map(addressOf)
let trades = 0

const trade = (mint: string, signer: string, quoteRaw = 1_000_000_000n) => {
  trades += 1
  return purchase({
    mint,
    signature: `TrendTrade${trades}`,
    slot: 200 + trades,
    pool: `${mint}Curve`,
    signer,
    quoteRaw,
  })
}

describePage(
  'the page of what trends',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      ...[FIRST, SECOND, THIRD].map((mint, at) =>
        launch({
          mint,
          signature: `TrendCreation${at}`,
          name: `trend ${at}`,
          symbol: `TRD${at}`,
          creator: 'TrendCreator',
          bondingCurve: `${mint}Curve`,
        }),
      ),
      trade(FIRST, 'Alice', 9_000_000_000n),
      ...['Alice', 'Bob', 'Carol'].map((wallet) => trade(SECOND, wallet)),
    ])
    return program
  },
  (market) => {
    const opened = async (path: string, width = 1440): Promise<Tab> => {
      const tab = await market().tab({ width })
      await tab.page.goto(market().program.url + path)
      return tab
    }
    const shownMints = async ({ page }: Tab) =>
      (await shownColumn(page, 'trending')).rows.map(({ mint }) => mint)

    test("has the API's list by window and quantity, both in its address", async () => {
      const tab = await opened('/')
      const { page } = tab
      await page.getByRole('link', { name: 'Trending' }).click()
      await rowsCame(page, 'trending', 2)
      expect(await shownMints(tab)).toEqual([FIRST, SECOND])
      await page.getByLabel('Trending by').selectOption('traders')
      await page.getByRole('button', { name: '1h', exact: true }).click()
      await until('most traders first', async () =>
        (await shownMints(tab))[0] === SECOND ? true : null,
      )
      const { pathname, search } = new URL(page.url())
      expect([pathname, search]).toEqual(['/trending', '?window=1h&by=traders'])
      const answer = await new Mintfeed(market().program.url).read.trending({
        window: '1h',
        by: 'traders',
      })
      expect(answer.ok && answer.data.items.map(({ mint }) => mint)).toEqual(await shownMints(tab))
      const { rows } = await shownColumn(page, 'trending')
      expect(rows.map(({ cells }) => cells.rank)).toEqual(['1', '2'])
      expect(rows[0].cells).toMatchObject({ traders: '3', buys: '3', sells: '0' })
      // The way back from a token, and from the board, leads to the same list.
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/token/${SECOND}`)
      await page.keyboard.press('r')
      await rowsCame(page, 'trending', 2)
      expect(new URL(page.url()).search).toBe('?window=1h&by=traders')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('moves as tokens pass each other, and holds its order under the pointer', async () => {
      const tab = await opened('/trending?by=trades')
      const { page } = tab
      await rowsCame(page, 'trending', 2)
      const before = await shownMints(tab)
      expect(before).not.toContain(THIRD)
      await page.locator('.column .rows').hover()
      feed(
        market().program,
        Array.from({ length: 9 }, (_, at) => trade(THIRD, `Wallet${at}`)),
      )
      await page.locator('.held').getByText('paused · 1 new').waitFor()
      expect(await shownMints(tab)).toEqual(before)
      await page.mouse.move(5, 5)
      await until('the new one on top', async () =>
        (await shownMints(tab))[0] === THIRD ? true : null,
      )
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([320, 390, 1100])('fits a screen of %i pixels', async (width) => {
      const tab = await opened('/trending', width)
      const { page } = tab
      await rowsCame(page, 'trending', 2)
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('.top, .board-bar, .column-head')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ className }) => className),
      )
      expect(wide).toEqual([])
      expect(await page.locator('.row').first().isVisible()).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
