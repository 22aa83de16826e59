import { expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { startProgram, until } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'WalletOrderMintpump'
const WALLET = 'WalletOrderWallet'
const DIRECTIONS = ['buy', 'buy', 'sell', 'buy', 'sell', 'sell', 'buy', 'sell'] as const
const SECONDS = Math.floor(Date.now() / 1000)

/** Of a feed that knows no slots: all in one second. */
const trade = (at: number) =>
  purchase({
    mint: MINT,
    signature: `WalletOrderTrade${at}`,
    slot: null,
    txIndex: null,
    timestamp: SECONDS,
    pool: 'WalletOrderCurve',
    signer: WALLET,
    direction: DIRECTIONS[at],
  })

const RESTED = 'WalletOrderRested'
const RESTED_SECONDS = 600

/** Of a wallet that rests ten minutes between two trades. */
const restedTrade = (timestamp: number) => ({
  ...trade(0),
  mint: 'WalletOrderRestedMintpump',
  signature: `WalletOrderRested${timestamp}`,
  pool: 'WalletOrderRestedCurve',
  signer: RESTED,
  timestamp,
})

describePage(
  'trades of a wallet in one second',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    feed(program, [restedTrade(SECONDS - RESTED_SECONDS), ...[0, 1, 2].map(trade)])
    return program
  },
  (market) => {
    test('are shown as the API has them, newest first, whatever comes behind them', async () => {
      const tab = await market().tab()
      const { page } = tab
      const { read } = new Mintfeed(market().program.url)
      await page.goto(`${market().program.url}/wallet/${WALLET}`)
      const rows = page.getByRole('region', { name: 'Last trades' }).locator('tbody tr')
      for (let count = 3; count <= DIRECTIONS.length; count += 1) {
        await until(`${count} trades`, async () => ((await rows.count()) === count ? true : null))
        const answer = await read.swaps(MINT, { wallet: WALLET })
        const told = answer.ok ? answer.data.items.map(({ direction }) => direction) : []
        const sides = await rows.locator('td:nth-child(2)').allTextContents()
        expect(sides.map((side) => side.toLowerCase())).toEqual(told)
        if (count < DIRECTIONS.length) feed(market().program, [trade(count)])
      }
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are as old as they are from the moment on that they are shown', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/wallet/${RESTED}`)
      const age = page.getByRole('region', { name: 'Tokens' }).locator('tbody time')
      await age.getByText('10m').waitFor()
      const told: string[] = []
      await page.exposeFunction('told', (text: string) => void told.push(text))
      await age.evaluate((time) => {
        const tell = () => Reflect.get(window, 'told')(time.textContent)
        new MutationObserver(tell).observe(time, { attributeFilter: ['datetime'] })
      })
      feed(market().program, [restedTrade(Math.floor(Date.now() / 1000))])
      await until('the trade', async () => (told.length > 0 ? true : null))
      expect(told).toEqual([expect.stringMatching(/^\d+s$/)])
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
