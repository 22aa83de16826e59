import { expect, test } from 'vitest'
import { startProgram } from '../process/program.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

/** A ping is due every ten seconds and missing three later; a slow machine's clocks get as long again. */
const TOLD_WITHIN_MS = 40_000

describePage(
  'a service that hangs and closes nothing',
  () => startProgram({ SIM_TOKENS: '200', SIM_RATE: '50', RATE_LIMIT: 'off' }),
  (market) => {
    test('is not called live or ready for long, with the day of what is shown, and is again when it goes on', async () => {
      const board = await market().tab()
      await board.page.goto(market().program.url)
      await rowsCame(board.page, 'new', 2)
      const engine = await market().tab()
      await engine.page.goto(`${market().program.url}/engine`)
      const ready = engine.page.locator('.page-head .status')
      await ready.getByText('Ready', { exact: true }).waitFor()
      // What was heard last is told later: something has to have been.
      await board.page.locator('[data-cell="seq"]').waitFor()
      await engine.page.getByRole('region', { name: 'Swaps a second' }).locator('svg').waitFor()
      market().program.child.kill('SIGSTOP')
      const within = { timeout: TOLD_WITHIN_MS }
      try {
        await Promise.all([
          ready.getByText('Out of reach', { exact: true }).waitFor(within),
          ...[board, engine].map(({ page }) =>
            page
              .getByText(
                /^The service is out of reach. Shown is \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
              )
              .waitFor(within),
          ),
        ])
      } finally {
        market().program.child.kill('SIGCONT')
      }
      await ready.getByText('Ready', { exact: true }).waitFor()
      for (const { page, errors } of [board, engine]) {
        await page.locator('.foot .status[data-state="live"]').waitFor()
        expect(await page.getByRole('alert').count()).toBe(0)
        expect(errors).toEqual([])
      }
      await Promise.all([board.close(), engine.close()])
    })
  },
)
