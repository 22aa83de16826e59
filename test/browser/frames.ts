/**
 * Measures the board at a busy market: `npm run frames -- [seconds]` (60). Prints bytes of the first
 * load, paints, frames a second and memory, by the browser's own counters.
 */
import type { Page } from 'playwright-core'
import { startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'

const SIM_RATE = '1000'
/** The market and the page settle this long before frames are counted, in ms. */
const SETTLE_MS = 5_000
const MEGABYTE = 2 ** 20

/** Frames of each full second. */
function framesOf(page: Page, seconds: number): Promise<number[]> {
  return page.evaluate(
    (count) =>
      new Promise<number[]>((resolve) => {
        const frames: number[] = []
        let startMs = performance.now()
        let drawn = 0
        const frame = (nowMs: number) => {
          drawn += 1
          if (nowMs - startMs >= 1000) {
            frames.push(Math.round((drawn * 1000) / (nowMs - startMs)))
            startMs = nowMs
            drawn = 0
          }
          if (frames.length < count) requestAnimationFrame(frame)
          else resolve(frames)
        }
        requestAnimationFrame(frame)
      }),
    seconds,
  )
}

async function heapMegabytes(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return (usedSize / MEGABYTE).toFixed(1)
}

async function run(): Promise<void> {
  const reason = whyNoBrowser()
  if (reason !== null) return console.log(reason)
  const seconds = Number(process.argv[2] ?? 60)
  const program = await startProgram({ SIM_RATE, RATE_LIMIT: 'off' })
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  let loadedBytes = 0
  page.on('requestfinished', async (request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes()
    loadedBytes += responseBodySize + responseHeadersSize
  })
  const askedMs = Date.now()
  await page.goto(program.url)
  await page.locator('.row').first().waitFor()
  const firstRowMs = Date.now() - askedMs
  const paints = await page.evaluate(() =>
    performance
      .getEntriesByType('paint')
      .map(({ name, startTime }) => `${name} ${startTime.toFixed(0)} ms`),
  )
  await page.waitForTimeout(SETTLE_MS)
  console.log(`first load: ${loadedBytes} bytes; ${paints.join(', ')}; first row ${firstRowMs} ms`)
  const before = await heapMegabytes(page)
  const frames = (await framesOf(page, seconds)).sort((a, b) => a - b)
  const at = (part: number) => frames[Math.floor((frames.length - 1) * part)]
  console.log(
    `frames a second over ${seconds} s: median ${at(0.5)}, p5 ${at(0.05)}, least ${at(0)}`,
  )
  console.log(`heap after collection, MB: ${before} before, ${await heapMegabytes(page)} after`)
  await browser.close()
  await program.end('SIGTERM')
}

await run()
