import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  type LiveConnection,
  newConnection,
} from '../../../src/server/live/connection/connection.ts'
import { DeferredUnsubscribe } from '../../../src/server/live/feed.ts'
import { SILENT_OUTLET } from '../silent-outlet.ts'

/** Limits of the server, private to their files. */
const DEPARTURE_SLICE_MS = 2
const MAX_DEPARTED = 50_000

const connections = (count: number): LiveConnection[] =>
  Array.from({ length: count }, (_, index) =>
    newConnection(
      {
        id: `c${index}`,
        isLocal: false,
        client: '',
        isSocket: true,
        socket: SILENT_OUTLET,
        load: null,
      },
      0,
      1,
    ),
  )

function busyFor(durationMs: number): void {
  const endMs = performance.now() + durationMs
  while (performance.now() < endMs);
}

test('a close does no work of its own, and between two slices others have their turn', async () => {
  const dropped = new Set<LiveConnection>()
  const departures = new DeferredUnsubscribe((connection) => {
    busyFor(DEPARTURE_SLICE_MS)
    dropped.add(connection)
  })
  const closed = connections(10)
  for (const connection of closed) departures.add(connection)
  expect(dropped.size).toBe(0)
  const seen = new Set([dropped.size])
  while (dropped.size < closed.length) {
    await nextTurn()
    seen.add(dropped.size)
  }
  expect(departures.size).toBe(0)
  expect([...seen]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('when too many wait, each one that comes takes another with it', () => {
  let dropped = 0
  const departures = new DeferredUnsubscribe(() => {
    dropped++
  })
  const [connection] = connections(1)
  for (let index = 0; index < MAX_DEPARTED + 5; index++) departures.add(connection)
  expect(departures.size).toBe(MAX_DEPARTED)
  expect(dropped).toBe(5)
  departures.finish()
  expect(dropped).toBe(MAX_DEPARTED + 5)
  departures.stop()
})
