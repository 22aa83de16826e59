/**
 * Measures the board in a busy market, by the browser's own counters, into one table:
 *
 *     npm run frames -- [--rate 1000] [--frames-seconds 60] [--memory-minutes 10] [--empty-seconds 10] [--profile]
 *
 * An empty page in the same browser, before, after and in the same seconds, is the most that this
 * machine can draw.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { type Program, startProgram } from '../process/program.ts'
import { openBrowser, whyNoBrowser } from './chromium.ts'
import {
  busySeconds,
  delaysOf,
  frameTimesOf,
  hottest,
  loadOf,
  type MemoryReading,
  memoryOf,
  takeNotes,
} from './page-counters.ts'

/** The market and the page settle this long before anything is counted, in ms. */
const SETTLE_MS = 5_000
/** All that is not counting gets this long, in ms; then the run is given up. */
const REST_MS = 180_000
const PROFILE_MS = 5_000
const MINUTE_MS = 60_000
const MEGABYTE = 2 ** 20
const VIEWPORT = { width: 1440, height: 900 }

interface Durations {
  readonly rate: number
  readonly framesSeconds: number
  readonly memoryMinutes: number
  readonly emptySeconds: number
  readonly isProfiled: boolean
}

/** One line of the table. */
type Line = readonly [what: string, figure: string]

function durations(): Durations {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '1000' },
      'frames-seconds': { type: 'string', default: '60' },
      'memory-minutes': { type: 'string', default: '10' },
      'empty-seconds': { type: 'string', default: '10' },
      profile: { type: 'boolean', default: false },
    },
  })
  const count = (name: 'rate' | 'frames-seconds' | 'memory-minutes' | 'empty-seconds') => {
    const value = Number(values[name])
    if (!Number.isSafeInteger(value) || value < 0 || value > 100_000)
      throw new Error(`--${name} takes a whole number up to 100000, not ${values[name]}.`)
    return value
  }
  return {
    rate: count('rate'),
    framesSeconds: count('frames-seconds'),
    memoryMinutes: count('memory-minutes'),
    emptySeconds: count('empty-seconds'),
    isProfiled: values.profile,
  }
}

const startedMs = Date.now()
/** Progress goes to standard error, the table to standard output. */
function say(text: string): void {
  console.error(`${((Date.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${text}`)
}

const rounded = (value: number | null, unit: string) =>
  value === null ? 'not told' : `${value.toFixed(0)} ${unit}`

/** Frames of each second and gaps between two of them, from their times in ms. */
function spread(times: readonly number[], seconds: number): string {
  if (seconds === 0) return 'not counted'
  const frames = Array<number>(seconds).fill(0)
  for (const time of times)
    if (time >= 0 && time < seconds * 1000) frames[Math.floor(time / 1000)]++
  const gaps = times.slice(1).map((time, at) => time - times[at])
  return (
    `median ${part(frames, 0.5).toFixed(0)}, p5 ${part(frames, 0.05).toFixed(0)}, least ${part(frames, 0).toFixed(0)}; ` +
    `longest gap ${part(gaps, 1).toFixed(0)} ms, p99 ${part(gaps, 0.99).toFixed(0)} ms`
  )
}

/** The value below which such a part of the others lies. */
function part(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}

async function emptyFrames(browser: Browser, seconds: number): Promise<string> {
  const page = await browser.newPage({ viewport: VIEWPORT })
  const text = spread(await frameTimesOf(page, seconds), seconds)
  await page.close()
  return text
}

/** Trades that the service has taken so far. */
async function tradesOf(program: Program): Promise<number> {
  const figures: unknown = await (await fetch(`${program.url}/readyz`)).json()
  const trades: unknown =
    typeof figures === 'object' && figures !== null && Reflect.get(figures, 'swaps_folded_total')
  return typeof trades === 'number' ? trades : Number.NaN
}

async function loadLines(page: Page, program: Program): Promise<readonly Line[]> {
  let bytes = 0
  page.on('requestfinished', (request) => {
    request.sizes().then(
      ({ responseBodySize, responseHeadersSize }) => {
        bytes += responseBodySize + responseHeadersSize
      },
      // The page is gone: so is what its requests weighed.
      () => {},
    )
  })
  await takeNotes(page)
  await page.goto(program.url)
  await page.locator('.row').first().waitFor({ state: 'attached', timeout: MINUTE_MS })
  await page.waitForTimeout(SETTLE_MS)
  const load = await loadOf(page)
  return [
    ['first load', `${(bytes / 1024).toFixed(1)} KB`],
    ['first paint', rounded(load.firstPaintMs, 'ms')],
    ['first contentful paint', rounded(load.firstContentMs, 'ms')],
    ['largest contentful paint', rounded(load.largestMs, 'ms')],
    ['first live row', rounded(load.firstRowMs, 'ms')],
  ]
}

async function frameLines(
  browser: Browser,
  page: Page,
  session: CDPSession,
  program: Program,
  seconds: number,
): Promise<readonly Line[]> {
  const [busy, trades, atMs] = [await busySeconds(session), await tradesOf(program), Date.now()]
  // What holds up both at once is the machine.
  const empty = await browser.newPage({ viewport: VIEWPORT })
  const [times, emptyTimes] = await Promise.all([
    frameTimesOf(page, seconds),
    frameTimesOf(empty, seconds),
  ])
  await empty.close()
  const [after, tradesAfter] = [await busySeconds(session), await tradesOf(program)]
  const tookSeconds = (Date.now() - atMs) / 1000
  const share = (name: string) =>
    `${(((after[name] - busy[name]) / tookSeconds) * 100).toFixed(0)} %`
  return [
    [`frames a second, board, ${seconds} s`, spread(times, seconds)],
    ['frames a second, empty page, the same seconds', spread(emptyTimes, seconds)],
    ['trades a second meanwhile', ((tradesAfter - trades) / tookSeconds).toFixed(0)],
    [
      "page's thread busy",
      `${share('TaskDuration')} (script ${share('ScriptDuration')}, layout ${share('LayoutDuration')}, style ${share('RecalcStyleDuration')})`,
    ],
  ]
}

/** Moves, opens, closes and types as somebody would, while the market goes on. */
async function interact(page: Page): Promise<void> {
  for (let round = 0; round < 10; round++) {
    for (const key of ['j', 'j', 'k', 'l', 'h', 'Escape']) {
      await page.keyboard.press(key)
      await page.waitForTimeout(60)
    }
    const filter = page
      .locator('.column[data-group="completing"]')
      .getByRole('button', { name: 'Filter' })
    await filter.click()
    await filter.click()
    await page.keyboard.press('/')
    await page.keyboard.type('ab', { delay: 60 })
    await page.keyboard.press('Escape')
  }
}

async function delayLine(page: Page): Promise<Line> {
  await interact(page)
  const { count, longMs } = await delaysOf(page)
  // Those that are not told took less than 16 ms.
  const all = [...Array<number>(Math.max(0, count - longMs.length)).fill(0), ...longMs]
  const p98 = part(all, 0.98)
  return [
    `interaction delay, p98 of ${all.length}`,
    p98 < 16 ? 'below 16 ms' : `${p98.toFixed(0)} ms`,
  ]
}

async function memoryLines(session: CDPSession, minutes: number): Promise<readonly Line[]> {
  const readings: MemoryReading[] = []
  for (let minute = 0; minute <= minutes; minute++) {
    if (minute > 0) await pause(MINUTE_MS)
    const reading = await memoryOf(session)
    readings.push(reading)
    const { heapBytes, nodes, listeners } = reading
    say(
      `minute ${minute}: heap ${(heapBytes / MEGABYTE).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`,
    )
  }
  const heaps = readings.map(({ heapBytes }) => heapBytes / MEGABYTE)
  return [
    ['heap after collection, MB, each minute', heaps.map((each) => each.toFixed(2)).join(' ')],
    [
      'heap slope, the first minute left out',
      heaps.length < 3
        ? 'needs two minutes'
        : `${(slope(heaps.slice(1)) * 1024).toFixed(1)} KB a minute`,
    ],
    ['nodes, each minute', readings.map(({ nodes }) => nodes).join(' ')],
    ['listeners, each minute', readings.map(({ listeners }) => listeners).join(' ')],
  ]
}

/** Of the straight line that fits best, by step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const up = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return up / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}

async function measure(
  browser: Browser,
  program: Program,
  asked: Durations,
): Promise<readonly Line[]> {
  const { framesSeconds, memoryMinutes, emptySeconds } = asked
  const lines: Line[] = []
  const add = (...more: readonly Line[]) => {
    for (const [what, figure] of more) say(`${what}: ${figure}`)
    lines.push(...more)
  }
  add([
    `frames a second, empty page, ${emptySeconds} s before`,
    await emptyFrames(browser, emptySeconds),
  ])
  const page = await browser.newPage({ viewport: VIEWPORT })
  const session = await page.context().newCDPSession(page)
  add(...(await loadLines(page, program)))
  add(...(await frameLines(browser, page, session, program, framesSeconds)))
  add(await delayLine(page))
  if (asked.isProfiled) for (const line of await hottest(session, PROFILE_MS)) say(line)
  add(...(await memoryLines(session, memoryMinutes)))
  await page.close()
  add([
    `frames a second, empty page, ${emptySeconds} s after`,
    await emptyFrames(browser, emptySeconds),
  ])
  return lines
}

async function run(): Promise<void> {
  const reason = whyNoBrowser()
  if (reason !== null) return console.log(reason)
  const asked = durations()
  const { framesSeconds, memoryMinutes, emptySeconds, rate } = asked
  const countedMs = 1_000 * (framesSeconds + 2 * emptySeconds) + MINUTE_MS * memoryMinutes
  const withinMs = countedMs + REST_MS
  const timer = setTimeout(() => {
    console.error(
      `Given up after ${(withinMs / 1000).toFixed(0)} s: the last line above says where.`,
    )
    process.exit(1)
  }, withinMs)
  say(
    `a market of ${rate} trades a second starts; at most ${(withinMs / 1000).toFixed(0)} s in all`,
  )
  const program = await startProgram({ SIM_RATE: String(rate), RATE_LIMIT: 'off' })
  const browser = await openBrowser()
  try {
    const lines = await measure(browser, program, asked)
    console.log('| what | figure |\n|---|---|')
    for (const [what, figure] of lines) console.log(`| ${what} | ${figure} |`)
  } finally {
    clearTimeout(timer)
    await browser.close()
    await program.end('SIGTERM')
  }
}

await run()
