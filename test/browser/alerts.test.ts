import { expect, test } from 'vitest'
import { startProgram, until } from '../process/program.ts'
import { addressOf } from './addresses.ts'
import { feed, launch, purchase } from './fed-events.ts'
import { describePage, type Market } from './page-tests.ts'
import type { Tab } from './tab.ts'

/** As web/src/alerts/alert-pace.ts has it. */
const ALERTS_A_MINUTE = 6

interface Noted {
  readonly asked: number
  readonly tones: number
  readonly notifications: readonly { readonly title: string; readonly body: string }[]
}

/** A browser without a screen shows no notification and plays no sound: the page's calls are noted instead. */
function noting(answer: NotificationPermission): void {
  const noted = {
    asked: 0,
    tones: 0,
    notifications: [] as { title: string; body: string; click(): void }[],
  }
  class NotedNotification extends EventTarget {
    static permission: NotificationPermission = 'default'
    static requestPermission(): Promise<NotificationPermission> {
      noted.asked += 1
      NotedNotification.permission = answer
      return Promise.resolve(answer)
    }
    constructor(title: string, { body = '' }: NotificationOptions) {
      super()
      noted.notifications.push({ title, body, click: () => this.dispatchEvent(new Event('click')) })
    }
    close(): void {}
  }
  const { start } = OscillatorNode.prototype
  OscillatorNode.prototype.start = function (when) {
    noted.tones += 1
    start.call(this, when)
  }
  Object.assign(window, { Notification: NotedNotification, noted })
}

async function notingTab(
  market: Market,
  answer: NotificationPermission,
  path: string,
): Promise<{ tab: Tab; noted: () => Promise<Noted> }> {
  const tab = await market.tab()
  const { page } = tab
  await page.addInitScript(noting, answer)
  await page.goto(market.program.url + path)
  const noted = async (): Promise<Noted> => JSON.parse(await page.evaluate('JSON.stringify(noted)'))
  return { tab, noted }
}

let tokens = 0
/** A new token, with a trade if it is to trend. */
function newToken(market: Market, hasTrade = false, name?: string): string {
  tokens += 1
  const mint = addressOf(500 + tokens)
  const bondingCurve = `AlertCurve${tokens}`
  const named = {
    name: name ?? `alert name ${tokens}`,
    symbol: `AL${tokens}`,
    creator: 'AlertCreator',
  }
  feed(market.program, [
    launch({
      mint,
      signature: `AlertCreation${tokens}`,
      slot: 100 + tokens,
      ...named,
      bondingCurve,
    }),
  ])
  if (hasTrade)
    feed(market.program, [
      purchase({
        ...{ mint, signature: `AlertTrade${tokens}`, slot: 100 + tokens },
        ...{ pool: bondingCurve, signer: 'AlertWallet', quoteRaw: 1_000_000_000n },
      }),
    ])
  return mint
}

const shown = ({ page }: Tab, mint: string) => page.locator(`.row[data-mint="${mint}"]`).waitFor()

describePage(
  'alerts of a list',
  () => startProgram({ FEED: 'stdin', RATE_LIMIT: 'off' }),
  (market) => {
    test('are off, and ask for nothing, until somebody clicks', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      await shown(tab, newToken(market()))
      expect(await noted()).toEqual({ asked: 0, tones: 0, notifications: [] })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('tell of a token that enters, by sound and notification, also from another page', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      const { page } = tab
      await shown(tab, newToken(market()))
      const button = page.getByRole('button', { name: 'Alerts of New' })
      await button.click()
      await page.locator('.column[data-group="new"] [data-alerts="on"]').waitFor()
      const told = (count: number) =>
        until(`${count} alerts`, async () =>
          (await noted()).notifications.length === count ? true : null,
        )
      // The list as it is when alerts begin comes from the service first.
      await page.waitForTimeout(1_000)
      const first = newToken(market())
      await told(1)
      expect(await noted()).toMatchObject({
        asked: 1,
        tones: 2,
        notifications: [{ title: `New: alert name ${tokens}`, body: `AL${tokens}` }],
      })
      await page.getByRole('link', { name: 'Engine' }).click()
      const second = newToken(market())
      await told(2)
      await page.evaluate('noted.notifications[1].click()')
      await page.waitForURL(`**/token/${second}`)
      await page.keyboard.press('b')
      await shown(tab, first)
      await button.click()
      await shown(tab, newToken(market()))
      expect(await noted()).toMatchObject({ asked: 1, notifications: { length: 2 } })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('call a token by its mint that has a name of which nothing is seen', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      await shown(tab, newToken(market()))
      await tab.page.getByRole('button', { name: 'Alerts of New' }).click()
      await tab.page.waitForTimeout(1_000)
      const mint = newToken(market(), false, '\u200b\u202e')
      await shown(tab, mint)
      const told = await until('the alert', async () => (await noted()).notifications.at(0) ?? null)
      expect(told.title).toBe(`New: ${mint.slice(0, 4)}…${mint.slice(-4)}`)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('have the filters that the list has when the browser is allowed to notify', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      const { page } = tab
      await shown(tab, newToken(market()))
      await page.evaluate(`
        Notification.requestPermission = () => new Promise((resolve) => {
          window.allow = () => resolve(Notification.permission = 'granted')
        })`)
      await page.getByRole('button', { name: 'Alerts of New' }).click()
      const column = page.locator('.column[data-group="new"]')
      await column.getByRole('button', { name: 'Filter' }).click()
      await column.getByLabel('Holders, at least').fill('1')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/?new.holders=1..')
      await page.waitForTimeout(1_000)
      await page.evaluate('allow()')
      await column.locator('[data-alerts="on"]').waitFor()
      await page.waitForTimeout(1_000)
      newToken(market())
      const held = newToken(market(), true)
      await shown(tab, held)
      await until('the alert', async () => ((await noted()).notifications.length > 0 ? true : null))
      const titles = (await noted()).notifications.map(({ title }) => title)
      expect(titles).toEqual([`New: alert name ${tokens}`])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('follow the filters of the list, and what trends as well', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/trending?by=trades')
      const { page } = tab
      await shown(tab, newToken(market(), true))
      await page.getByRole('button', { name: 'Alerts of Trending' }).click()
      await page.getByRole('link', { name: 'Board', exact: true }).click()
      await page.getByRole('button', { name: 'Alerts of New' }).click()
      const column = page.locator('.column[data-group="new"]')
      await column.getByRole('button', { name: 'Filter' }).click()
      await column.getByLabel('Holders, at least').fill('1')
      await page.keyboard.press('Enter')
      await page.waitForTimeout(1_000)
      // Nobody holds it, and nobody trades it: it enters neither list.
      newToken(market())
      newToken(market(), true)
      await until('both lists have told', async () =>
        (await noted()).notifications.length >= 2 ? true : null,
      )
      const titles = (await noted()).notifications.map(({ title }) => title)
      expect(titles.sort()).toEqual([`New: alert name ${tokens}`, `Trending: alert name ${tokens}`])
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are said to have ended where the service refuses their table, and go on with other filters', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      const { page } = tab
      await shown(tab, newToken(market()))
      await page.getByRole('button', { name: 'Alerts of New' }).click()
      const column = page.locator('.column[data-group="new"]')
      await column.locator('[data-alerts="on"]').waitFor()
      await page.evaluate(() => {
        history.pushState(null, '', `/?new.heldBy=1:${'x'.repeat(1_000)}`)
        dispatchEvent(new PopStateEvent('popstate'))
      })
      await column.getByText('The service refuses this filter').waitFor()
      await column.getByTitle('The service ended these alerts').waitFor()
      expect((await noted()).notifications).toMatchObject([{ title: 'New: alerts have ended' }])
      await page.goBack()
      await column.locator('[data-alerts="on"]').waitFor()
      await page.waitForTimeout(1_000)
      newToken(market())
      await until('the alert', async () => ((await noted()).notifications.length > 1 ? true : null))
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('come at most so often in a minute', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      const { page } = tab
      await shown(tab, newToken(market()))
      await page.getByRole('button', { name: 'Alerts of New' }).click()
      await page.waitForTimeout(1_000)
      for (let at = 0; at < ALERTS_A_MINUTE + 3; at++) {
        await shown(tab, newToken(market()))
        await page.waitForTimeout(300)
      }
      const { notifications, tones } = await noted()
      expect(notifications).toHaveLength(ALERTS_A_MINUTE)
      expect(tones).toBe(2 * ALERTS_A_MINUTE)
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are heard where the browser has no notifications for any page, as that of an iPhone', async () => {
      const { tab, noted } = await notingTab(market(), 'granted', '/')
      await shown(tab, newToken(market()))
      await tab.page.evaluate('delete window.Notification')
      await tab.page.getByRole('button', { name: 'Alerts of New' }).click()
      await tab.page.locator('.column[data-group="new"] [data-alerts="on"]').waitFor()
      await tab.page.waitForTimeout(1_000)
      await shown(tab, newToken(market()))
      await until('the sound', async () => ((await noted()).tones > 0 ? true : null))
      expect(await noted()).toEqual({ asked: 0, tones: 2, notifications: [] })
      expect(tab.errors).toEqual([])
      await tab.close()
    })

    test('are not there at all, with a sentence, where the browser does not allow them', async () => {
      const { tab, noted } = await notingTab(market(), 'denied', '/')
      const { page } = tab
      await shown(tab, newToken(market()))
      await page.getByRole('button', { name: 'Alerts of New' }).click()
      await page.getByTitle('The browser does not let this page notify').waitFor()
      await shown(tab, newToken(market()))
      await page.waitForTimeout(1_000)
      expect(await noted()).toEqual({ asked: 1, tones: 0, notifications: [] })
      expect(tab.errors).toEqual([])
      await tab.close()
    })
  },
)
