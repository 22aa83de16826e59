import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage } from './page-tests.ts'

const MINT = 'UnknownMint11111111111111111111111111111pump'
const CURVE = 'UnknownMintCurve'
/** How long the page waits for the token, in ms, and what it may ask meanwhile: each second, and at its start. */
const WAITED_MS = 4_000
const READS_MAX = 3 * (WAITED_MS / 1_000 + 2)

const creation = () =>
  launch({
    mint: MINT,
    signature: 'UnknownMintCreation',
    name: 'Late',
    symbol: 'LATE',
    creator: 'UnknownMintCreator',
    bondingCurve: CURVE,
  })

const trade = (slot: number) =>
  purchase({
    mint: MINT,
    signature: `UnknownMintTrade${slot}`,
    slot,
    pool: CURVE,
    signer: 'UnknownMintWallet',
  })

describePage(
  'the page of a mint that nobody knows',
  () => startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' }),
  (market) => {
    test('asks for it now and then, and opens with its first trade', async () => {
      const tab = await market().tab()
      const { page } = tab
      let reads = 0
      page.on('request', (request) => {
        if (request.url().includes('/api/v2/')) reads += 1
      })
      await page.goto(`${market().program.url}/token/${MINT}`)
      await page.getByText('Nobody knows this mint yet').waitFor()
      await page.waitForTimeout(WAITED_MS)
      expect(reads).toBeLessThanOrEqual(READS_MAX)
      feed(market().program, [creation(), trade(100)])
      await page.locator('.token-head').waitFor()
      const trades = page.getByRole('region', { name: 'Trades', exact: true }).locator('tbody tr')
      await until('its trade', async () => ((await trades.count()) === 1 ? true : null))
      const others = tab.errors.filter((text) => !/404/.test(text))
      expect(others).toEqual([])
      await tab.close()
    })

    test('reads again what could not be read while its last trade came', async () => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}/token/${MINT}`)
      const shown = page.locator('main[data-swaps]')
      const before = Number(await shown.getAttribute('data-swaps'))
      // Nothing is asked any more: the token rests.
      await page.waitForTimeout(2_000)
      const detail = `**/tokens/${MINT}`
      await page.route(detail, (route) => route.fulfill({ status: 500, body: '{}' }))
      const failed = page.waitForResponse(detail)
      feed(market().program, [trade(100 + before)])
      await failed
      await page.waitForTimeout(1_500)
      await page.unroute(detail)
      await page.locator(`main[data-swaps="${before + 1}"]`).waitFor()
      expect(tab.errors.filter((text) => !/500/.test(text))).toEqual([])
      await tab.close()
    })

    test.each(['/token', '/wallet/'])('says of %s that it is no address', async (path) => {
      const tab = await market().tab()
      const { page } = tab
      await page.goto(`${market().program.url}${path}`)
      await page.getByText('The service refuses this address').waitFor()
      await page.getByText('is blank in the path, an address is expected.').waitFor()
      expect(tab.errors.filter((text) => !/400/.test(text))).toEqual([])
      await tab.close()
    })
  },
)
