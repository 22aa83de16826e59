import { readFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listening } from '../process/free-port.ts'
import { type Program, startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import { closeTabs, sharedBrowser, whyNoBrowser } from './chromium.ts'

const reason = whyNoBrowser()

/** A page of nothing, and the service behind it, which for a while answers as one that is starting. */
class Front {
  isStarting = false
  /** Answers that were refused with 503. */
  readonly refused: string[] = []
  readonly #server: Server

  constructor(service: string) {
    this.#server = createServer((asked, answer) => {
      const path = asked.url ?? ''
      if (path === '/') {
        answer.setHeader('content-type', 'text/html').end('<!doctype html>')
        return
      }
      if (this.isStarting) {
        this.refused.push(path)
        answer.writeHead(503, { 'retry-after': '1' }).end('{}')
        return
      }
      const passed = request(service + path, { headers: asked.headers }, (came) => {
        answer.writeHead(came.statusCode ?? 502, came.headers)
        came.on('error', () => answer.destroy())
        came.pipe(answer)
      })
      passed.on('error', () => answer.destroy())
      answer.on('close', () => passed.destroy())
      passed.end()
    })
  }

  async open(): Promise<string> {
    return `http://127.0.0.1:${await listening(this.#server)}`
  }

  /** What is open breaks off; who comes again is refused. */
  goAway(): void {
    this.isStarting = true
    this.#server.closeAllConnections()
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

describe.skipIf(reason !== null)(
  'server-sent events in a browser',
  { timeout: 90_000, retry: 2 },
  () => {
    let browser: Browser
    let program: Program
    let front: Front

    beforeAll(async () => {
      const market = { FEED: 'sim', SIM_TOKENS: '20', SIM_RATE: '100', SIM_SEED: '5' }
      program = await startProgram({ ...market, DASHBOARD: 'off' })
      browser = await sharedBrowser()
    })

    beforeEach(() => {
      front = new Front(program.url)
    })

    afterEach(() => front.close())

    afterAll(async () => {
      await closeTabs()
      await program?.end('SIGKILL')
    })

    test('the follower of docs/live.md misses nothing while the service is starting, which ends a plain EventSource', async () => {
      const document = readFileSync(join(ROOT, 'docs/live.md'), 'utf8')
      const follower = /```js\n([\s\S]*?EventSource[\s\S]*?)```/.exec(document)?.[1] ?? ''
      const page = await browser.newPage()
      await page.goto(await front.open())
      await page.addScriptTag({
        content: `
          const seqs = []
          const take = ({ type, seq }) => { if (type === undefined) seqs.push(seq) }
          const path = '/api/v2/stream?channel=all_trades&snapshot=1'
          const plain = new EventSource(path)
          ${follower}
          follow(path)`,
      })
      await page.waitForFunction('seqs.length > 50')
      front.goAway()
      await page.waitForFunction('plain.readyState === EventSource.CLOSED')
      await expect.poll(() => front.refused.length, { timeout: 20_000 }).toBeGreaterThan(2)
      front.isStarting = false
      const before = Number(await page.evaluate('seqs.length'))
      await page.waitForFunction(`seqs.length > ${before + 50}`, null, { timeout: 20_000 })
      expect(await page.evaluate('plain.readyState')).toBe(2)
      const seqs = await page.evaluate('seqs')
      if (!Array.isArray(seqs)) throw new Error('no seqs')
      expect(seqs).toEqual(seqs.map((_, index) => seqs[0] + index))
    })
  },
)
