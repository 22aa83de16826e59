import fc from 'fast-check'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { BackpressureBudget } from '../../../../src/server/live/connection/backpressure-budget.ts'
import {
  type LiveConnection,
  newConnection,
} from '../../../../src/server/live/connection/connection.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'
import { born, trade } from '../../told-events.ts'

/** Limits of the server, private to their files. */
const CLOSING_MS = 16_000

const MAX = 1_000

/** A connection of which so many bytes lie unread. */
class Reader {
  readonly connection: LiveConnection
  unread = 0
  isCut = false

  constructor(client: string) {
    const socket = { ...SILENT_OUTLET, getBufferedAmount: () => this.unread }
    const about = { id: 'me', isLocal: false, client, isSocket: true, socket, load: null }
    this.connection = newConnection(about, 0, 0)
  }
}

const sending = fc.record({
  from: fc.nat(11),
  count: fc.integer({ min: 1, max: 12 }),
  bytes: fc.integer({ min: 1, max: 60 }),
  /** Who reads all before, by number. */
  reads: fc.subarray([0, 3, 6, 9]),
  ends: fc.option(fc.nat(11), { nil: null, freq: 4 }),
  passedMs: fc.constantFrom(0, 1, CLOSING_MS / 4, CLOSING_MS),
})

test('what all readers leave unread stays below the bound: those go that have most of a client that has more than its part', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  fc.assert(
    fc.property(fc.array(sending, { minLength: 20, maxLength: 80 }), (steps) => {
      const readers = Array.from({ length: 12 }, (_, n) => new Reader(`client ${n % 4}`))
      const connections = new Set(readers.map(({ connection }) => connection))
      let closing: { readonly bytes: number; readonly endMs: number }[] = []
      const cut: Reader[] = []
      const memory = new BackpressureBudget(
        connections,
        MAX,
        (connection) => {
          const reader = readers.find((one) => one.connection === connection)
          if (reader === undefined || reader.isCut) throw new Error('cut twice')
          reader.isCut = true
          connection.isClosed = true
          connections.delete(connection)
          cut.push(reader)
        },
        () => {},
      )
      const sum = (of: readonly Reader[]) => of.reduce((all, { unread }) => all + unread, 0)
      const open = () => readers.filter(({ connection }) => !connection.isClosed)
      const closingBytes = () => closing.reduce((all, { bytes }) => all + bytes, 0)
      for (const { from, count, bytes, reads, ends, passedMs } of steps) {
        vi.advanceTimersByTime(passedMs)
        closing = closing.filter(({ endMs }) => endMs > performance.now())
        for (const n of reads) readers[n].unread = 0
        const to = open().filter((_, n) => n >= from % 6 && n < from + count)
        for (const reader of to) reader.unread += bytes
        const before = open()
        cut.length = 0
        const unread = new Map(before.map((reader) => [reader, reader.unread]))
        memory.sent(bytes * to.length)
        expect(sum(open()) + closingBytes()).toBeLessThanOrEqual(MAX)
        expect(memory.bytes(performance.now())).toBe(sum(open()) + closingBytes())
        const clients = new Set(
          before.filter((one) => one.unread > 0).map((one) => one.connection.client),
        )
        const part = (MAX / 2 - closingBytes()) / clients.size
        if (cut.length > 0) {
          expect(sum(before) + closingBytes()).toBeGreaterThan((MAX * 3) / 4)
          for (const name of clients)
            expect(sum(open().filter((one) => one.connection.client === name))).toBeLessThanOrEqual(
              part,
            )
        }
        for (const gone of cut) {
          const own = before.filter((one) => one.connection.client === gone.connection.client)
          expect(sum(own)).toBeGreaterThan(part)
          const left = own.filter(({ isCut }) => !isCut)
          for (const one of left) expect(one.unread).toBeLessThanOrEqual(unread.get(gone) ?? 0)
        }
        const ending = ends === null ? undefined : open()[ends]
        if (ending === undefined) continue
        const isKept = closingBytes() + ending.unread <= MAX / 4
        expect(memory.keepsClosing(ending.connection)).toBe(isKept)
        ending.connection.isClosed = true
        if (!isKept) {
          connections.delete(ending.connection)
          continue
        }
        // It is told that it is gone later on, and counts once meanwhile.
        closing.push({ bytes: ending.unread, endMs: performance.now() + CLOSING_MS })
        expect(memory.bytes(performance.now())).toBe(sum(open()) + closingBytes())
      }
    }),
  )
})

let service: EngineServer
afterEach(() => service?.server.stop())

test('readers that do not read, however many, take no more memory than there is for all, and who reads gets everything', async () => {
  const unreadBytes = 8 * 2 ** 20
  service = await EngineServer.start('e1', undefined, { limits: { unreadBytes } })
  service.feed([born('A')])
  const figures = () => service.server.readiness().fields
  const ask = { event: 'update_mint_info', data: { action: 'subscribe', id: 'me', mints: ['A'] } }
  const open = async () => {
    const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
    await client.ask(ask)
    return client
  }
  const quick = await open()
  const slow = await Promise.all(Array.from({ length: 30 }, open))
  for (const { socket } of slow) socket.pause()
  let most = 0
  while (Number(figures().live_connections) > 1) {
    service.feed(Array.from({ length: 500 }, () => trade({ mint: 'A' })))
    most = Math.max(most, Number(figures().live_unread_bytes))
    for (let n = 0; n < 500; n += 1)
      expect(await quick.next()).toMatchObject({ data: { mint: 'A' } })
  }
  expect(most).toBeGreaterThan(unreadBytes / 4)
  expect(most).toBeLessThanOrEqual(unreadBytes)
  expect(Number(figures().live_cut_readers_total)).toBeGreaterThan(0)
  for (const { socket } of slow) socket.terminate()
  quick.close()
})
