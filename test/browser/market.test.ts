import { mkdtempSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { GROUPS, Mintfeed, type Tables } from '../../client/src/mintfeed.ts'
import { ROWS, tableQuery } from '../../web/src/filters/board-view.ts'
import { freePort } from '../process/free-port.ts'
import { type Program, startProgram, until } from '../process/program.ts'
import { closeTabs, sharedBrowser, whyNoBrowser } from './chromium.ts'
import { expectedCells } from './expected-cells.ts'
import { rowsCame, shownColumn, Tab } from './tab.ts'

const reason = whyNoBrowser()
if (reason !== null) console.log(`Browser tests are skipped. ${reason}`)

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Rules that describe taste rather than a barrier are left out by axe's own ranking. */
const GRAVE = ['serious', 'critical']

let browser: Browser
let program: Program
let settings: Record<string, string>
let client: Mintfeed

async function opened(path: string, theme: 'dark' | 'light' = 'dark'): Promise<Tab> {
  const tab = await Tab.open(browser, program.url, { theme })
  await tab.page.goto(program.url + path)
  return tab
}

async function tables(filter: Parameters<Mintfeed['read']['tables']>[0]) {
  const answer = await client.read.tables(filter)
  if (!answer.ok) throw new Error(answer.problem.message)
  return answer
}

/** The newest launches are of now: while the simulator tells of its first day, all rows are others at once. */
async function dayIsOver(): Promise<true | null> {
  const { data } = await tables({ type: 'new', limit: 1 })
  const newest = Date.parse(`${data.new?.at(0)?.timestamp.replace(' ', 'T')}Z`)
  return Date.now() - newest < 60_000 ? true : null
}

/** Rows of a column that fit into the window, at least. */
const SEEN_ROWS = 6
/** Well-formed; nobody knows it. */
const STRANGER = 'NobodyKnowsThisMint11111111111111111111pump'

/** Some seconds on a quiet machine; one that is busy gets far more. */
describe.skipIf(reason !== null)(
  'the page in a real browser',
  { timeout: 90_000, retry: 2 },
  () => {
    beforeAll(async () => {
      const DATA_DIR = mkdtempSync(join(tmpdir(), 'mintfeed-browser-'))
      const PORT = String(await freePort())
      settings = { DATA_DIR, PORT, RATE_LIMIT: 'off' }
      program = await startProgram({ ...settings, SIM_TOKENS: '2000', SIM_RATE: '200' })
      client = new Mintfeed(program.url)
      await until('the simulated day to be over', dayIsOver)
      browser = await sharedBrowser()
    })

    afterEach(closeTabs)
    afterAll(async () => {
      client?.close()
      await closeTabs()
      await program?.end('SIGTERM')
    })

    test('the board fills and moves', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 8)
      await rowsCame(page, 'completing', 2)
      const onTop = async () => (await shownColumn(page, 'new')).rows.at(0)?.mint
      const first = await onTop()
      await until('another token on top', async () => ((await onTop()) === first ? null : true))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a column that is pointed at holds its order until the pointer leaves', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 8)
      const rows = page.locator('.column[data-group="new"] .rows')
      const heading = page.locator('.column[data-group="new"] .held')
      // Those that left meanwhile, which are faded, as well: one that comes back has its place again.
      const mints = () =>
        rows.locator('.row').evaluateAll((all) => all.map((row) => row.getAttribute('data-mint')))
      await rows.hover()
      await heading.getByText(/paused · \d+ new/).waitFor()
      const held = await mints()
      const told = await heading.textContent()
      await until('more new ones', async () =>
        (await heading.textContent()) === told ? null : true,
      )
      expect(held.length).toBeGreaterThan(SEEN_ROWS)
      expect(await mints()).toEqual(held)
      await page.mouse.move(5, 5)
      await until('the new ones', async () => ((await mints())[0] === held[0] ? null : true))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a column that is pointed at before its rows come fills, and holds those', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      const open = Promise.withResolvers<void>()
      await page.routeWebSocket(/\/ws/, (socket) => {
        const server = socket.connectToServer()
        server.onMessage((message) => void open.promise.then(() => socket.send(message)))
      })
      await page.goto(program.url)
      const column = page.locator('.column[data-group="new"]')
      await column.getByText('The first rows are on their way.').waitFor()
      await column.locator('.rows').hover()
      open.resolve()
      await rowsCame(page, 'new', 8)
      await column.getByText(/paused/).waitFor()
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a row that has the focus keeps it while others come', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 8)
      const column = page.locator('.column[data-group="new"]')
      const focused = () =>
        page.evaluate(() => document.activeElement?.closest('.row')?.getAttribute('data-mint'))
      await column.locator('.column-head button[aria-expanded]').focus()
      await page.keyboard.press('Tab')
      const mint = await focused()
      expect(mint).toBeTruthy()
      await column.getByText(/paused · [1-9]\d* new/).waitFor()
      expect(await focused()).toBe(mint)
      await page.keyboard.press('Shift+Tab')
      await column.getByText(/paused/).waitFor({ state: 'detached' })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('the keyboard searches, moves, opens and explains', async () => {
      const tab = await opened('/')
      const { page } = tab
      for (const group of GROUPS) await rowsCame(page, group, 1)
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.keyboard.press('l')
      await page.keyboard.press('l')
      const current = page.locator('.row[aria-current="true"]')
      const mint = await current.getAttribute('data-mint')
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/token/${mint}`)
      await page.locator('.token-head').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type(mint ?? '')
      await page.locator('.found a').first().waitFor()
      expect(await page.locator('.found a').count()).toBe(1)
      await page.keyboard.press('Escape')
      await page.keyboard.press('b')
      await rowsCame(page, 'new', 1)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('the keys do not stay open over the page that Back leads to', async () => {
      const tab = await opened('/')
      const { page } = tab
      await page.getByRole('link', { name: 'Engine' }).click()
      await page.waitForURL('**/engine')
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      await page.goBack()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await rowsCame(page, 'new', 1)
      await page.keyboard.press('e')
      await page.waitForURL('**/engine')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a key to a column that is not there leaves the row where it is', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', SEEN_ROWS)
      const current = page.locator('.row[aria-current="true"]')
      await page.keyboard.press('j')
      const first = await current.getAttribute('data-mint')
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      const mint = await current.getAttribute('data-mint')
      expect(mint).not.toBe(first)
      await page.keyboard.press('h')
      expect(await current.getAttribute('data-mint')).toBe(mint)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('Enter in the search opens what was typed, also before the answer came', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'completing', 2)
      const { rows } = await shownColumn(page, 'completing')
      await page.keyboard.press('/')
      await page.keyboard.insertText(rows[1].mint)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/token/${rows[1].mint}`)
      await page.locator('.token-head').waitFor()
      // What was found for the text before is not what is meant.
      await page.keyboard.press('/')
      await page.keyboard.insertText(rows[1].mint)
      await page.locator('.found a').first().waitFor()
      await page.locator('.search input').fill(rows[0].mint)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/token/${rows[0].mint}`)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('Enter whose answer was not waited for opens nothing later', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'completing', 1)
      const { rows } = await shownColumn(page, 'completing')
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/api/v2/search/tokens/detailed**', async (route) => {
        await released
        await route.continue()
      })
      await page.keyboard.press('/')
      await page.keyboard.insertText(rows[0].mint)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      release()
      await page.keyboard.press('/')
      await page.keyboard.insertText(rows[0].mint)
      await page.locator('.found a').first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('what was found goes when the focus leaves the search, and comes back with it', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 2)
      const field = page.locator('.search input')
      const list = page.locator('.found')
      await field.fill('cat')
      await list.locator('a').first().waitFor()
      await page.locator('.board-bar').click()
      await list.waitFor({ state: 'detached' })
      await field.focus()
      await list.locator('a').first().click()
      await page.waitForURL('**/token/*')
      await field.fill('nothing is called so')
      await page.getByText('No token is called so.').waitFor()
      await page.evaluate(AXE)
      expect(await page.evaluate('axe.run(".search").then((all) => all.violations)')).toEqual([])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('Enter on the board presses the link or button that has the focus', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 2)
      const filter = page.locator('.column[data-group="new"] .column-head button[aria-expanded]')
      await filter.press('Enter')
      expect(await filter.getAttribute('aria-expanded')).toBe('true')
      await filter.press('Enter')
      expect(await filter.getAttribute('aria-expanded')).toBe('false')
      // From here on keys mean rows again, not the button that still had the focus.
      await page.keyboard.press('j')
      const walked = page.locator('.row[aria-current="true"]')
      const mint = await walked.getAttribute('data-mint')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/token/${mint}`)
      await page.keyboard.press('b')
      await page.locator('.nav a[href="/engine"]').press('Enter')
      await page.waitForURL('**/engine')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a browser that keeps nothing for the page shows it all the same', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      await page.addInitScript(() =>
        Object.defineProperty(window, 'localStorage', {
          get() {
            throw new DOMException('Access is denied for this document.', 'SecurityError')
          },
        }),
      )
      await page.goto(program.url)
      await rowsCame(page, 'new', 2)
      await page.keyboard.press('t')
      await page.locator('html[data-theme="light"]').waitFor({ state: 'attached' })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a live feed that never comes is told, and shown as soon as it does', async () => {
      const tab = await Tab.open(browser, program.url)
      const { page } = tab
      let isLetThrough = false
      await page.routeWebSocket(/\/ws/, (socket) => {
        if (isLetThrough) socket.connectToServer()
        else void socket.close({ code: 1011, reason: 'not through here' })
      })
      await page.goto(program.url)
      await page.getByText('The live feed of the service is out of reach').waitFor()
      isLetThrough = true
      await rowsCame(page, 'new', 2)
      await page.locator('.status[data-state="live"]').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a restart of the service heals without a reload', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 5)
      const navigations = await page.evaluate(() => performance.timeOrigin)
      expect(await program.end('SIGTERM')).toBe(0)
      await page.getByText('The service is out of reach').waitFor()
      expect((await shownColumn(page, 'new')).rows.length).toBeGreaterThan(4)
      // The same market from its journal, without a feed: it stands still from here on.
      program = await startProgram({ ...settings, FEED: 'none' })
      await page.locator('.status[data-state="live"]').waitFor()
      const { position } = await tables({})
      await until('the position after the restart', async () =>
        (await shownColumn(page, 'new')).seq === String(position) ? true : null,
      )
      expect(await page.evaluate(() => performance.timeOrigin)).toBe(navigations)
      const others = tab.errors.filter((text) => !/ERR_CONNECTION_REFUSED|503/.test(text))
      expect(others).toEqual([])
      await tab.close()
    })

    test('200 cells show what the API says at the same position', async () => {
      const tab = await opened('/')
      const { page } = tab
      let cells = 0
      for (const group of GROUPS) {
        const answer = await tables(tableQuery(group, { filters: {}, sort: 'default' }))
        const rows = answer.data[group] ?? []
        await rowsCame(page, group, Math.max(1, Math.min(rows.length, SEEN_ROWS)))
        const shown = await shownColumn(page, group)
        expect(shown.seq).toBe(String(answer.position))
        for (const { mint, cells: texts } of shown.rows) {
          const row = rows.find((each) => each.mint === mint)
          if (row === undefined) throw new Error(`${mint} is not in the API's table`)
          expect(texts).toEqual(expectedCells(row))
          cells += Object.keys(texts).length
        }
      }
      expect(cells).toBeGreaterThanOrEqual(200)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('filters narrow a column to what the API says, and stand in the address', async () => {
      const tab = await opened('/')
      const { page } = tab
      await rowsCame(page, 'new', 5)
      const column = page.locator('.column[data-group="new"]')
      await column.getByRole('button', { name: 'Filter' }).click()
      await column.getByLabel('Holders, at least').fill('3')
      await column.getByLabel('Market cap, at most').fill('20k')
      await column.getByLabel('Market cap, at most').press('Tab')
      await column.getByLabel('X', { exact: true }).check()
      await column.getByRole('button', { name: 'Done' }).click()
      const filters = { holders: { min: 3 }, mCapUsd: { max: 20_000 }, socials: { twitter: true } }
      const answer = await tables({ type: 'new', limit: ROWS, newPools: filters })
      const wanted = mintsOf(answer.data)
      expect(wanted.length).toBeGreaterThan(0)
      await until('the filtered rows', async () => {
        const { rows } = await shownColumn(page, 'new')
        const shown = rows.map(({ mint }) => mint)
        return shown.join() === wanted.slice(0, shown.length).join() &&
          (await column.locator('.count').textContent()) === String(wanted.length)
          ? true
          : null
      })
      expect(decodeURIComponent(page.url())).toContain(
        '?new.mCapUsd=..20000&new.holders=3..&new.socials=twitter',
      )
      await page.reload()
      await rowsCame(page, 'new', 1)
      expect(await column.locator('.count').textContent()).toBe(String(wanted.length))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a view is kept under a name of its own, by the keyboard alone', async () => {
      const tab = await opened('/?new.sort=cap')
      const { page } = tab
      await rowsCame(page, 'new', 1)
      const list = page.getByLabel('Preset', { exact: true })
      const focused = page.locator('input[aria-label="Name of the preset"]:focus')
      await page.locator('.presets').getByRole('button', { name: 'Save' }).press('Enter')
      await focused.waitFor()
      await page.keyboard.press('Escape')
      await focused.waitFor({ state: 'detached' })
      expect(await list.evaluate((select) => select === document.activeElement)).toBe(true)
      await page.locator('.presets').getByRole('button', { name: 'Save' }).press('Enter')
      await focused.waitFor()
      const field = page.getByLabel('Name of the preset')
      await page.keyboard.type('Clean')
      await page.keyboard.press('Enter')
      // Its own view could never be chosen beside the one that is there.
      expect(await field.evaluate((input: HTMLInputElement) => input.validity.valid)).toBe(false)
      await field.fill('By cap')
      await page.keyboard.press('Enter')
      await field.waitFor({ state: 'detached' })
      expect(await list.inputValue()).toBe('By cap')
      expect(await list.evaluate((select) => select === document.activeElement)).toBe(true)
      await list.selectOption('All')
      await page.waitForURL((url) => url.search === '')
      await list.selectOption('By cap')
      await page.waitForURL('**/?new.sort=cap')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('views that are kept in two tabs are in both', async () => {
      const tab = await opened('/?new.holders=3..')
      const { page } = tab
      const other = await page.context().newPage()
      await other.goto(`${program.url}/?new.holders=4..`)
      for (const [each, name] of [[page, 'Three'] as const, [other, 'Four'] as const]) {
        await each.locator('.presets').getByRole('button', { name: 'Save' }).click()
        await each.getByLabel('Name of the preset').fill(name)
        await each.keyboard.press('Enter')
        for (const looked of [page, other])
          await looked.locator('.presets option', { hasText: name }).waitFor({ state: 'attached' })
      }
      await page.reload()
      const names = await page.locator('.presets option').allTextContents()
      expect(names.slice(-2)).toEqual(['Three', 'Four'])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a bound that cannot be read or cannot hold is said, and the filter stays', async () => {
      const tab = await opened('/?new.mCapUsd=1000..')
      const { page } = tab
      await rowsCame(page, 'new', 1)
      const column = page.locator('.column[data-group="new"]')
      await column.getByRole('button', { name: 'Filter' }).click()
      const least = column.getByLabel('Market cap, at least')
      const most = column.getByLabel('Market cap, at most')
      await most.fill('900')
      await most.press('Tab')
      await column.getByText('The least is above the most.').waitFor()
      expect(await most.getAttribute('aria-invalid')).toBe('true')
      expect(await least.inputValue()).toBe('1000')
      await most.fill('a lot')
      await most.press('Tab')
      await column.getByText('Not a number').waitFor()
      expect(page.url()).toContain('?new.mCapUsd=1000..')
      await most.fill('$250,000')
      await most.press('Tab')
      await page.waitForURL('**/?new.mCapUsd=1000..250000')
      expect(await most.inputValue()).toBe('250000')
      expect(await column.getByRole('alert').count()).toBe(0)
      await most.fill('a lot')
      await most.press('Tab')
      await column.getByRole('button', { name: 'Clear' }).click()
      await page.waitForURL((url) => url.search === '')
      expect([await least.inputValue(), await most.inputValue()]).toEqual(['', ''])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('the chart has the bars of the API, in both units', async () => {
      const { data } = await tables({ type: 'completing', limit: ROWS })
      const busiest = data.completing?.toSorted((a, b) => b.tx_24h - a.tx_24h)[0]
      const mint = busiest?.mint ?? ''
      const tab = await opened(`/token/${mint}`)
      const { page } = tab
      await page.getByRole('button', { name: '5m', exact: true }).click()
      await page.getByRole('button', { name: 'Price', exact: true }).click()
      const continuous = page.getByRole('button', { name: 'Continuous', exact: true })
      // Chosen once it is no more a matter of the bars.
      await continuous.click()
      if ((await continuous.getAttribute('aria-pressed')) === 'true') await continuous.click()
      await page.getByText('Bars as a table').click()
      const chart = await client.read.chart({ mint, from: 0, to: 9_999_999_999, resolution: '5' })
      if (!chart.ok) throw new Error(chart.problem.message)
      const { t, o, h, l, c, v, o_sol, h_sol, l_sol, c_sol, v_sol } = chart.data
      const rowsOf = (series: readonly (readonly number[])[]) =>
        t.map((time, at) => [String(time), ...series.map((each) => String(each[at]))]).slice(-40)
      await until('the bars in USD', async () =>
        same(await shownBars(tab), rowsOf([o, h, l, c, v])),
      )
      await page.getByRole('button', { name: 'SOL', exact: true }).click()
      await until('the bars in SOL', async () =>
        same(await shownBars(tab), rowsOf([o_sol, h_sol, l_sol, c_sol, v_sol])),
      )
      expect(await page.locator('.canvas canvas').count()).toBeGreaterThan(0)
      // Its axis says no zone, and traders have their own.
      expect(await page.locator('.chart-foot').textContent()).toContain('times in UTC')
      expect(t.length).toBeGreaterThan(0)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each(['dark', 'light'] as const)(
      'axe finds nothing grave in the %s theme',
      async (theme) => {
        const { data } = await tables({ type: 'completing', limit: 1 })
        const mint = data.completing?.[0]?.mint ?? ''
        const traders = await client.read.tokenTraders(mint, { limit: 1 })
        const wallet = traders.ok ? traders.data.items[0].wallet : ''
        const tab = await opened('/', theme)
        const known = [
          '/',
          `/token/${mint}`,
          `/wallet/${wallet}`,
          '/engine',
          '/trending?window=24h',
        ]
        for (const path of [...known, `/token/${STRANGER}`, '/token/notamint']) {
          await tab.page.goto(program.url + path)
          const unknown = tab.page
            .getByText('Nobody knows this mint yet')
            .or(tab.page.getByText('The service refuses this address'))
          await tab.page.locator('.row, .token-head, .page-head').or(unknown).first().waitFor()
          expect(await tab.page.locator('h1').count()).toBe(1)
          const bars = tab.page.getByText('Bars as a table')
          if (await bars.isVisible()) await bars.click()
          await tab.page.evaluate(AXE)
          const found = await tab.page.evaluate<
            { id: string; impact: string; nodes: { html: string }[] }[]
          >('axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)')
          const grave = found.filter(({ impact }) => GRAVE.includes(impact))
          expect(grave.map(({ id, nodes }) => `${path} ${id}: ${nodes[0].html}`)).toEqual([])
        }
        expect(tab.errors.filter((text) => !/40[04]/.test(text))).toEqual([])
        await tab.close()
      },
    )
  },
)

function mintsOf(data: Tables): readonly string[] {
  return (data.new ?? []).map(({ mint }) => mint)
}

function shownBars({ page }: Tab): Promise<string[][]> {
  return page
    .locator('.bar-table tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [
        row.getAttribute('data-time') ?? '',
        ...[...row.querySelectorAll('.number')].map((cell) => cell.textContent ?? ''),
      ]),
    )
}

function same(a: string[][], b: string[][]): true | null {
  return JSON.stringify(a) === JSON.stringify(b) ? true : null
}
