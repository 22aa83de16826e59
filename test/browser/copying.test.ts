import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'CopiedMintOfManyCharacterspump'

describePage(
  'a mint',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const own = { signature: 'CopyTrade', slot: 100, pool: 'CopyCurve', signer: 'CopyWallet' }
    feed(program, [purchase({ mint: MINT, ...own })])
    return program
  },
  (market) => {
    test('is copied where the browser gives no clipboard, as over http from another machine', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { get() {} }))
      await page.goto(`${market().program.url}/token/${MINT}`)
      const button = page.getByRole('button', { name: 'Copy mint' })
      await button.click()
      await page.getByText('copied').waitFor()
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.locator('.search input').focus()
      await page.keyboard.press('Control+V')
      expect(await page.locator('.search input').inputValue()).toBe(MINT)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
