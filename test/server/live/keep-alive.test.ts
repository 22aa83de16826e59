import { afterEach, expect, test, vi } from 'vitest'
import { newConnection } from '../../../src/server/live/connection/connection.ts'
import { keepAlive } from '../../../src/server/live/feed.ts'
import { SILENT_OUTLET } from '../silent-outlet.ts'

/** Limits of the server, private to their files. */
const PING_MS = 30_000
const SILENCE_MS = 60_000

afterEach(() => void vi.useRealTimers())

/** Seconds at which a client is pinged and closed, which sends something at the seconds told; over five minutes. */
function timesOf(speaks: (second: number) => boolean) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const startedMs = performance.now()
  const about = {
    id: 'me',
    isLocal: true,
    client: 'c',
    isSocket: true,
    socket: SILENT_OUTLET,
    load: null,
  }
  const connection = newConnection(about, startedMs, PING_MS)
  const connections = new Set([connection])
  const pings: number[] = []
  const closings: number[] = []
  const second = () => (performance.now() - startedMs) / 1000
  const stop = keepAlive(
    connections,
    { pingMs: PING_MS, silenceMs: SILENCE_MS },
    {
      ping: () => pings.push(second()),
      closeSilent: (silent) => {
        closings.push(second())
        connections.delete(silent)
      },
    },
  )
  for (let i = 1; i <= 300; i += 1) {
    if (speaks(i)) connection.lastReceivedMs = performance.now()
    vi.advanceTimersByTime(1000)
  }
  stop()
  return { pings, closings }
}

test('a ping comes every 30 s to a client that answers, for as long as it does', () => {
  const { pings, closings } = timesOf((second) => second % 30 === 1)
  expect(pings).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300])
  expect(closings).toEqual([])
})

test('a client that sends nothing for 60 s is closed, and pinged until then', () => {
  expect(timesOf(() => false)).toEqual({ pings: [30], closings: [60] })
  // Heard last when its 100th second begins.
  expect(timesOf((second) => second <= 100)).toEqual({
    pings: [30, 60, 90, 120, 150],
    closings: [159],
  })
})
