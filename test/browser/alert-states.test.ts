import { expect, test, vi } from 'vitest'
import { alertState, alertsFollow, toggleAlerts } from '../../web/src/alerts/alerts.ts'

const followed = vi.hoisted(() => ({ queries: 0, refuse: () => {} }))

vi.mock('../../web/src/alerts/sound.ts', () => ({ allowSound() {}, playAlert() {} }))
vi.mock('../../web/src/frame/route.ts', () => ({ go() {}, tokenPath() {} }))
vi.mock('../../web/src/feed/connection.ts', () => ({
  live: {
    trending() {
      followed.queries += 1
      const refused = new Promise<void>((resolve) => {
        followed.refuse = resolve
      })
      return {
        close() {},
        async *[Symbol.asyncIterator]() {
          await refused
          yield { kind: 'refused' }
        },
      }
    },
  },
}))

test('alerts that the service refuses, or ends, say so until they are asked for anew or with other filters', async () => {
  vi.stubGlobal('isSecureContext', true)
  const list = (by: 'volume' | 'trades') =>
    ({ name: 'trending', view: { window: '1h', by } }) as const
  const ended = async () => {
    followed.refuse()
    await vi.waitFor(() => expect(alertState('trending')).toBe('ended'))
  }
  await toggleAlerts(list('volume'))
  expect([alertState('trending'), followed.queries]).toEqual(['on', 1])
  await ended()
  alertsFollow(list('volume'))
  expect([alertState('trending'), followed.queries]).toEqual(['ended', 1])
  alertsFollow(list('trades'))
  expect([alertState('trending'), followed.queries]).toEqual(['on', 2])
  await ended()
  await toggleAlerts(list('trades'))
  expect([alertState('trending'), followed.queries]).toEqual(['on', 3])
  await toggleAlerts(list('trades'))
  expect(alertState('trending')).toBe('off')
  vi.unstubAllGlobals()
})
