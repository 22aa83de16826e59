import { afterEach, expect, test, vi } from 'vitest'
import { type FakeService, startFake } from '../fake-service.ts'
import { PAST_THE_KERNEL_BYTES } from '../kernel-buffers.ts'
import { rawConnect, waitUntil } from '../raw-http.ts'

/** Limits of the server, private to their files. */
const SEND_DEADLINE_MS = 120_000

/** The time in which the test itself waits passes too. */
const SPARE_MS = 20_000
const GET = 'GET /api/v2/search/tokens/detailed?query=a HTTP/1.1\r\nHost: x\r\n\r\n'

let fake: FakeService
afterEach(async () => {
  vi.useRealTimers()
  await fake.server.stop()
})

const figures = () => fake.server.readiness().fields

/** A client that asked for a long answer and reads none of it. */
async function unread() {
  fake = await startFake()
  fake.body = () => 'x'.repeat(PAST_THE_KERNEL_BYTES)
  const raw = await rawConnect(fake.server.port)
  raw.socket.pause()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  raw.socket.write(GET)
  await vi.waitUntil(() => figures().http_unfinished_answers === 1, { timeout: 5_000 })
  return raw
}

test('an answer that is not read for two minutes is given up, and its connection closed', async () => {
  const raw = await unread()
  vi.advanceTimersByTime(SEND_DEADLINE_MS - SPARE_MS)
  expect(figures()).toMatchObject({ http_unfinished_answers: 1, http_unread_answers_total: 0 })
  vi.advanceTimersByTime(SPARE_MS)
  vi.useRealTimers()
  await waitUntil(() => figures().sockets === 0)
  expect(figures()).toMatchObject({
    sockets: 0,
    http_unfinished_answers: 0,
    http_unread_answers_total: 1,
  })
  raw.socket.destroy()
})

test('an answer that was read at last is not given up later, and its connection stays open', async () => {
  const { socket } = await unread()
  let received = 0
  socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  socket.resume()
  await vi.waitUntil(() => received > PAST_THE_KERNEL_BYTES, { timeout: 5_000 })
  await vi.waitUntil(() => figures().http_unfinished_answers === 0, { timeout: 5_000 })
  vi.advanceTimersByTime(2 * SEND_DEADLINE_MS)
  vi.useRealTimers()
  fake.body = () => 'again'
  socket.write(GET)
  const before = received
  await waitUntil(() => received > before)
  expect(received).toBeGreaterThan(before)
  expect(figures()).toMatchObject({ sockets: 1, http_unread_answers_total: 0 })
  socket.destroy()
})
