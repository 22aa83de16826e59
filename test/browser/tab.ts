import type { Browser, BrowserContext, Page } from 'playwright-core'

/** How long the page gets for anything, in ms, on a machine that may be busy. */
const WITHIN_MS = 15_000

export interface TabOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'dark' | 'light'
  /** A screen for fingers. */
  readonly hasTouch?: boolean
}

/** A tab of its own, which remembers every error the page made. */
export class Tab {
  readonly page: Page
  readonly #context: BrowserContext
  /** Console errors, exceptions and requests that left the service, in order. */
  readonly errors: string[] = []

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context
    this.page = page
    page.setDefaultTimeout(WITHIN_MS)
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text())
    })
    page.on('pageerror', (error) => this.errors.push(error.message))
    page.on('request', (request) => {
      const { protocol, origin: asked } = new URL(request.url())
      if (protocol.startsWith('http') && asked !== origin) this.errors.push(`asked ${asked}`)
    })
  }

  static async open(browser: Browser, origin: string, options: TabOptions = {}): Promise<Tab> {
    const { width = 1440, height = 900, theme = 'dark', hasTouch = false } = options
    // Still rows: a machine that renders without a graphics card is quicker so.
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      hasTouch,
      reducedMotion: 'reduce',
    })
    return new Tab(context, await context.newPage(), origin)
  }

  close(): Promise<void> {
    return this.#context.close()
  }
}

/** What one row of the board shows, cell by cell. */
export interface ShownRow {
  readonly mint: string
  readonly cells: Readonly<Record<string, string>>
}

/** What a column shows, and the position it says to stand at. */
export function shownColumn(page: Page, group: string): Promise<{ seq: string; rows: ShownRow[] }> {
  return page.locator(`.column[data-group="${group}"]`).evaluate((column) => ({
    seq: column.getAttribute('data-seq') ?? '',
    rows: [...column.querySelectorAll('.row:not(.gone)')].map((row) => ({
      mint: row.getAttribute('data-mint') ?? '',
      cells: Object.fromEntries(
        [...row.querySelectorAll('[data-cell]')].map((cell) => [
          cell.getAttribute('data-cell') ?? '',
          cell.textContent ?? '',
        ]),
      ),
    })),
  }))
}

/** Waits until the column has so many rows. */
export async function rowsCame(page: Page, group: string, count: number): Promise<void> {
  await page
    .locator(`.column[data-group="${group}"] .row`)
    .nth(count - 1)
    .waitFor({ state: 'attached' })
}
