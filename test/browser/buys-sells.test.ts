import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const MINT = addressOf(1)
const CREATOR = addressOf(2)
const CURVE = addressOf(3)
const BUYS = 3

const bought = (txIndex: number) =>
  purchase({
    ...{ mint: MINT, slot: 101, txIndex, pool: CURVE, signer: CREATOR },
    signature: `Bought${txIndex}`,
  })

describePage(
  'a row of a token that was bought three times and sold once',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [
      launch({
        ...{ mint: MINT, creator: CREATOR, bondingCurve: CURVE },
        ...{ name: 'Sides', symbol: 'SIDES', signature: 'SidesCreation' },
      }),
      ...Array.from({ length: BUYS }, (_, at) => bought(at + 1)),
      { ...bought(BUYS + 1), direction: 'sell' },
    ])
    return program
  },
  (market) => {
    test.each([1440, 390])(
      'has buys and sells apart, by letter and colour, on a screen of %i pixels',
      async (width) => {
        const tab = await market().tab({ width, height: 844 })
        const { page } = tab
        await page.goto(market().program.url)
        await rowsCame(page, 'new', 1)
        const row = page.locator(`.row[data-mint="${MINT}"]`)
        const buys = row.locator('[data-cell="buys"]')
        const sells = row.locator('[data-cell="sells"]')
        await buys.getByText('3', { exact: true }).waitFor()
        expect(await sells.textContent()).toBe('1')
        expect(await row.getByTitle(/^3 buys, 1 sell in \d+[mh]$/).innerText()).toBe('B 3 S 1')
        const colours = await Promise.all(
          [buys, sells].map((cell) => cell.evaluate((element) => getComputedStyle(element).color)),
        )
        expect(colours[0]).not.toBe(colours[1])
        expect(await row.getByTitle(/^Volume in \d+[mh]: \$.* bought, \$.* sold$/).count()).toBe(1)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
