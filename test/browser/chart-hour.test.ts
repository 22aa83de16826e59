import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../src/server/routes/dashboard-routes.ts'
import { wholeChart } from '../model/random-queries.ts'
import { until } from '../process/program.ts'
import { EngineServer } from '../server/engine-server.ts'
import { drawChart } from './chart-page.ts'
import { closeTabs, PAGE_FOLDER, sharedBrowser, whyNoBrowser } from './chromium.ts'
import { HurriedMarket, WATCHED } from './market-clock.ts'
import { Tab } from './tab.ts'

const reason = whyNoBrowser()
/** An hour is MARKET_SECONDS=3600. */
const MARKET_SECONDS = Number(process.env.MARKET_SECONDS ?? 300)
const SPEED = 36
const SEED = Number(process.env.SEED ?? 20_261_121)
const RESOLUTIONS = ['1S', '5S', '1'] as const
const SNAPSHOT_BARS = 5_000
const SLACK_MS = 90_000

let browser: Browser
let service: EngineServer

/** `[time, open, high, low, close]` as the API has them, of the newest so many. */
function barsOfApi(resolution: (typeof RESOLUTIONS)[number], count: number): unknown {
  const query = wholeChart(WATCHED, service.engine.state.now + 100, resolution)
  const { t, o, h, l, c }: { readonly [K in 't' | 'o' | 'h' | 'l' | 'c']: number[] } = JSON.parse(
    service.wired.answers.chart(query),
  )
  return t.map((time, i) => [time, o[i], h[i], l[i], c[i]]).slice(-count)
}

describe.skipIf(reason !== null)(`${MARKET_SECONDS} s of a market in charts`, () => {
  beforeAll(async () => {
    service = await EngineServer.start('e1', undefined, { dashboard: readDashboard(PAGE_FOLDER) })
    browser = await sharedBrowser()
  })

  afterAll(async () => {
    await closeTabs()
    await service?.server.stop()
  })

  test(
    `the chart library takes history and live bars of every width, late ones too (SEED=${SEED})`,
    async () => {
      const startSeconds = Math.floor(Date.now() / 1000) - MARKET_SECONDS
      const market = new HurriedMarket(service, SEED, startSeconds)
      await market.run(MARKET_SECONDS / 10, SPEED)
      const { url } = service.server
      const tabs = []
      for (const resolution of RESOLUTIONS) {
        const tab = await Tab.open(browser, url)
        await drawChart(tab.page, { url, mint: WATCHED, resolution })
        tabs.push({ resolution, tab })
      }
      const dashboard = await Tab.open(browser, url)
      await dashboard.page.goto(`${url}/token/${WATCHED}`)
      await dashboard.page.getByRole('button', { name: '1s', exact: true }).click()
      await dashboard.page.locator('.canvas canvas').first().waitFor()
      await market.run((MARKET_SECONDS * 9) / 10, SPEED)

      let older = 0
      for (const { resolution, tab } of tabs) {
        const bars = () => tab.page.evaluate(() => window.charted.bars())
        const errors = await tab.page.evaluate(() => window.charted.errors)
        expect([...errors, ...tab.errors]).toEqual([])
        await until(`the last bar of ${resolution}`, async () => {
          const held = await bars()
          return JSON.stringify(held) === JSON.stringify(barsOfApi(resolution, held.length))
            ? true
            : null
        })
        const counts = await tab.page.evaluate(() => window.charted.counts)
        console.log(`${resolution}: ${(await bars()).length} bars, ${JSON.stringify(counts)}`)
        expect(await tab.page.evaluate(() => window.charted.errors)).toEqual([])
        expect(counts.gaps).toBe(0)
        expect(counts.updates).toBeGreaterThan(MARKET_SECONDS / SPEED)
        expect((await bars()).length).toBeLessThanOrEqual(SNAPSHOT_BARS)
        older += counts.older
      }
      expect(market.late).toBeGreaterThan(0)
      expect(older).toBeGreaterThan(0)
      expect(dashboard.errors).toEqual([])
    },
    SLACK_MS + (MARKET_SECONDS / SPEED) * 3_000,
  )
})
