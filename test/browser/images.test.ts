import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { type Program, startProgram, until } from '../process/program.ts'
import { closeTabs, sharedBrowser, whyNoBrowser } from './chromium.ts'
import { feed, launch } from './fed-events.ts'
import { rowsCame } from './tab.ts'

const reason = whyNoBrowser()
const PICTURE = 'https://pictures.example/token.png'
const MISSING = 'https://pictures.example/missing.png'
/** Not taken as a picture: it is no https address. */
const PLAIN = 'http://plain.example/token.png'
/** One green pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let browser: Browser

async function started(DASHBOARD: string): Promise<Program> {
  const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', DASHBOARD })
  const events = [PICTURE, MISSING, PLAIN].flatMap((image, at): FeedEvent[] => {
    const created = launch({
      slot: 100 + at,
      signature: `PictureSignature${at}`,
      mint: `PictureMint${at}pump`,
      name: `Picture ${at}`,
      symbol: `PIC${at}`,
      creator: 'PictureCreator',
      bondingCurve: `PictureCurve${at}`,
    })
    return [created, { type: 'metadata', timestamp: created.timestamp, mint: created.mint, image }]
  })
  feed(program, events)
  return program
}

/** Addresses that the board asked other servers for, with who it said it was; `pictures` are seen in the end. */
async function askedBy(DASHBOARD: string, pictures: number): Promise<string[]> {
  const program = await started(DASHBOARD)
  onTestFinished(async () => void (await program.end('SIGTERM')))
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const asked: string[] = []
  await page.route(/example/, (route) => {
    const request = route.request()
    asked.push(`${request.url()} ${request.headers().referer ?? 'no referrer'}`)
    return request.url() === PICTURE
      ? route.fulfill({ body: PIXEL, contentType: 'image/png' })
      : route.fulfill({ status: 404 })
  })
  await page.goto(program.url)
  await rowsCame(page, 'new', 3)
  await page.waitForLoadState('networkidle')
  expect(await page.locator('.row .avatar').count()).toBe(3)
  // One that does not come gives way to its letter.
  await until('the pictures', async () =>
    (await page.locator('.row .avatar img:visible').count()) === pictures ? true : null,
  )
  return asked.sort()
}

describe.skipIf(reason !== null)('pictures of tokens', { timeout: 90_000, retry: 2 }, () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(closeTabs)

  test('are asked for with DASHBOARD=images, over https only, and nobody learns of the page', async () => {
    const asked = await askedBy('images', 1)
    expect(asked).toEqual([`${MISSING} no referrer`, `${PICTURE} no referrer`])
  })

  test('are not asked for without it', async () => {
    const asked = await askedBy('on', 0)
    expect(asked).toEqual([])
  })
})
