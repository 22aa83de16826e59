import type { Browser, Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { closeTabs, sharedBrowser, whyNoBrowser } from './chromium.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()

let browser: Browser
let program: Program

describe.skipIf(reason !== null)('the engine page', { timeout: 90_000, retry: 2 }, () => {
  beforeAll(async () => {
    program = await startProgram({ SIM_TOKENS: '200', SIM_RATE: '50', RATE_LIMIT: '40/60s' })
    browser = await sharedBrowser()
  })

  afterEach(closeTabs)
  afterAll(async () => {
    await closeTabs()
    await program?.end('SIGTERM')
  })

  test('shows the figures of the service and what its rate limit leaves to this browser', async () => {
    const tab = await Tab.open(browser, program.url)
    const { page } = tab
    await page.goto(`${program.url}/engine`)
    const limits = page.getByRole('region', { name: 'Rate limits' })
    const left = await limits.getByRole('cell', { name: /^\d+ of 40$/ }).textContent()
    expect(Number.parseInt(left ?? '', 10)).toBeLessThan(40)
    for (const name of ['Swaps a second', 'Live sockets', 'Journal position'])
      await page.getByRole('region', { name, exact: true }).waitFor()
    // Two readings make a line.
    await page.getByRole('region', { name: 'Swaps a second' }).locator('svg').waitFor()
    expect(tab.errors).toEqual([])
    await tab.close()
  })

  test('shows its figures in units that a person reads', async () => {
    const tab = await Tab.open(browser, program.url)
    const { page } = tab
    await page.goto(`${program.url}/engine`)
    const plot = (name: string) => page.getByRole('region', { name, exact: true }).locator('b')
    const all = page.getByRole('region', { name: 'All figures', exact: true })
    const figure = (name: string) =>
      all.locator('tr', { has: page.getByTitle(name, { exact: true }) }).locator('td')
    const texts: readonly (readonly [Locator, RegExp])[] = [
      [plot('Memory of the process'), /^\d[\d.]* (MB|GB)$/],
      [plot('Loop held longest'), /^\d[\d.]* (ms|s)$/],
      [plot('Newest launch to page'), /^\d[\d.]* (ms|s)$/],
      [plot('Journal not yet synced'), /^(\d[\d.K]* events?|no journal)$/],
      [figure('rss_bytes'), /^\d[\d.]* (MB|GB)$/],
      [figure('addresses_bytes'), /^\d[\d.]* (KB|MB|B)$/],
      [figure('loop_delay_max_ms'), /^\d[\d.]* (ms|s)$/],
      [figure('uptime_seconds'), /^\d+[\d.]*( ms| s|m|h)$/],
      [figure('newest_event_seconds'), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/],
      [figure('sol_price_usd'), /^\$\d/],
      [figure('swaps'), /^\d{1,3}(,\d{3})*$/],
    ]
    for (const [place, form] of texts) await expect.poll(() => place.textContent()).toMatch(form)
    const raw = await all.locator('tbody th').allInnerTexts()
    expect(raw.filter((name) => /\b(bytes|ms)\b|_| total$/.test(name))).toEqual([])
    expect(new Set(raw).size).toBe(raw.length)
    const routes = page.getByRole('region', { name: 'Requests', exact: true }).locator('tbody td')
    expect((await routes.allInnerTexts()).filter((text) => text.includes('_'))).toEqual([])
    expect(tab.errors).toEqual([])
    await tab.close()
  })

  test('shows no position in the foot: what its figures count is another number than that of the API', async () => {
    const tab = await Tab.open(browser, program.url)
    const { page } = tab
    const position = page.locator('.foot [data-cell="seq"]')
    await page.goto(program.url)
    await position.waitFor()
    await page.getByRole('link', { name: 'Engine', exact: true }).click()
    await page.getByRole('region', { name: 'Swaps a second' }).locator('svg').waitFor()
    expect(await position.allTextContents()).toEqual([])
    expect(tab.errors).toEqual([])
    await tab.close()
  })

  test('does not go on saying Ready of a service that does not answer any more', async () => {
    const short = await startProgram({ FEED: 'none' })
    const tab = await Tab.open(browser, short.url)
    const { page } = tab
    await page.goto(`${short.url}/engine`)
    const status = page.locator('.page-head .status')
    await status.getByText('Ready', { exact: true }).waitFor()
    expect(await page.title()).toBe('Engine · mintfeed')
    await short.end('SIGKILL')
    await status.getByText('Out of reach', { exact: true }).waitFor()
    await tab.close()
  })
})
