import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
const POOLED = 'StagePooledMintpump'
const COMPLETE = 'StageCompleteMintpump'

let browser: Browser
let program: Program

describe.skipIf(reason !== null)(
  'the stage of a token on its page',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
      feed(program, [
        // First heard of in its pool: nobody told of its migration.
        purchase({
          mint: POOLED,
          signature: 'StagePooledTrade',
          slot: 100,
          source: 'pump_amm',
          pool: 'StagePool',
          signer: 'StageWallet',
        }),
        launch({
          mint: COMPLETE,
          signature: 'StageCompleteCreation',
          name: 'Complete',
          symbol: 'COMP',
          creator: 'StageCreator',
          bondingCurve: 'StageCurve',
        }),
        {
          type: 'completed',
          slot: 101,
          txIndex: 0,
          ordinal: 0,
          signature: 'StageCompleted',
          timestamp: Math.floor(Date.now() / 1000),
          mint: COMPLETE,
          bondingCurve: 'StageCurve',
        },
      ])
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test.each([
      ['Graduated', 'Graduated', POOLED, 'whose migration was never told'],
      ['Complete', 'Completing', COMPLETE, 'that waits for its migration'],
    ])('is %s where the board has it under %s: %s, %s', async (stage, column, mint) => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      await page.goto(program.url)
      await page
        .getByRole('region', { name: column, exact: true })
        .locator(`.row[data-mint="${mint}"] a`)
        .click()
      await page.locator('.token-head').waitFor()
      expect(await page.locator('[data-cell="progress"]').textContent()).toBe(stage)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
