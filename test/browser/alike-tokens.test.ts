import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch } from './fed-events.ts'
import { describePage } from './page-tests.ts'

/** A token, and one that somebody made later to be taken for it. */
const MINTS = ['FirstOneOfThem1pump', 'CopyOfTheFirst2pump']
const HOUR = 3_600

describePage(
  'tokens of one name and symbol',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const nowSeconds = Math.floor(Date.now() / 1000)
    feed(
      program,
      MINTS.map((mint, at) =>
        launch({
          mint,
          slot: 100 + at,
          timestamp: nowSeconds - (at === 0 ? 3 : 1) * HOUR - 60,
          signature: `Alike${at}`,
          name: 'one and the same',
          symbol: 'ALIKE',
          creator: `AlikeCreator${at}`,
          bondingCurve: `AlikeCurve${at}`,
        }),
      ),
    )
    return program
  },
  (market) => {
    test('are told apart by mint and age where they are searched for', async () => {
      const tab = await market().tab({ width: 390 })
      const { page } = tab
      await page.goto(market().program.url)
      await page.locator('.search input').fill('alike')
      const found = page.locator('.found a')
      await found.nth(1).waitFor()
      const texts = await found.allTextContents()
      expect(texts.find((text) => text.includes('Firs…pump'))).toContain('3h')
      expect(texts.find((text) => text.includes('Copy…pump'))).toContain('1h')
      const overlaps = await found.evaluateAll((options) =>
        options.flatMap((option) => {
          const names = [...option.querySelectorAll('.title bdi')]
          const cap = option.querySelector('.title + span')?.getBoundingClientRect().left ?? 0
          return names.filter((name) => name.getBoundingClientRect().right > cap)
        }),
      )
      expect(overlaps).toEqual([])
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
