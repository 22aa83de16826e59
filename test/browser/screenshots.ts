/**
 * Writes the pictures of the README: `npm run screenshots -- [url of a running service]`. Without a
 * url it starts a simulated market of its own.
 */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { type Program, startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'

const FOLDER = join(ROOT, 'docs/images')
/** The market trades this long before the pictures are taken, in ms. */
const SETTLE_MS = 6_000
/** A plot needs some readings to be one, in ms. */
const PLOTS_MS = 40_000

interface Picture {
  readonly name: string
  readonly path: string
  readonly width: number
  readonly height: number
  readonly theme: 'dark' | 'light'
  readonly settleMs?: number
}

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, path, width, height, theme, settleMs = SETTLE_MS } = picture
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // No row is caught on its way.
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${name}: ${message.text()}`)
  })
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`))
  await page.goto(url + path)
  await page.waitForTimeout(settleMs)
  await page.screenshot({ path: join(FOLDER, `${name}.png`) })
  await context.close()
  console.log(`docs/images/${name}.png`)
}

interface Records {
  readonly total: number
  readonly items: readonly { readonly wallet: string }[]
}

/** The completing token with the most trades, and of those who traded it the wallet with most tokens. */
async function busiest(url: string): Promise<{ mint: string; wallet: string }> {
  const tables = await fetch(`${url}/api/v2/meme`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"completing","limit":200}',
  })
  const rows: { completing: { mint: string; tx_24h: number }[] } = JSON.parse(await tables.text())
  const [{ mint }] = rows.completing.sort((a, b) => b.tx_24h - a.tx_24h)
  const records = async (path: string): Promise<Records> =>
    JSON.parse(await (await fetch(`${url}/api/v2/search/traders/${path}`)).text())
  const traders = await records(`tokens/${mint}?limit=60&order_by=last_active_ts`)
  const counted = await Promise.all(
    traders.items.map(async ({ wallet }) => ({
      wallet,
      total: (await records(`${wallet}/tokens?limit=1`)).total,
    })),
  )
  const [{ wallet }] = counted.sort((a, b) => b.total - a.total)
  return { mint, wallet }
}

/** With a journal and a rate limit, so that the engine page has all its figures. */
function startMarket(): Promise<Program> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'mintfeed-pictures-'))
  return startProgram({ DATA_DIR, SNAPSHOT_EVERY: '10s', RATE_LIMIT: '600/60s' })
}

async function run(): Promise<void> {
  const reason = whyNoBrowser()
  if (reason !== null) return console.log(reason)
  mkdirSync(FOLDER, { recursive: true })
  const given = process.argv[2]
  const program = given === undefined ? await startMarket() : null
  const url = given ?? program?.url ?? ''
  const browser = await openBrowser()
  const { mint, wallet } = await busiest(url)
  const wide = { width: 1440, height: 900 }
  const phone = { width: 390, height: 844 }
  const pictures: readonly Picture[] = [
    { name: 'board-dark', path: '/', ...wide, theme: 'dark' },
    { name: 'board-light', path: '/', ...wide, theme: 'light' },
    { name: 'token-dark', path: `/token/${mint}`, ...wide, theme: 'dark' },
    { name: 'token-light', path: `/token/${mint}`, ...wide, theme: 'light' },
    { name: 'wallet', path: `/wallet/${wallet}`, ...wide, theme: 'dark' },
    { name: 'engine', path: '/engine', ...wide, theme: 'dark', settleMs: PLOTS_MS },
    { name: 'phone', path: '/', ...phone, theme: 'dark' },
    { name: 'phone-token', path: `/token/${mint}`, ...phone, theme: 'light' },
  ]
  for (const picture of pictures) await take(browser, url, picture)
  await browser.close()
  await program?.end('SIGTERM')
}

await run()
