import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'
import { rowsCame, type TabOptions } from './tab.ts'

/** More rows than fit below the filters. */
const TOKENS = 20
const HOLDER = addressOf(12)

/** The board with the filters of its first column open. */
async function filtering(market: Market, options: TabOptions = {}) {
  const tab = await market.tab(options)
  const { page } = tab
  await page.goto(market.program.url)
  await rowsCame(page, 'new', 1)
  const column = page.getByRole('region', { name: 'New', exact: true })
  const button = column.getByRole('button', { name: 'Filter', exact: true })
  await button.click()
  const panel = column.locator('.filters')
  await panel.waitFor()
  return { tab, page, column, button, panel }
}

function focusIsAt(page: Page, text: string): Promise<boolean> {
  return page.evaluate((wanted) => document.activeElement?.textContent === wanted, text)
}

describePage(
  'the filters of a column',
  async () => {
    const labels = join(mkdtempSync(join(tmpdir(), 'mintfeed-labels-')), 'labels.ndjson')
    writeFileSync(labels, JSON.stringify({ address: HOLDER, name: 'Ann', tag: 'kol' }))
    const program = await startProgram({
      ...{ FEED: 'stdin', RATE_LIMIT: 'off', WALLET_LABELS: labels },
    })
    feed(
      program,
      Array.from({ length: TOKENS }, (_, at) =>
        launch({
          ...{ mint: addressOf(100 + at), txIndex: at },
          ...{ creator: addressOf(11), bondingCurve: addressOf(200 + at) },
          ...{ name: 'Filtered', symbol: 'FILTERED', signature: `FilteredCreation${at}` },
        }),
      ),
    )
    const bought = { mint: addressOf(107), signer: HOLDER }
    feed(program, [
      purchase({ ...bought, signature: 'FilteredBuy', slot: 1_000_000, pool: addressOf(207) }),
    ])
    return program
  },
  (market) => {
    test('say when what is typed applies, and it does so then and not before', async () => {
      const { tab, page, panel } = await filtering(market())
      await panel.getByText('A bound applies on Enter or when you leave its field').waitFor()
      const field = panel.getByLabel('Holders, at least')
      await field.fill('20')
      expect(new URL(page.url()).search).toBe('')
      await field.press('Enter')
      await page.waitForURL('**/?new.holders=20..')
      expect(await panel.isVisible()).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('take a bound that could not hold as soon as the one beside it lets it', async () => {
      const { tab, page, panel } = await filtering(market())
      const least = panel.getByLabel('Holders, at least')
      const most = panel.getByLabel('Holders, at most')
      await most.fill('5')
      await most.press('Enter')
      await page.waitForURL('**/?new.holders=..5')
      await least.fill('10')
      await least.press('Enter')
      await panel.getByText('The least is above the most.').waitFor()
      await most.fill('20')
      await most.press('Enter')
      await page.waitForURL('**/?new.holders=10..20')
      expect(await panel.getByRole('alert').count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('offer the tags of labelled wallets, and keep what is chosen in the address', async () => {
      const { tab, page, column, panel } = await filtering(market())
      expect(await panel.getByLabel('Wallets with the tag, at least').count()).toBe(0)
      await panel.getByLabel('Tag of the wallets').selectOption('kol')
      await page.waitForURL('**/?new.heldBy=1%3Akol')
      await expect.poll(() => column.locator('.count').textContent()).toBe('1')
      const least = panel.getByLabel('Wallets with the tag, at least')
      await least.fill('0')
      await least.press('Enter')
      await panel.getByText('A whole number from 1 to').waitFor()
      await least.fill('2')
      await least.press('Enter')
      await page.waitForURL('**/?new.heldBy=2%3Akol')
      await expect.poll(() => column.locator('.count').textContent()).toBe('0')
      await page.reload()
      await expect.poll(() => column.locator('.badge').textContent()).toBe('1')
      await column.getByRole('button', { name: /^Filter/ }).click()
      expect(await panel.getByLabel('Tag of the wallets').inputValue()).toBe('kol')
      await panel.getByLabel('Tag of the wallets').selectOption('')
      await page.waitForURL((url) => url.search === '')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each(['Holders, at least', 'Dex paid'])(
      'close on Escape in "%s", and the button that opened them has the focus',
      async (label) => {
        const { tab, page, panel } = await filtering(market())
        await panel.getByLabel(label, { exact: true }).focus()
        await page.keyboard.press('Escape')
        await panel.waitFor({ state: 'detached' })
        expect(await focusIsAt(page, 'Filter')).toBe(true)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('keep what was typed when they close: its field was left', async () => {
      const { tab, page, panel } = await filtering(market())
      await panel.getByLabel('Holders, at least').fill('20')
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      await page.waitForURL('**/?new.holders=20..')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('close on Escape when the focus is nowhere or at their button', async () => {
      const { tab, page, button, panel } = await filtering(market())
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      await button.click()
      await page.locator('.board-bar').click({ position: { x: 300, y: 4 } })
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      // What else Escape means is as it was.
      await page.keyboard.press('j')
      await page.locator('.row[aria-current="true"]').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('.row[aria-current="true"]').waitFor({ state: 'detached' })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('leave the rows as they were when they close', async () => {
      const { tab, page, column, panel } = await filtering(market())
      const rows = column.locator('.row')
      const drawn = await rows.count()
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      await expect.poll(() => rows.count()).toBeGreaterThan(drawn)
      const isFilled = () =>
        column.locator('.rows').evaluate((box) => {
          const { left, bottom } = box.getBoundingClientRect()
          const last = document.elementFromPoint(left + 30, bottom - 10)
          return last?.closest('.row') !== null
        })
      expect(await isFilled()).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('give the focus back to their button behind Done', async () => {
      const { tab, page, panel } = await filtering(market())
      await panel.getByRole('button', { name: 'Done', exact: true }).press('Enter')
      await panel.waitFor({ state: 'detached' })
      expect(await focusIsAt(page, 'Filter')).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([
      [1440, 900],
      [1440, 500],
      [390, 844],
      [320, 568],
    ])(
      'show Done and Clear on a screen of %i × %i, however far they are scrolled',
      async (width, height) => {
        const { tab, panel } = await filtering(market(), { width, height })
        const shown = async () => {
          const boxes = await Promise.all(
            ['Done', 'Clear'].map((name) =>
              panel.getByRole('button', { name, exact: true }).evaluate((button) => {
                const { left, top, width, height } = button.getBoundingClientRect()
                const at = document.elementFromPoint(left + width / 2, top + height / 2)
                return button.contains(at)
              }),
            ),
          )
          return boxes
        }
        expect(await shown()).toEqual([true, true])
        await panel.getByLabel('Any of them').focus()
        expect(await shown()).toEqual([true, true])
        // A field that has the focus is not below them.
        const isSeen = await panel.getByLabel('Any of them').evaluate((input) => {
          const { left, top, width, height } = input.getBoundingClientRect()
          return document.elementFromPoint(left + width / 2, top + height / 2) === input
        })
        expect(isSeen).toBe(true)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
