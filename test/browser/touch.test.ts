import { expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { feed, launch } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'
import { rowsCame } from './tab.ts'

let launches = 0

/** Some tokens more, the newest on top. */
function launchSome(program: Program): void {
  const events = [0, 1, 2].map(() => {
    launches += 1
    return launch({
      slot: 100 + launches,
      mint: `TouchMint${launches}pump`,
      signature: `TouchCreation${launches}`,
      name: `Touch ${launches}`,
      symbol: 'TOUCH',
      creator: 'TouchCreator',
      bondingCurve: `TouchCurve${launches}`,
    })
  })
  feed(program, events)
}

/** A narrow screen with the newest tokens, and a finger for the first of them; `left` is within its row. */
async function touchable(market: Market) {
  const tab = await market.tab({ width: 390, height: 844, hasTouch: true })
  const { page } = tab
  const devTools = await page.context().newCDPSession(page)
  await page.goto(market.program.url)
  await rowsCame(page, 'new', 3)
  const column = page.locator('.column[data-group="new"]')
  const row = column.locator('.row').first()
  const { x, y } = (await row.boundingBox()) ?? { x: 0, y: 0 }
  const touch = (type: 'touchStart' | 'touchMove', left: number) =>
    devTools.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: x + left, y: y + 40 }] })
  const lift = () =>
    devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  return { tab, page, column, row, touch, lift }
}

describePage(
  'a row that is touched',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    launchSome(program)
    return program
  },
  (market) => {
    test('is the one that opens, though others come before the finger is lifted', async () => {
      const { tab, page, column, row, touch, lift } = await touchable(market())
      const mint = await row.getAttribute('data-mint')
      await touch('touchStart', 120)
      launchSome(market().program)
      await column.getByText('paused · 3 new').waitFor()
      await lift()
      await page.waitForURL(`**/token/${mint}`)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('lets the others come once the finger is lifted elsewhere', async () => {
      const { tab, page, column, touch, lift } = await touchable(market())
      await touch('touchStart', 280)
      await column.getByText('paused').waitFor()
      // To the left: to the right it would be the browser's gesture for the page before.
      for (const left of [220, 160, 120]) await touch('touchMove', left)
      await lift()
      await column.getByText('paused').waitFor({ state: 'detached' })
      expect(new URL(page.url()).pathname).toBe('/')
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
