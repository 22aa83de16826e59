import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import type { Program } from '../process/program.ts'
import { closeTabs, sharedBrowser, whyNoBrowser } from './chromium.ts'
import { Tab, type TabOptions } from './tab.ts'

/** A program, and a browser that looks at its page. */
export class Market {
  readonly program: Program
  readonly #browser: Browser

  constructor(program: Program, browser: Browser) {
    this.program = program
    this.#browser = browser
  }

  tab(options: TabOptions = {}): Promise<Tab> {
    return Tab.open(this.#browser, this.program.url, options)
  }

  async end(): Promise<void> {
    await closeTabs()
    await this.program.end('SIGTERM')
  }
}

/**
 * Tests of the page of one program, which `begin` starts; skipped where there is no browser. They ask for
 * the market when they run: it is there from then on.
 */
export function describePage(
  what: string,
  begin: () => Promise<Program>,
  tests: (market: () => Market) => void,
): void {
  describe.skipIf(whyNoBrowser() !== null)(what, { timeout: 90_000, retry: 2 }, () => {
    let market: Market | null = null
    beforeAll(async () => {
      market = new Market(await begin(), await sharedBrowser())
    })
    // Also of a test that failed before it closed its own: a page that nobody looks at goes on drawing.
    afterEach(closeTabs)
    afterAll(() => market?.end())
    tests(() => {
      if (market === null) throw new Error('the market is there once a test runs')
      return market
    })
  })
}
