import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { feed, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'LostOrderMintpump'
/** A token whose trades came in order. */
const IN_ORDER = 'InOrderMintpump'
const SLOT = 100
/** More than come before a late one whose place in the order of arrival is still known. */
const TRADES = 40

const trade = (at: number, slot: number, mint = MINT) =>
  purchase({
    mint,
    signature: `${mint}Trade${at}`,
    slot,
    txIndex: at,
    pool: `${mint}Curve`,
    signer: 'LostOrderWallet',
  })

describePage(
  'the trades of a token, in order or with one so late that the order of their arrival is lost',
  async () => {
    const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' })
    const inTime = Array.from({ length: TRADES }, (_, at) => trade(at, SLOT + 1))
    feed(program, [...inTime, trade(TRADES, SLOT), trade(0, SLOT + 1, IN_ORDER)])
    return program
  },
  (market) => {
    test('are on its page, and those that come, each once', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const rows = page.getByRole('region', { name: 'Trades' }).locator('tbody tr')
      const count = (wanted: number) =>
        until(`${wanted} trades`, async () => ((await rows.count()) === wanted ? true : null))
      await count(TRADES + 1)
      feed(market().program, [trade(TRADES + 1, SLOT + 2)])
      await count(TRADES + 2)
      const numbers = await rows.evaluateAll((all) => all.map((row) => Number(row.dataset.seq)))
      expect(numbers).toEqual(Array.from({ length: TRADES + 2 }, (_, at) => TRADES + 2 - at))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test.each([MINT, IN_ORDER])(
      'are there, of %s, also where no stream gets through, and those that come once one does',
      async (mint) => {
        const tab = await market().tab()
        const { page } = tab
        let isThrough = false
        await page.routeWebSocket(/\/ws/, (socket) => {
          if (isThrough) socket.connectToServer()
          else void socket.close()
        })
        await page.goto(`${market().program.url}/token/${mint}`)
        const rows = page.getByRole('region', { name: 'Trades' }).locator('tbody tr')
        const before = await until('the trades', async () => (await rows.count()) || null)
        isThrough = true
        feed(market().program, [trade(before, SLOT + 3, mint)])
        await until('one more', async () => ((await rows.count()) > before ? true : null))
        const numbers = await rows.evaluateAll((all) => all.map((row) => Number(row.dataset.seq)))
        expect(numbers).toEqual(Array.from({ length: before + 1 }, (_, at) => before + 1 - at))
        expect(tab.errors).toEqual([])
        await tab.close()
      },
    )

    test('are awaited where they are late, and not said to be none', async () => {
      const tab = await market().tab()
      const { page } = tab
      // Nothing answers: neither the stream, nor the read in its place.
      await page.routeWebSocket(/\/ws/, () => {})
      await page.route('**/swaps?*', () => {})
      await page.goto(`${market().program.url}/token/${MINT}`)
      const note = page.getByRole('region', { name: 'Trades' }).getByRole('status')
      expect(await note.textContent()).toMatch(/^Loading/)
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
