import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const POOLED = 'StagePooledMintpump'
const COMPLETE = 'StageCompleteMintpump'
/** Of the same creator as the complete one. */
const MIGRATED = 'StageMigratedMintpump'

describePage(
  'the stage of a token on its page',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
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
      launch({
        mint: MIGRATED,
        signature: 'StageMigratedCreation',
        txIndex: 1,
        name: 'Migrated',
        symbol: 'MIGR',
        creator: 'StageCreator',
        bondingCurve: 'StageMigratedCurve',
      }),
      {
        type: 'migrated',
        slot: 101,
        txIndex: 1,
        ordinal: 0,
        signature: 'StageMigrated',
        timestamp: Math.floor(Date.now() / 1000),
        mint: MIGRATED,
        bondingCurve: 'StageMigratedCurve',
        poolAmm: 'StageMigratedPool',
      },
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
    return program
  },
  (market) => {
    test('stands beside how many of all tokens of its creator graduated', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      const cell = page.locator(`.row[data-mint="${COMPLETE}"] [data-cell="creator"]`)
      expect(await cell.textContent()).toBe('1/2')
      await page.getByTitle('1 of 2 tokens of this creator graduated').first().waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([
      ['Graduated', 'Graduated', POOLED, 'whose migration was never told'],
      ['Complete', 'Completing', COMPLETE, 'that waits for its migration'],
    ])('is %s where the board has it under %s: %s, %s', async (stage, column, mint) => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
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
