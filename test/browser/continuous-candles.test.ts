import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { startProgram, until } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'

/** One trade a minute: each bar of a minute has one price. */
const SPARSE = addressOf(31)
/** Four trades a minute. */
const DENSE = addressOf(32)
const MINUTES = 30
const SECONDS = Math.floor(Date.now() / 60_000) * 60 - (MINUTES + 2) * 60

const slotOf = (at: number, aMinute: number) => 100 + Math.floor((at * 60) / aMinute)

function trades(mint: string, aMinute: number) {
  return Array.from({ length: MINUTES * aMinute }, (_, at) =>
    purchase({
      ...{ mint, slot: slotOf(at, aMinute), txIndex: aMinute },
      signature: `Continuous${aMinute}of${at}`,
      pool: addressOf(33),
      signer: addressOf(34),
      timestamp: SECONDS + Math.floor((at * 60) / aMinute),
      virtualQuoteRaw: BigInt(30_000_000_000 + ((at * 7_919) % 1_000) * 10_000_000),
    }),
  )
}

/** The bars of the table below the chart: open, high, low, close. */
function shownBars(page: Page): Promise<number[][]> {
  return page
    .locator('.bar-table tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('.number')]
          .slice(0, 4)
          .map(({ textContent }) => Number(textContent)),
      ),
    )
}

/** The page of a token with bars of a minute at its price, as a table. */
async function charted(market: Market, mint: string) {
  const tab = await market.tab()
  const { page } = tab
  await page.goto(`${market.program.url}/token/${mint}`)
  await page.getByRole('button', { name: '1m', exact: true }).click()
  await page.getByRole('button', { name: 'Price', exact: true }).click()
  await page.getByText('Bars as a table').click()
  const option = page.getByRole('button', { name: 'Continuous', exact: true })
  const isOn = async () => (await option.getAttribute('aria-pressed')) === 'true'
  return { tab, page, option, isOn }
}

async function told(market: Market, mint: string, continuous: boolean): Promise<number[][]> {
  const client = new Mintfeed(market.program.url)
  const query = { mint, from: 0, to: 9_999_999_999, resolution: '1', continuous } as const
  const chart = await client.read.chart(query)
  client.close()
  if (!chart.ok) throw new Error(chart.problem.message)
  const { t, o, h, l, c } = chart.data
  expect(t.length).toBe(MINUTES)
  return t.map((_, at) => [o[at], h[at], l[at], c[at]])
}

async function comes(page: Page, bars: number[][]): Promise<void> {
  await until('the bars', async () =>
    JSON.stringify(await shownBars(page)) === JSON.stringify(bars) ? true : null,
  )
}

describePage(
  'candles that begin where the ones before them ended',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(
      program,
      [...trades(DENSE, 4), ...trades(SPARSE, 1)].toSorted((a, b) => a.timestamp - b.timestamp),
    )
    return program
  },
  (market) => {
    test('are there from the start where bars are of one trade, and are those of the API', async () => {
      const { tab, page, option, isOn } = await charted(market(), SPARSE)
      await comes(page, await told(market(), SPARSE, true))
      expect(await isOn()).toBe(true)
      await option.click()
      await comes(page, await told(market(), SPARSE, false))
      expect(await isOn()).toBe(false)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are an option where bars have many trades, which holds for the next chart too', async () => {
      const { tab, page, option, isOn } = await charted(market(), DENSE)
      await comes(page, await told(market(), DENSE, false))
      expect(await isOn()).toBe(false)
      await option.press('Enter')
      await comes(page, await told(market(), DENSE, true))
      // In bars of an hour, and in the chart of another token.
      await page.getByRole('button', { name: '1h', exact: true }).click()
      expect(await isOn()).toBe(true)
      await page.reload()
      await option.waitFor()
      expect(await isOn()).toBe(true)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
