import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch } from './fed-events.ts'
import { describePage } from './page-tests.ts'

/** As many as the list shows. */
const TOKENS = 12
const WALLET = 'SearchKeysWa11etThatNoTokenHasForMint'

describePage(
  'a search on a screen that is too low for all that was found',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(
      program,
      Array.from({ length: TOKENS }, (_, at) =>
        launch({
          mint: `SearchKeys${at}pump`,
          signature: `SearchKeys${at}`,
          txIndex: at,
          name: 'search keys',
          symbol: 'KEYS',
          creator: `SearchKeysCreator${at}`,
          bondingCurve: `SearchKeysCurve${at}`,
        }),
      ),
    )
    return program
  },
  (market) => {
    test('shows the token that the arrows went to', async () => {
      const tab = await market().tab({ height: 500 })
      const { page } = tab
      await page.goto(market().program.url)
      await page.locator('.search input').fill('keys')
      await page
        .locator('.found a')
        .nth(TOKENS - 1)
        .waitFor({ state: 'attached' })
      const isSeen = () =>
        page.locator('.found a[aria-selected="true"]').evaluate((option) => {
          const list = option.parentElement?.getBoundingClientRect()
          const { top, bottom } = option.getBoundingClientRect()
          return list !== undefined && top >= list.top && bottom <= list.bottom
        })
      expect(await isSeen()).toBe(true)
      for (let step = 1; step < TOKENS; step += 1) await page.keyboard.press('ArrowDown')
      await page.locator(`#found-${TOKENS - 1}[aria-selected="true"]`).waitFor()
      expect(await isSeen()).toBe(true)
      for (let step = 1; step < TOKENS; step += 1) await page.keyboard.press('ArrowUp')
      await page.locator('#found-0[aria-selected="true"]').waitFor()
      expect(await isSeen()).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('leaves the keys to an input method that is still composing what is typed', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      const field = page.locator('.search input')
      await field.focus()
      const session = await page.context().newCDPSession(page)
      const [selectionStart, selectionEnd] = [4, 4]
      await session.send('Input.imeSetComposition', { text: 'keys', selectionStart, selectionEnd })
      await page.locator('#found-0[aria-selected="true"]').waitFor()
      for (const key of ['ArrowDown', 'Enter', 'Escape']) await page.keyboard.press(key)
      expect(await field.inputValue()).toBe('keys')
      expect(await page.locator('#found-0').getAttribute('aria-selected')).toBe('true')
      await session.send('Input.insertText', { text: 'keys' })
      await page.keyboard.press('Enter')
      await page.waitForURL('**/token/*')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('opens a wallet that was pasted, as it does a token', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      const field = page.locator('.search input')
      await field.fill(WALLET)
      await page.getByText('No token has this mint.').waitFor()
      await field.press('Enter')
      await page.waitForURL(`**/wallet/${WALLET}`)
      // Also before it is known that no token is called so, but not what cannot be an address.
      await field.fill(WALLET.toLowerCase())
      await field.press('Enter')
      await page.waitForURL(`**/wallet/${WALLET.toLowerCase()}`)
      await field.fill('no address at all')
      await field.press('Enter')
      await page.getByText('No token is called so.').waitFor()
      expect(page.url()).toContain(WALLET.toLowerCase())
      // What looks like a mint is one whose first trade has not come yet.
      const mint = `${WALLET.slice(0, 40)}pump`
      await field.fill(mint)
      await page.getByRole('button', { name: 'Wait for its first trade' }).waitFor()
      await field.press('Enter')
      await page.waitForURL(`**/token/${mint}`)
      // The token's own read is a 404 that the page tells as what it is.
      await page.getByText('Nobody knows this mint yet').first().waitFor()
      expect(tab.errors).toEqual([expect.stringContaining('404')])
      await tab.close()
    })
  },
)
