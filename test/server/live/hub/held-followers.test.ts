import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import {
  CATCH_UP_BUFFER_BYTES,
  hasTooMuchUnread,
  MAX_BUFFERED_BYTES,
} from '../../../../src/server/live/connection/connection.ts'
import type { StateChannel } from '../../../../src/server/live/hub/state-channel.ts'
import { type Counter, counterChannel, EVERY_MS, Reader, wholeOf } from '../../counter-channel.ts'
import { EngineServer } from '../../engine-server.ts'

/** Limits of the server, private to their files. */
const LITTLE_UNREAD_BYTES = 64 * 1024

const TOPICS = ['a', 'b', 'c'] as const

let service: EngineServer
const channels: StateChannel<Counter>[] = []
afterEach(async () => {
  for (const channel of channels.splice(0)) channel.stop()
  await service.server.stop()
})

/** States that change each round, followed by readers; `padding` is what a change has behind its step. */
async function followed(readers: readonly Reader[], padding: () => string = () => '') {
  service = await EngineServer.start()
  const advance = (state: Counter) => `change ${++state.step}${padding()}`
  const { topics, channel, follow } = counterChannel(service, readers, {
    advance,
    whole: wholeOf,
  })
  channels.push(channel)
  for (const reader of readers) for (const topic of TOPICS) follow(reader, topic)
  return { topics, channel }
}

const isWhole = (frame: string) => frame.startsWith('whole')

test.each([true, false])(
  'whoever lags is told nothing until little lies unread, then the whole state and each change behind it; a socket: %s',
  async (isSocket) => {
    const [slow, quick] = [new Reader(isSocket), new Reader(true)]
    const { topics } = await followed([slow, quick])
    slow.unreadBytes = CATCH_UP_BUFFER_BYTES + 1
    await expect.poll(() => topics.heldCount).toBe(TOPICS.length)
    slow.taken()
    quick.taken()
    await expect.poll(() => quick.frames.length).toBeGreaterThan(10)
    slow.unreadBytes = LITTLE_UNREAD_BYTES + 1
    await sleep(4 * EVERY_MS)
    expect(slow.taken()).toEqual([])
    slow.unreadBytes = 0
    await expect.poll(() => topics.heldCount).toBe(0)
    await expect.poll(() => slow.frames.length).toBeGreaterThan(10)
    const frames = slow.taken()
    expect(frames.filter(isWhole)).toHaveLength(TOPICS.length)
    // The steps of each topic are whole; frames of one round stand side by side.
    const steps = frames.map((frame) => Number(frame.split(' ')[1])).sort((a, b) => a - b)
    const [first] = steps
    const last = steps.at(-1) ?? 0
    for (let step = first; step < last; step += 1)
      expect(steps.filter((other) => other === step)).toHaveLength(TOPICS.length)
  },
)

test.each([true, false])(
  'a change that is longer than a connection may leave unread cuts nobody who has read what was before it; a socket: %s',
  async (isSocket) => {
    const reader = new Reader(isSocket)
    const { connection } = reader
    let padding = ''
    const { topics } = await followed([reader], () => padding)
    reader.taken()
    padding = ` ${'é'.repeat(2 * MAX_BUFFERED_BYTES)}`
    // One of the states fills the line, the others wait until it is read.
    await expect.poll(() => topics.heldCount).toBeGreaterThan(1)
    expect(hasTooMuchUnread(connection)).toBe(false)
    expect(reader.taken().filter((frame) => frame.length > MAX_BUFFERED_BYTES)).toHaveLength(1)
    reader.unreadBytes += MAX_BUFFERED_BYTES + 1
    expect(hasTooMuchUnread(connection)).toBe(true)
    padding = ''
    reader.unreadBytes = 0
    await expect.poll(() => topics.heldCount).toBe(0)
    expect(reader.taken().filter(isWhole).length).toBeGreaterThan(1)
  },
)

test('of the states that a full line waits for, the one that waits longest comes first', async () => {
  const reader = new Reader(true)
  const { topics } = await followed([reader])
  const order: (string | undefined)[] = []
  reader.wholeBytes = CATCH_UP_BUFFER_BYTES + 1
  reader.unreadBytes = CATCH_UP_BUFFER_BYTES + 1
  await expect.poll(() => topics.heldCount).toBe(TOPICS.length)
  for (let time = 0; time < 2 * TOPICS.length; time += 1) {
    const [longest] = reader.connection.held
    order.push(longest)
    reader.unreadBytes = 0
    // It is held again: the whole of it fills the line.
    await expect.poll(() => reader.unreadBytes).toBeGreaterThan(CATCH_UP_BUFFER_BYTES)
    await expect.poll(() => topics.heldCount).toBe(TOPICS.length)
  }
  expect(order).toEqual([...TOPICS, ...TOPICS])
})

test('one that leaves or is closed while it is held is counted no more, and one that comes again is told', async () => {
  const [leaver, closed] = [new Reader(true), new Reader(false)]
  const { topics, channel } = await followed([leaver, closed])
  leaver.unreadBytes = CATCH_UP_BUFFER_BYTES + 1
  closed.unreadBytes = CATCH_UP_BUFFER_BYTES + 1
  await expect.poll(() => topics.heldCount).toBe(2 * TOPICS.length)
  for (const topic of TOPICS) channel.leave(leaver.connection, topic, { event: topic })
  expect(topics.heldCount).toBe(TOPICS.length)
  closed.connection.isClosed = true
  topics.drop(closed.connection)
  expect([topics.heldCount, topics.numberedCount]).toEqual([0, 0])
  leaver.taken()
  leaver.unreadBytes = 0
  topics.join(leaver.connection, 'a')
  topics.publish('a', 'change')
  expect(leaver.taken()).toEqual(['change'])
})
