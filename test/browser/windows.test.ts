import { expect, test } from 'vitest'
import { Mintfeed, type TradeWindow, WINDOWS, type Window } from '../../client/src/mintfeed.ts'
import { compact, money, signedPercent } from '../../web/src/text/number-form.ts'
import { startProgram, until } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame, shownColumn, type Tab } from './tab.ts'

const MINTS = [1, 2, 3].map(addressOf)
const CREATION_SECONDS_AGO = 4_000

/** A trade of a token so many seconds ago; later tokens are bought for more. */
const trade = (token: number, secondsAgo: number) =>
  purchase({
    mint: MINTS[token],
    signature: `WindowTrade${token}.${secondsAgo}`,
    slot: 10_000 - secondsAgo,
    timestamp: Math.floor(Date.now() / 1000) - secondsAgo,
    pool: `WindowCurve${token}`,
    signer: `WindowWallet${secondsAgo}`,
    quoteRaw: 100_000_000n * BigInt(token + 1),
    virtualQuoteRaw: 40_000_000_000n - BigInt(secondsAgo) * 1_000_000n,
  })

/** What the cells of a window have to show. */
const cellsOf = (window: TradeWindow | undefined) => ({
  change: signedPercent(window?.price_change_pct ?? Number.NaN),
  volume: money(window?.volume_usd ?? Number.NaN),
  buys: compact(window?.buys ?? Number.NaN),
  sells: compact(window?.sells ?? Number.NaN),
  traders: compact(window?.traders ?? Number.NaN),
})

describePage(
  'the windows of tokens on the page',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const timestamp = Math.floor(Date.now() / 1000) - CREATION_SECONDS_AGO
    feed(program, [
      ...MINTS.map((mint, at) =>
        launch({
          mint,
          signature: `WindowCreation${at}`,
          timestamp,
          name: `window ${at}`,
          symbol: `WIN${at}`,
          creator: 'WindowCreator',
          bondingCurve: `WindowCurve${at}`,
        }),
      ),
      // An hour ago the first token was traded most, now the last one is.
      ...[3_000, 2_900, 2_800, 2_700].map((ago) => trade(0, ago)),
      ...[2, 1, 0].map((token) => trade(token, 20)),
      trade(2, 10),
    ])
    return program
  },
  (market) => {
    const client = () => new Mintfeed(market().program.url).read
    const opened = async (path: string, width = 1440): Promise<Tab> => {
      const tab = await market().tab({ width })
      await tab.page.goto(market().program.url + path)
      return tab
    }
    const shownMints = async ({ page }: Tab) =>
      (await shownColumn(page, 'new')).rows.map(({ mint }) => mint)

    test('stand in the rows of the board as the API has them, by the window that is chosen', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', MINTS.length)
      for (const window of ['5m', '1h'] as const satisfies readonly Window[]) {
        await page.getByRole('button', { name: window, exact: true }).click()
        expect(new URL(page.url()).search).toBe(`?window=${window}`)
        const answer = await client().tables({ type: 'new', extra: true })
        const rows = answer.ok ? (answer.data.new ?? []) : []
        const { rows: shown } = await shownColumn(page, 'new')
        expect(shown).toHaveLength(MINTS.length)
        for (const { mint, cells } of shown) {
          const row = rows.find((each) => each.mint === mint)
          expect(cells).toMatchObject(cellsOf(row?.windows?.[window]))
        }
      }
      // The hour has trades that five minutes have not: the test would see one in place of the other.
      const { rows: hour } = await shownColumn(page, 'new')
      expect(hour.find(({ mint }) => mint === MINTS[0])?.cells.buys).toBe('5')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('order a column over the whole market, and another window takes the order along', async () => {
      const tab = await opened('/?window=1h')
      const { page } = tab
      await rowsCame(page, 'new', MINTS.length)
      await page.getByLabel('Order of New').selectOption('1h.txs')
      await until('most trades of the hour first', async () =>
        (await shownMints(tab))[0] === MINTS[0] ? true : null,
      )
      await page.getByRole('button', { name: '1m', exact: true }).click()
      const asked = new URL(page.url()).searchParams
      expect([asked.get('window'), asked.get('new.sort')]).toEqual(['1m', '1m.txs'])
      await page.getByRole('button', { name: '5m', exact: true }).click()
      await until('most trades of five minutes first', async () =>
        (await shownMints(tab))[0] === MINTS[2] ? true : null,
      )
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are fields of the filters, one window at a time, and stand in the address', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', MINTS.length)
      const column = page.locator('.column[data-group="new"]')
      await column.getByRole('button', { name: 'Filter' }).click()
      const panel = column.locator('form')
      await panel.getByRole('button', { name: '1h', exact: true }).click()
      await panel.getByLabel('Trades 1h, at least').fill('3')
      await page.keyboard.press('Enter')
      await until('one token', async () =>
        (await shownMints(tab)).join() === MINTS[0] ? true : null,
      )
      expect(new URL(page.url()).searchParams.get('new.1h.txs')).toBe('3..')
      await panel.getByRole('button', { name: '5m', exact: true }).click()
      await panel.getByLabel('Volume 5m, at most').fill('1k')
      await page.keyboard.press('Enter')
      await column.locator('.badge').getByText('2').waitFor()
      await page.reload()
      await rowsCame(page, 'new', 1)
      expect(await shownMints(tab)).toEqual([MINTS[0]])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([1440, 390])(
      'stand on the page of a token, on a screen of %i pixels',
      async (width) => {
        const tab = await opened(`/token/${MINTS[0]}`, width)
        const { page } = tab
        await page.locator('.windows [data-window="24h"]').waitFor()
        const answer = await client().token(MINTS[0])
        const windows = answer.ok ? answer.data.windows : null
        for (const window of WINDOWS) {
          const cells = await page
            .locator(`.windows [data-window="${window}"] [data-cell]`)
            .evaluateAll((all) =>
              Object.fromEntries(
                all.map((cell) => [cell.getAttribute('data-cell') ?? '', cell.textContent ?? '']),
              ),
            )
          expect(cells).toEqual(cellsOf(windows?.[window]))
        }
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        expect(isWide).toBe(false)
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
