import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { exact, money, percent, signedMoney } from '../../web/src/text/number-form.ts'
import { startProgram } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const WALLET = addressOf(801)
const STRANGER = addressOf(802)
const MINTS = [811, 812].map(addressOf)
const DAY_SECONDS = 86_400
/** What a list of labels may hold, as a text alone: it turns the direction of writing, and is markup. */
const NAME = '<b>Ann\u202e</b>'

let trades = 0
/** A trade so many days ago, for so many SOL; earlier ones have lower slots. */
const trade = (token: number, daysAgo: number, direction: 'buy' | 'sell', sol: number) => {
  trades += 1
  return purchase({
    mint: MINTS[token],
    signature: `DayTrade${trades}`,
    slot: 1_000_000 - daysAgo * 1_000 + trades,
    timestamp: Math.floor(Date.now() / 1000) - daysAgo * DAY_SECONDS,
    pool: `DayCurve${token}`,
    signer: WALLET,
    direction,
    quoteRaw: BigInt(sol * 1e9),
  })
}

describePage(
  'what a wallet did by days and windows',
  async () => {
    const labels = join(mkdtempSync(join(tmpdir(), 'mintfeed-labels-')), 'labels.ndjson')
    writeFileSync(labels, JSON.stringify({ address: WALLET, name: NAME, tag: 'kol' }))
    const program = await startProgram({
      ...{ FEED: 'stdin', RATE_LIMIT: 'off', WALLET_LABELS: labels },
    })
    feed(program, [
      trade(0, 12, 'buy', 1),
      trade(0, 10, 'sell', 3),
      trade(1, 3, 'buy', 2),
      trade(1, 2, 'sell', 1),
    ])
    return program
  },
  (market) => {
    test.each([1440, 390])(
      'stands on its page as the API has it, on a screen of %i pixels',
      async (width) => {
        const tab = await market().tab({ width })
        const { page } = tab
        await page.goto(`${market().program.url}/wallet/${WALLET}`)
        await page.locator('[data-window="all"]').waitFor()
        const answer = await new Mintfeed(market().program.url).read.wallet(WALLET)
        if (!answer.ok) throw new Error(answer.problem.message)
        const { windows, days, best, worst } = answer.data
        for (const window of ['1d', '7d', '30d', 'all'] as const) {
          const { realized_pnl_usd, volume_usd, trades, tokens, wins, losses, win_rate_pct } =
            windows[window]
          const texts = await page.locator(`[data-window="${window}"] td`).allTextContents()
          const isSold = wins + losses > 0
          expect(texts.slice(0, 5)).toEqual([
            signedMoney(realized_pnl_usd),
            money(volume_usd),
            exact(trades),
            exact(tokens),
            isSold ? percent(win_rate_pct) : '–',
          ])
          expect(texts[5] === '–').toBe(!isSold)
        }
        expect(windows['30d'].realized_pnl_usd).not.toBe(windows['7d'].realized_pnl_usd)
        // A gain stands above the line and a loss below; the greater one is higher.
        const bars = await page.locator('.days g').evaluateAll((all) =>
          all.flatMap((day) => {
            const bar = day.querySelector('.gain, .loss')
            const height = Number(bar?.getAttribute('height'))
            const kind = bar?.getAttribute('class')
            return height > 0 ? [{ day: day.getAttribute('data-day'), kind, height }] : []
          }),
        )
        const results = days.filter(({ realized_pnl_usd }) => realized_pnl_usd !== 0)
        expect(bars.map(({ day, kind }) => [day, kind])).toEqual(
          results.map(({ day, realized_pnl_usd }) => [day, realized_pnl_usd > 0 ? 'gain' : 'loss']),
        )
        expect(results).toHaveLength(2)
        expect(bars[0].height / bars[1].height).toBeCloseTo(
          Math.abs(results[0].realized_pnl_usd / results[1].realized_pnl_usd),
          6,
        )
        for (const [name, result] of Object.entries({ Best: best, Worst: worst }))
          expect(await page.getByTitle(`${name}: `).textContent()).toContain(
            signedMoney(result?.pnl_usd ?? Number.NaN),
          )
        expect(await page.locator('.page-head .label-mark').textContent()).toBe('<b>Ann</b>')
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        expect(isWide).toBe(false)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('has its label beside the wallet on the page of a token', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINTS[0]}`)
      for (const region of ['Trades', 'Traders'])
        await page
          .getByRole('region', { name: region, exact: true })
          .locator('.label-mark')
          .first()
          .waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('is empty, and no mistake, of a wallet that nobody knows', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${STRANGER}`)
      await page.locator('[data-window="all"]').waitFor()
      expect(await page.locator('[data-window="all"] td').allTextContents()).toEqual([
        ...['$0', '$0', '0', '0', '–', '–'],
      ])
      expect(await page.locator('.days .gain[height="0"]').count()).toBe(30)
      expect(await page.locator('.label-mark').count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
