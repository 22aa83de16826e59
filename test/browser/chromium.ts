import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { ROOT } from '../tidy/source-files.ts'

/** Where systems put it; the one without any window first, which needs half the processor's time. */
const USUAL_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where `make build` leaves the page. */
export const PAGE_FOLDER = join(ROOT, 'web/dist')

/** The system's Chromium: CHROMIUM, or where it usually is; null when there is none. */
function chromiumPath(): string | null {
  const named = process.env.CHROMIUM
  if (named !== undefined && named !== '') return named
  return USUAL_PATHS.find((path) => existsSync(path)) ?? null
}

/** Why browser tests cannot run here, or null. */
export function whyNoBrowser(): string | null {
  if (chromiumPath() === null) return 'Chromium was not found: install it, or name it in CHROMIUM.'
  return existsSync(join(PAGE_FOLDER, 'index.html'))
    ? null
    : 'The page is not built: `make build` does it.'
}

/** A browser without a window. Inside a container as root it has no sandbox to build. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath() ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
}

let shared: Browser | null = null

/** The browser of this process, whose test files share it: starting one takes longer than most of them. */
export async function sharedBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await openBrowser()
  return shared
}

/** Closes all that a file has left open in it; the browser itself ends with the process. */
export async function closeTabs(): Promise<void> {
  await Promise.all((shared?.contexts() ?? []).map((context) => context.close()))
}
