import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { startProgram, until } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'RestingMintpump'
const CURVE = 'RestingCurve'
const WALLET = 'RestingWallet'

const trade = (slot: number, own: Partial<Parameters<typeof purchase>[0]> = {}) =>
  purchase({
    mint: MINT,
    signature: `RestingTrade${slot}`,
    slot,
    pool: CURVE,
    signer: WALLET,
    ...own,
  })

const priceOfSol = (usd: number): FeedEvent => ({
  type: 'sol_price',
  timestamp: Math.floor(Date.now() / 1000),
  usd,
})

/** Waits until a figure above the page reads so. */
function figureReads(page: Page, name: string, text: string): Promise<true> {
  const cell = page.locator('.facts-row div', { has: page.locator(`dt:text-is("${name}")`) })
  return until(`${name} ${text}`, async () =>
    (await cell.locator('dd').textContent()) === text ? true : null,
  )
}

describePage(
  'figures that others than the one who is shown change',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const creation = launch({
      mint: MINT,
      signature: 'RestingCreation',
      name: 'Resting',
      symbol: 'REST',
      creator: 'RestingCreator',
      bondingCurve: CURVE,
    })
    // A hundredth of the supply, for 0.3219 SOL.
    const bought = trade(101, { baseRaw: 10_000_000_000_000n, quoteRaw: 321_900_000n })
    feed(program, [priceOfSol(100), creation, { ...bought, solPriceUsd: 100 }])
    return program
  },
  (market) => {
    test('a wallet that rests shows what the trades of others and the price of SOL made of its tokens', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      await figureReads(page, 'Worth now', '$32.2')
      feed(market().program, [
        trade(102, { signer: 'RestingOther', virtualQuoteRaw: 16_095_000_000n }),
      ])
      await figureReads(page, 'Worth now', '$16.1')
      await figureReads(page, 'PnL', '-$16.1')
      feed(market().program, [priceOfSol(200)])
      await figureReads(page, 'Worth now', '$32.2')
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('a token that nobody trades follows the price of SOL', async () => {
      const tab = await market().tab()
      const { page } = tab
      feed(market().program, [priceOfSol(100)])
      await page.goto(`${market().program.url}/token/${MINT}`)
      await figureReads(page, 'Market cap', '$1.61K')
      // The reads that the trades before asked for are through.
      await page.waitForTimeout(5_000)
      feed(market().program, [priceOfSol(300)])
      await figureReads(page, 'Market cap', '$4.83K')
      await until('the worth of the holder', async () =>
        (await page
          .getByRole('region', { name: 'Holders' })
          .locator(`[data-wallet="${WALLET}"] [data-cell="worth"]`)
          .textContent()) === '$48.3'
          ? true
          : null,
      )
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('an answer that comes late takes no newer one away', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const shown = page.locator('main[data-swaps]')
      const before = Number(await shown.getAttribute('data-swaps'))
      await page.waitForTimeout(2_000)
      const seen: number[] = []
      await page.exposeFunction('saw', (swaps: string) => void seen.push(Number(swaps)))
      await shown.evaluate((main) => {
        const tell = () => Reflect.get(window, 'saw')(main.getAttribute('data-swaps'))
        new MutationObserver(tell).observe(main, { attributeFilter: ['data-swaps'] })
      })
      let isFirst = true
      await page.route(`**/tokens/${MINT}`, async (route) => {
        const isLate = isFirst
        isFirst = false
        const response = await route.fetch()
        if (isLate) await page.waitForTimeout(3_000)
        await route.fulfill({ response })
      })
      const asked = page.waitForRequest(`**/tokens/${MINT}`)
      feed(market().program, [trade(104 + before)])
      await asked
      await page.waitForTimeout(500)
      feed(market().program, [trade(105 + before)])
      await page.waitForTimeout(4_500)
      await page.locator(`main[data-swaps="${before + 2}"]`).waitFor()
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      expect(tab.errors).toEqual([])
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await tab.close()
    })

    test('holders that could not be read just after the last trade are read again', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const holders = page.getByRole('region', { name: 'Holders' }).locator('tbody tr')
      await holders.first().waitFor()
      const before = await holders.count()
      const asked = `**/tokens/${MINT}/holders*`
      await page.route(asked, (route) => route.fulfill({ status: 500, body: '{}' }))
      const failed = page.waitForResponse(asked)
      feed(market().program, [trade(103, { signer: 'RestingThird' })])
      await failed
      await page.waitForTimeout(1_500)
      await page.unroute(asked)
      await until('the holder', async () => ((await holders.count()) === before + 1 ? true : null))
      expect(tab.errors.filter((text) => !/500/.test(text))).toEqual([])
      await tab.close()
    })

    test.each(['/', `/token/${MINT}`, `/wallet/${WALLET}`])(
      'each figure of %s has all its digits on hover',
      async (path) => {
        const tab = await market().tab()
        const { page } = tab
        await page.goto(market().program.url + path)
        await page.locator('.row, td.number').first().waitFor()
        const bare = await page
          .locator('.row [data-cell], .row .progress, .facts-row dd, .class-shares dd, td.number')
          .evaluateAll((cells) =>
            cells
              .filter((cell) => !cell.closest('[title]') && !cell.querySelector('[title]'))
              .map(({ textContent }) => textContent)
              // Numbers of tokens that are written out as they are.
              .filter((text) => !/ of /.test(text)),
          )
        expect(bare).toEqual([])
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('a row of the board has the exact shares and curve on hover', async () => {
      const answer = await new Mintfeed(market().program.url).read.tables({ type: 'new', limit: 1 })
      const [row] = (answer.ok ? answer.data.new : []) ?? []
      const tab = await market().tab()
      const { page } = tab
      await page.goto(market().program.url)
      const shares = page.locator('.row .share').first()
      expect(await shares.getAttribute('title')).toContain(`: ${row.top_10_percent}% of`)
      for (const curve of await page.locator('.row :is(.progress, [data-cell="progress"])').all())
        expect(await curve.getAttribute('title')).toBe(`Bonding curve ${row.pct_completion}%`)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
