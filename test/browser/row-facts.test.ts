import { expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { startProgram } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'
import { rowsCame } from './tab.ts'

const MINT = 'BusyMintpump'
const CURVE = 'BusyCurve'
/** Trades and wallets that need room as busy tokens do: `B 1.23K`, `H 123`. */
const TRADES = 1_234
const WALLETS = 123

function events(): FeedEvent[] {
  const timestamp = Math.floor(Date.now() / 1000)
  const creation = launch({
    mint: MINT,
    signature: 'BusyCreation',
    timestamp: timestamp - 50_000,
    name: 'a name that is longer than its room',
    symbol: 'LONGSYMBOL',
    creator: 'BusyCreator',
    bondingCurve: CURVE,
  })
  const links: FeedEvent = {
    type: 'metadata',
    timestamp,
    mint: MINT,
    twitter: 'https://x.com/busy',
    telegram: 'https://t.me/busy',
    website: 'https://busy.example/',
    discord: 'https://discord.gg/busy',
  }
  const trades = Array.from({ length: TRADES }, (_, at) =>
    purchase({
      mint: MINT,
      signature: `BusyTrade${at}`,
      slot: 101,
      txIndex: at,
      pool: CURVE,
      signer: `BusyWallet${at % WALLETS}`,
      quoteRaw: 321_900_000n,
    }),
  )
  return [creation, links, ...trades]
}

describePage(
  'a row of the board of a token with many trades and all four links',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, events())
    return program
  },
  (market) => {
    test.each([1920, 1440, 1280, 1100, 960, 390, 320])(
      'shows each of its facts whole on a screen of %i pixels, or none of it',
      async (width) => {
        const tab = await market().tab({ width })
        const { page } = tab
        await page.goto(market().program.url)
        await rowsCame(page, 'new', 1)
        await page.getByText('1.23K').waitFor()
        const cut = await page.locator('.row :is(.facts, .title .socials)').evaluateAll((boxes) =>
          boxes.flatMap((box) => {
            const { right } = box.getBoundingClientRect()
            return [box, ...box.children]
              .filter((part) => part.getBoundingClientRect().right > right + 0.5)
              .map(({ textContent }) => textContent)
          }),
        )
        expect(cut).toEqual([])
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )
  },
)
