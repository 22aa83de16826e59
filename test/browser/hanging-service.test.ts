import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import { rowsCame, Tab } from './tab.ts'

const reason = whyNoBrowser()
/** A ping is due every ten seconds; three later its answer is missing. */
const TOLD_WITHIN_MS = 20_000

let browser: Browser
let program: Program

describe.skipIf(reason !== null)(
  'a service that hangs and closes nothing',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      program = await startProgram({ SIM_TOKENS: '200', SIM_RATE: '50', RATE_LIMIT: 'off' })
      browser = await openBrowser()
    }, 60_000)

    afterAll(async () => {
      await browser?.close()
      await program?.end('SIGTERM')
    })

    test('is not called live or ready for long, and is again when it goes on', async () => {
      const board = await Tab.open(browser, program.url)
      await board.page.goto(program.url)
      await rowsCame(board.page, 'new', 2)
      const engine = await Tab.open(browser, program.url)
      await engine.page.goto(`${program.url}/engine`)
      const ready = engine.page.locator('.page-head .status')
      await ready.getByText('Ready', { exact: true }).waitFor()
      // What was heard last is told later: something has to have been.
      for (const { page } of [board, engine]) await page.locator('[data-cell="seq"]').waitFor()
      program.child.kill('SIGSTOP')
      const within = { timeout: TOLD_WITHIN_MS }
      try {
        await Promise.all([
          ready.getByText('Out of reach', { exact: true }).waitFor(within),
          ...[board, engine].map(({ page }) =>
            page
              .getByText(/^The service is out of reach. Shown is \d\d:\d\d:\d\d UTC/)
              .waitFor(within),
          ),
        ])
      } finally {
        program.child.kill('SIGCONT')
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
