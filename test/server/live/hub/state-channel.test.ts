import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CATCH_UP_BUFFER_BYTES } from '../../../../src/server/live/connection/connection.ts'
import { LiveFailures } from '../../../../src/server/live/connection/live-failures.ts'
import type {
  StateChannel,
  StateChannelOptions,
  StateParts,
} from '../../../../src/server/live/hub/state-channel.ts'
import {
  type Counter,
  counterChannel,
  EVERY_MS,
  newCounter,
  Reader,
  wholeOf,
} from '../../counter-channel.ts'
import { EngineServer } from '../../engine-server.ts'

/** Limits of the server, private to their files. */
const LITTLE_UNREAD_BYTES = 64 * 1024

let service: EngineServer
const channels: StateChannel<Counter>[] = []
beforeEach(async () => {
  service = await EngineServer.start()
})
afterEach(async () => {
  for (const channel of channels.splice(0)) channel.stop()
  await service.server.stop()
})

function started(
  readers: readonly Reader[],
  options?: Partial<StateChannelOptions<Counter>>,
  parts?: Partial<StateParts>,
) {
  const made = counterChannel(service, readers, options, parts)
  channels.push(made.channel)
  return made
}

/** Several more rounds bring something. */
async function goesOn(reader: Reader): Promise<void> {
  reader.taken()
  await expect.poll(() => reader.frames.length).toBeGreaterThan(3)
}

test('what is followed goes on for as long as somebody follows it, and is begun anew after that', async () => {
  const dropped: string[] = []
  const [first, second] = [new Reader(true), new Reader(false)]
  const { channel, follow } = started([first, second], {
    dropped: ({ words }) => dropped.push(words.event),
  })
  const leave = ({ connection }: Reader, event: string) =>
    channel.leave(connection, event, { event })
  follow(first, 'a')
  expect(first.taken()).toEqual(['begun a', 'whole 1'])
  follow(second, 'a')
  // Who follows it already is told what changed before the other one begins.
  expect([first.taken(), second.taken()]).toEqual([['change 2'], ['begun a', 'whole 2']])
  follow(first, 'b')
  leave(first, 'a')
  expect([dropped, channel.size]).toEqual([[], 2])
  await goesOn(second)
  leave(second, 'a')
  expect([dropped, channel.size, channel.has('a')]).toEqual([['a'], 1, false])
  await goesOn(first)
  leave(first, 'b')
  leave(first, 'b')
  expect([dropped, channel.size]).toEqual([['a', 'b'], 0])
  second.taken()
  follow(second, 'a')
  expect(second.taken()).toEqual(['begun a', 'whole 1'])
  await goesOn(second)
  channel.stop()
  second.taken()
  await sleep(4 * EVERY_MS)
  expect(second.taken()).toEqual([])
})

test('what cannot be begun, or is too much for who asks for it, takes no place', () => {
  const [reader, slow] = [new Reader(true, '9.9.9.9'), new Reader(true, '9.9.9.8')]
  const { channel, follow } = started(
    [reader, slow],
    { maxOfAddress: 1 },
    {
      sendSnapshot: ({ socket }, frame) => {
        socket.send(frame)
        if (socket === slow.connection.socket) slow.connection.isClosed = true
      },
    },
  )
  const fails = () => {
    throw new Error('no state')
  }
  const { connection } = reader
  expect(() => channel.follow(connection, 'a', fails, wholeOf)).toThrow('no state')
  expect(() => channel.follow(connection, 'b', () => newCounter('b'), fails)).toThrow('no state')
  expect(channel.size).toBe(0)
  follow(slow, 'a')
  expect([slow.frames.length, channel.size]).toEqual([2, 0])
  follow(reader, 'c')
  expect(reader.taken()).toEqual(['begun c', 'whole 1'])
})

test('of what cannot be brought up to now all are told once, and the rest goes on', async () => {
  const failed: unknown[] = []
  const steps: string[] = []
  class Failures extends LiveFailures {
    override failed(...what: Parameters<LiveFailures['failed']>): void {
      failed.push(what)
    }
  }
  const nothing = () => {}
  const log = { info: nothing, warn: nothing, error: nothing }
  const readers = [new Reader(true), new Reader(false)]
  let broken: Error | null = null
  const { channel, topics, follow } = started(
    readers,
    {
      advance: (state) => {
        if (broken !== null && state.words.event === 'a') throw broken
        return `change ${++state.step}`
      },
    },
    {
      failures: new Failures({ log, onStep: nothing, send: nothing, close: nothing }),
      onStep: (name) => steps.push(name),
    },
  )
  for (const reader of readers) for (const topic of ['a', 'b']) follow(reader, topic)
  for (const reader of readers) await goesOn(reader)
  expect(new Set(steps)).toEqual(new Set(['counters']))
  broken = new Error('no memory')
  await expect.poll(() => channel.size).toBe(1)
  for (const reader of readers) await goesOn(reader)
  expect(failed).toEqual([[broken, readers.map(({ connection }) => connection), { event: 'a' }]])
  expect(topics.followersOf('a')).toEqual([])
  for (const { connection } of readers) expect([...connection.topics]).toEqual(['b'])
})

test('who reads a little behind is told each change, and nothing whole is made meanwhile', async () => {
  let wholes = 0
  const reader = new Reader(true)
  const { topics, follow } = started([reader], {
    whole: (state) => {
      wholes++
      return wholeOf(state)
    },
  })
  follow(reader, 'a')
  for (const unreadBytes of [LITTLE_UNREAD_BYTES + 1, CATCH_UP_BUFFER_BYTES]) {
    reader.unreadBytes = unreadBytes
    await goesOn(reader)
    expect([topics.heldCount, wholes]).toEqual([0, 0])
  }
})

test('where nothing whole is made for those who lag they are told each change', async () => {
  const reader = new Reader(true)
  const { topics, follow } = started([reader])
  follow(reader, 'a')
  reader.unreadBytes = CATCH_UP_BUFFER_BYTES + 1
  await goesOn(reader)
  expect(topics.heldCount).toBe(0)
  expect(reader.frames.filter((frame) => !frame.startsWith('change'))).toEqual([])
})

test('so many are followed of a connection, of an address and in all, and room is made before one is refused', () => {
  const clients = ['9.9.9.9', '9.9.9.9', '9.9.9.8', '9.9.9.7', '127.0.0.1', '127.0.0.1']
  const readers = clients.map((client) => new Reader(true, client))
  const [first, second, other, another, local, alsoLocal] = readers
  let finished = 0
  const leaving: Reader[] = []
  const { channel, topics, follow } = started(
    readers,
    { maxOfConnection: 2, maxOfAddress: 2, max: 5, advance: () => null },
    {
      finishDepartures: () => {
        finished++
        for (const { connection } of leaving.splice(0)) {
          const gone = [...connection.topics]
          topics.drop(connection)
          channel.dropUnfollowed(gone)
        }
      },
    },
  )
  const answer = (reader: Reader, topic: string) => {
    follow(reader, `counters/${topic}`)
    const [begins] = reader.taken()
    return begins.startsWith('begun') ? 'begun' : begins
  }
  const refusal = (most: string) =>
    JSON.stringify({
      ...{ type: 'error', code: 'too_many_tables' },
      message: `At most ${most} can be followed.`,
    })
  for (const topic of ['a', 'b', 'a']) expect(answer(first, topic)).toBe('begun')
  expect(answer(first, 'c')).toBe(refusal('2 counts a connection'))
  // What is followed already takes no place, and is no more anybody else's for that.
  expect(answer(other, 'a')).toBe('begun')
  expect([finished, channel.size]).toEqual([0, 2])
  expect(answer(second, 'c')).toBe(refusal('2 different counts of one address'))
  expect([finished, channel.size]).toEqual([1, 2])
  expect(answer(second, 'a')).toBe('begun')
  // Programs on this machine have no share.
  for (const topic of ['c', 'd']) expect(answer(local, topic)).toBe('begun')
  expect(answer(alsoLocal, 'e')).toBe('begun')
  expect(answer(other, 'f')).toBe(refusal('5 different counts in all'))
  expect(answer(another, 'e')).toBe('begun')
  expect([finished, channel.size]).toEqual([2, 5])
  first.connection.isClosed = true
  leaving.push(first)
  expect(answer(other, 'f')).toBe('begun')
  expect([finished, channel.size]).toEqual([3, 5])
})
