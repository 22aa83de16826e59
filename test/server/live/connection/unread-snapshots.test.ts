import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Swap } from '../../../../src/events/event.ts'
import {
  CATCH_UP_BUFFER_BYTES,
  hasTooMuchUnread,
  type LiveConnection,
  MAX_BUFFERED_BYTES,
  newConnection,
} from '../../../../src/server/live/connection/connection.ts'
import { LiveFailures } from '../../../../src/server/live/connection/live-failures.ts'
import { FollowedCandles } from '../../../../src/server/live/hub/followed-candles.ts'
import { Topics } from '../../../../src/server/live/hub/topics.ts'
import type { ServerOptions } from '../../../../src/server/server.ts'
import { START_SECOND } from '../../../oracle/fixtures.ts'
import { HAS_OPENSSL, makeCertificate } from '../../certificates.ts'
import { EngineServer } from '../../engine-server.ts'
import { PAST_THE_KERNEL_BYTES } from '../../kernel-buffers.ts'
import { LiveClient } from '../../live-client.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'
import { born, trade } from '../../told-events.ts'

/** A chart of so many bars takes a megabyte. */
const BARS = 5000
const CHART_BYTES_MIN = 0.9 * MAX_BUFFERED_BYTES
const CHARTS = Math.ceil(PAST_THE_KERNEL_BYTES / CHART_BYTES_MIN)

/** Quote times base of a bonding curve. */
const CURVE = 30_000_000_000n * 1_073_000_000_000_000n

let service: EngineServer
afterEach(() => service.server.stop())

const chart = JSON.stringify({
  event: 'candles',
  data: { action: 'subscribe', id: 'me', mint: 'A', resolution: '1S', countback: BARS },
})

async function startWithBars(changes: Partial<ServerOptions> = {}): Promise<LiveClient> {
  service = await EngineServer.start('e1', undefined, changes)
  service.feed([
    { type: 'sol_price', timestamp: START_SECOND, usd: 187.61 },
    born('A'),
    ...Array.from({ length: BARS }, longTrade),
  ])
  return LiveClient.open(`${service.server.wsUrl}?id=me`, { rejectUnauthorized: false })
}

const figures = () => service.server.readiness().fields

/** Its prices have all the digits that they can have. */
function longTrade(_: unknown, index: number): Swap {
  const virtualQuoteRaw = 30_000_000_000n + 7_654_321n * BigInt(index)
  const virtualBaseRaw = CURVE / virtualQuoteRaw
  return trade({ mint: 'A', quoteRaw: 987_654_321n, virtualQuoteRaw, virtualBaseRaw })
}

/** Reads nothing from here on. */
async function askForAll(client: LiveClient): Promise<void> {
  client.socket.pause()
  for (let n = 0; n < CHARTS; n += 1) client.socket.send(chart)
  await expect.poll(figures).toMatchObject({ live_held_connections: 1 })
}

const NAME =
  'who asks for more snapshots than a connection may leave unread gets each once it has read those before'

async function getsAll(changes: Partial<ServerOptions> = {}): Promise<void> {
  const client = await startWithBars(changes)
  await askForAll(client)
  await new Promise((sent) => client.socket.send('{"type":"ping"}', sent))
  // Once the kernel takes no more nothing is computed or sent, and no turn is spent on it.
  const waiting = () => figures().live_waiting_messages
  let before: unknown
  do {
    before = waiting()
    await sleep(150)
  } while (waiting() !== before)
  expect(before).toBeGreaterThan(0)
  expect(figures()).toMatchObject({ live_held_connections: 1, turn_waiting: 0 })
  client.socket.resume()
  for (let n = 0; n < CHARTS; n += 1) {
    expect(await client.next()).toMatchObject({ type: 'subscribed' })
    const snapshot = await client.next()
    expect(snapshot).toMatchObject({ type: 'snapshot', mint: 'A' })
    expect(JSON.stringify(snapshot).length).toBeGreaterThan(CHART_BYTES_MIN)
  }
  expect(await client.next()).toEqual({ type: 'pong' })
  expect(figures()).toMatchObject({
    live_held_connections: 0,
    live_waiting_messages: 0,
    live_slow_readers_total: 0,
  })
  client.close()
}

test(NAME, () => getsAll())
test.skipIf(!HAS_OPENSSL)(`${NAME}, over TLS`, () => getsAll({ tls: makeCertificate('slow') }))

test('a connection that is held goes with all that waits of it', async () => {
  const client = await startWithBars()
  await askForAll(client)
  client.socket.terminate()
  await expect.poll(figures).toMatchObject({
    live_connections: 0,
    live_held_connections: 0,
    live_waiting_messages: 0,
    live_waiting_bytes: 0,
    live_candles: 0,
  })
})

test('one that is held is cut as any other when what is published to it passes the limit', async () => {
  const client = await startWithBars()
  const data = { action: 'subscribe', id: 'me', mints: ['A'] }
  await client.ask({ event: 'update_mint_info', data })
  await askForAll(client)
  while (figures().live_slow_readers_total === 0)
    service.feed(Array.from({ length: 500 }, () => trade({ mint: 'A' })))
  client.socket.resume()
  expect(await client.closed).toMatchObject({ code: 4009 })
  expect(figures()).toMatchObject({ live_held_connections: 0, live_waiting_bytes: 0 })
})

test('what is left of a long snapshot is allowed on top of the limit until all but the last of it is read', async () => {
  const client = await startWithBars()
  client.close()
  let unreadBytes = CATCH_UP_BUFFER_BYTES
  let isCut = false
  const send = ({ socket }: LiveConnection, frame: string) => {
    socket.send(frame)
    isCut ||= hasTooMuchUnread(connection)
  }
  const socket = {
    ...SILENT_OUTLET,
    send: (frame: string) => (unreadBytes += frame.length),
    getBufferedAmount: () => unreadBytes,
  }
  const about = { id: 'me', isLocal: false, client: '', isSocket: true, socket, load: null }
  const connection = newConnection(about, 0, 1)
  const nothing = () => {}
  const { answers, streams } = service.wired
  const candles = new FollowedCandles({
    answers,
    streams,
    topics: new Topics({ publish: nothing }, nothing, send),
    send,
    sendSnapshot: (to, frame) => {
      to.snapshotBytes = frame.length
      send(to, frame)
    },
    failures: new LiveFailures({
      log: { info: nothing, warn: nothing, error: nothing },
      onStep: nothing,
      send,
      close: nothing,
    }),
    onStep: nothing,
    finishDepartures: nothing,
  })
  const request = {
    kind: 'candles',
    action: 'subscribe',
    mint: 'A',
    resolution: '1S',
    countback: BARS,
  } as const
  // Its chart is written in as many goes as it takes.
  let goes = 1
  while (!candles.serve(connection, request) && goes < 1_000) goes += 1
  expect(goes).toBeLessThan(1_000)
  expect([unreadBytes > MAX_BUFFERED_BYTES, isCut]).toEqual([true, false])
  expect(candles.serve(connection, request)).toBe(false)
  const snapshotBytes = unreadBytes - CATCH_UP_BUFFER_BYTES
  unreadBytes = MAX_BUFFERED_BYTES + snapshotBytes + 1
  expect(hasTooMuchUnread(connection)).toBe(true)
  unreadBytes = CATCH_UP_BUFFER_BYTES
  expect(hasTooMuchUnread(connection)).toBe(false)
  unreadBytes = MAX_BUFFERED_BYTES + 1
  expect(hasTooMuchUnread(connection)).toBe(true)
  candles.channel.stop()
})
