import { expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { startProgram } from '../process/program.ts'
import { feed } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const SOL = 1_000_000_000n

/** Names that anybody could give a token. */
const NAMES = [
  '<img src=x onerror="document.title=1">',
  '<script>document.title=2</script>',
  '"><svg onload=document.title=3>',
  'javascript:alert(1)',
  'safe\u202egnp.exe',
  '\u200b\u200d\u2060\u3164',
  `z${'\u0301'.repeat(60)}`,
  'W'.repeat(256),
  '{{constructor.constructor("document.title=4")()}}',
]

const mintOf = (at: number) => `HostileMint${at}pump`

function events(): FeedEvent[] {
  const timestamp = Math.floor(Date.now() / 1000)
  return NAMES.flatMap((name, at): FeedEvent[] => [
    {
      type: 'token_created',
      slot: 100 + at,
      txIndex: 1,
      ordinal: 0,
      signature: `HostileSignature${at}`,
      timestamp,
      mint: mintOf(at),
      name,
      symbol: name,
      uri: 'javascript:alert(1)',
      creator: '<b>Creator</b>',
      bondingCurve: `HostileCurve${at}`,
      tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      isMayhemMode: false,
      virtualBaseRaw: 1_073_000_000_000_000n,
      virtualQuoteRaw: 30n * SOL,
      realBaseRaw: 793_100_000_000_000n,
    },
    {
      type: 'metadata',
      timestamp,
      mint: mintOf(at),
      twitter: 'http://plain.example/x',
      website: 'https://good.example/<script>"onclick=alert(1)',
      telegram: 'https://user:word@evil.example/',
    },
  ])
}

/** Some seconds on a quiet machine; one that is busy gets far more. */
describePage(
  'names that want to be more than names',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, events())
    return program
  },
  (market) => {
    test('stay text on the board, and nothing of them is loaded or run', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      await rowsCame(page, 'new', NAMES.length)
      const symbols = await page.locator('.row .symbol').allTextContents()
      expect(symbols).toContain('<img src=x onerror="document.title=1">')
      expect(symbols).toContain('<script>document.title=2</script>')
      expect(symbols).toContain('safegnp.exe')
      // Nothing that is seen was left of it: it is called by its mint.
      expect(symbols).toContain('Host…pump')
      expect(symbols.join('')).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069]/)
      expect(
        await page.locator('#page img:not(.brand img), #page script, .row svg[onload]').count(),
      ).toBe(0)
      expect(await page.title()).toBe('mintfeed')
      const heights = await page
        .locator('.row')
        .evaluateAll((rows) => rows.map((row) => row.clientHeight))
      expect(new Set(heights).size).toBe(1)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('stay text on their own page, whose links are https only and tell nobody', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${mintOf(0)}`)
      await page.locator('.token-head').waitFor()
      expect(await page.locator('h1 .symbol').textContent()).toBe(NAMES[0])
      const links = await page
        .locator('.token-line a[target="_blank"]')
        .evaluateAll((found) =>
          found.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]),
        )
      expect(links).toEqual([
        ['https://good.example/%3Cscript%3E%22onclick=alert(1)', 'noopener noreferrer nofollow'],
        [`https://solscan.io/token/${mintOf(0)}`, 'noopener noreferrer nofollow'],
      ])
      expect(await page.title()).toBe(`${NAMES[0]} · mintfeed`)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('keep their own page within the screen, however long they are', async () => {
      const long = NAMES.indexOf('W'.repeat(256))
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${mintOf(long)}`)
      const curve = page.locator('.facts-row [data-cell="progress"]')
      await curve.waitFor()
      const right = await curve.evaluate((cell) => cell.getBoundingClientRect().right)
      expect(right).toBeLessThanOrEqual(1440)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('the address is text too', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(
        `${market().program.url}/wallet/${encodeURIComponent('<img src=x onerror=1>')}`,
      )
      await page.getByText('The service refuses this address').waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      expect(tab.errors.filter((text) => !/400/.test(text))).toEqual([])
      await tab.close()
    })
  },
)
