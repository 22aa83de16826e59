import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crc32 } from '../../src/base/crc32.ts'
import { Random } from '../../src/base/random.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { JOURNAL_VERSION, SEGMENT } from '../../src/store/format/journal-format.ts'
import type { StreamReading } from '../../src/stream/nats-stream.ts'
import { StreamFollower, type StreamTarget } from '../../src/stream/stream-follower.ts'
import type { ReadMessage } from '../../src/stream/stream-message.ts'
import { byLength } from '../lengths.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { newFolder } from '../new-folder.ts'
import { until } from '../process/program.ts'
import { EPOCH, messagesOf, OTHER_EPOCH, placeBehind, RealStream } from './real-stream.ts'

const single = natsServer('any')
const seed = Number(process.env.SEED ?? 20_261_129)
/** A reading that is dead is begun anew within it, on a busy machine. */
const FEW_SECONDS_MS = 15_000

/** A copy that remembers what it was handed. */
class Target implements StreamTarget {
  seq: number
  epoch: string | null
  readonly takesRunsWhole = true
  readonly taken: ReadMessage[] = []

  constructor(seq = 0, epoch: string | null = null) {
    this.seq = seq
    this.epoch = epoch
  }

  take(messages: readonly ReadMessage[]): void {
    for (const message of messages) {
      expect(message.header.firstSeq).toBeLessThanOrEqual(this.seq)
      this.seq = Math.max(this.seq, message.endSeq)
      this.epoch = message.header.epoch
      this.taken.push(message)
    }
  }

  get indexes(): number[] {
    return this.taken.map(({ header }) => header.index)
  }
}

class Following {
  readonly target: Target
  readonly follower: StreamFollower
  /** Why it has ended; null: it was stopped. */
  readonly ended: Promise<StoreError | null>

  constructor(follower: StreamFollower, target: Target) {
    this.follower = follower
    this.target = target
    this.ended = follower.run().then(
      () => null,
      (error: unknown) => {
        if (error instanceof StoreError) return error
        throw error
      },
    )
    onTestFinished(() => follower.stop())
  }

  /** Resolves once it has everything up to a sequence; rejects when it has ended. */
  async has(index: number): Promise<void> {
    const ended = this.ended.then((error) => Promise.reject(error ?? new Error('it was stopped')))
    const has = until(`message ${index} is taken`, async () =>
      (this.target.indexes.at(-1) ?? 0) >= index ? true : null,
    )
    await Promise.race([has, ended])
  }

  async stop(): Promise<void> {
    this.follower.stop()
    expect(await this.ended).toBeNull()
  }
}

async function following(real: RealStream, target = new Target()): Promise<Following> {
  return new Following(new StreamFollower(await real.connected(), target), target)
}

const whole = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

test.skipIf(single === null)(
  `a follower begins at every position of a stream, whatever messages without events lie there (SEED=${seed})`,
  async () => {
    const real = await RealStream.start()
    const random = new Random(seed)
    for (let round = 0; round < byLength(1, 4); round++) {
      const events = Array.from({ length: random.between(8, 40) }, () =>
        random.chance(0.4) ? 0 : random.between(1, 4),
      )
      const messages = messagesOf(events)
      await real.remake(messages)
      const stream = await real.connected()
      const { endSeq, index: last } = messages.at(-1) ?? { endSeq: 0, index: 0 }
      for (let seq = 0; seq <= endSeq; seq++) {
        const target = new Target(seq, EPOCH)
        const one = new Following(new StreamFollower(stream, target), target)
        await one.has(last)
        await one.stop()
        const needed = messages.filter((each) => each.header.firstSeq >= seq || each.endSeq > seq)
        expect(target.indexes).toEqual(whole(target.indexes[0] ?? 0, last))
        const missed = needed.filter(({ index }) => !target.indexes.includes(index))
        expect(missed, `at seq ${seq} of ${events}`).toEqual([])
        // One before is read to know its sum.
        expect(target.taken.length).toBeLessThanOrEqual(needed.length + 1)
      }
    }
  },
)

test.skipIf(single === null)(
  'a message that was taken out of the stream ends the following, whether it was before or is now',
  async () => {
    const real = await RealStream.start()
    const messages = messagesOf([1, 1, 1, 1, 1, 1])
    await real.remake(messages)
    await real.deleteMessage(4)
    const hole = { code: 'damaged', message: expect.stringContaining('Message 4 ') }
    for (const seq of [0, 2, 3]) {
      const late = await following(real, new Target(seq, EPOCH))
      expect(await late.ended, `from seq ${seq}`).toMatchObject(hole)
      expect(late.target.indexes.at(-1) ?? 3).toBe(3)
    }
    await real.remake(messages.slice(0, 3))
    const one = await following(real)
    await one.has(3)
    const stopped = await following(real, new Target(3, EPOCH))
    await stopped.has(3)
    await one.stop()
    await real.publish(messages.slice(3))
    await real.deleteMessage(4)
  },
)

const DAMAGE: Readonly<
  Record<string, { of(bytes: Uint8Array): Uint8Array; code: string; says: RegExp }>
> = {
  'a damaged frame': {
    of: (bytes) => bytes.with(bytes.length - 20, (bytes.at(-20) ?? 0) ^ 1),
    ...{ code: 'damaged', says: /^Message 3 .*whose sum is wrong/ },
  },
  'another program': {
    of: () => Buffer.from('hello'),
    ...{ code: 'damaged', says: /^Message 3 .*none of mintfeed/ },
  },
  'no bytes': {
    of: () => new Uint8Array(0),
    ...{ code: 'damaged', says: /^Message 3 .*none of mintfeed/ },
  },
  'a newer version': {
    of: (bytes) => {
      const head = Buffer.from(bytes)
      head.writeUInt32LE(JOURNAL_VERSION + 1, SEGMENT.version)
      head.writeUInt32LE(crc32(head.subarray(0, SEGMENT.crc)), SEGMENT.crc)
      return head
    },
    ...{ code: 'newer_version', says: /^Message 3 .*later version/ },
  },
  'a copy of the one before': {
    of: () => messagesOf([1, 1])[1]?.bytes ?? new Uint8Array(0),
    ...{ code: 'damaged', says: /^Message 3 .*says that it is message 2/ },
  },
  'a message that follows another one': {
    of: () =>
      messagesOf([1], { epoch: EPOCH, index: 3, seq: 2, crc: 7 })[0]?.bytes ?? new Uint8Array(0),
    ...{ code: 'damaged', says: /^Message 3 .*does not go on/ },
  },
  'a message of a later position': {
    of: () =>
      messagesOf([1], { ...placeBehind(messagesOf([1, 1])), seq: 5 })[0]?.bytes ??
      new Uint8Array(0),
    ...{ code: 'damaged', says: /^Message 3 .*begins at seq 5, not at 2/ },
  },
  'a message of another epoch': {
    of: () =>
      messagesOf([1], { ...placeBehind(messagesOf([1, 1])), epoch: OTHER_EPOCH })[0]?.bytes ??
      new Uint8Array(0),
    ...{ code: 'stream', says: /another epoch/ },
  },
}

test.skipIf(single === null)(
  'nothing behind a message that is not right is taken, and the sentence names it',
  async () => {
    const real = await RealStream.start()
    for (const [what, { of, code, says }] of Object.entries(DAMAGE)) {
      const messages = messagesOf([1, 1, 1, 1])
      const [first, second, third, fourth] = messages
      if (!first || !second || !third || !fourth) throw new Error('four')
      for (const isFollowed of [false, true]) {
        await real.remake([first, second])
        const one = isFollowed ? await following(real) : null
        await one?.has(2)
        await real.publish([{ bytes: of(third.bytes) }, fourth])
        const { ended, target } = one ?? (await following(real))
        expect(await ended, what).toMatchObject({ code, message: expect.stringMatching(says) })
        expect(target.indexes, what).toEqual(
          isFollowed ? [1, 2] : [1, 2].slice(0, target.taken.length),
        )
      }
    }
  },
)

test.skipIf(single === null)(
  'a stream that is made anew with as many messages, or more, is told from the one before, followed or not',
  async () => {
    const real = await RealStream.start()
    for (const epoch of [EPOCH, OTHER_EPOCH])
      for (const count of [3, 4, 5, 9]) {
        await real.remake(messagesOf([1, 1, 1, 1]))
        const one = await following(real)
        await one.has(4)
        const anew = messagesOf(new Array<number>(count).fill(1), {
          epoch,
          index: 1,
          seq: 0,
          crc: 99,
        })
        await real.remake(anew)
        const error = await one.ended
        expect(['stream', 'damaged'], `${count}: ${error?.message}`).toContain(error?.code)
        expect(one.target.taken).toHaveLength(4)
        if (epoch === EPOCH) continue
        const later = await following(real, new Target(4, EPOCH))
        expect(await later.ended).toMatchObject({ code: 'stream' })
        expect(later.target.taken).toEqual([])
      }
  },
)

test.skipIf(single === null)(
  'what has expired is said, before the start and while it stood still',
  async () => {
    const real = await RealStream.start()
    const messages = messagesOf([1, 1, 1, 1, 1, 1])
    await real.remake(messages.slice(0, 2))
    const one = await following(real)
    await one.has(2)
    await one.stop()
    await real.publish(messages.slice(2))
    await real.expire(5)
    const gone = await following(real, new Target(2, EPOCH))
    expect(await gone.ended).toMatchObject({
      code: 'stream',
      message: expect.stringContaining('NATS_KEEP'),
    })
    const still = await following(real, new Target(4, EPOCH))
    await still.has(6)
    expect(still.target.indexes).toEqual([5, 6])
    await real.expire(7)
    // Nothing is left, and nothing is missing.
    const ended = await following(real, new Target(6, EPOCH))
    await until('it is caught up', async () => (ended.follower.isCaughtUp ? true : null))
    await real.publish(messagesOf([1], placeBehind(messages)))
    await ended.has(7)
    await still.has(7)
  },
)

test.skipIf(single === null)(
  'a stream whose server lost its newest messages is not folded, whether it is followed or met later',
  async () => {
    const folder = newFolder()
    const real = await RealStream.start({ folder })
    const [server] = real.nats.servers
    const messages = messagesOf([1, 1, 1, 1, 1, 1, 1, 1])
    await real.remake(messages.slice(0, 3))
    await server?.stop()
    const kept = join(newFolder(), 'kept')
    const store = join(folder, 'nats-1', 'jetstream')
    fs.cpSync(store, kept, { recursive: true })
    await server?.restart()
    await real.publish(messages.slice(3, 6))
    const one = await following(real)
    await one.has(6)
    await server?.stop()
    fs.rmSync(store, { recursive: true })
    fs.cpSync(kept, store, { recursive: true })
    await server?.restart()
    expect(await one.ended).toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('has lost'),
    })
    const later = await following(real, new Target(6, EPOCH))
    expect(await later.ended).toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('has lost'),
    })
  },
)

test.skipIf(single === null)(
  'a follower goes on by itself when its consumer is deleted, when the server was killed, and when it stood still',
  async () => {
    const real = await RealStream.start()
    const [server] = real.nats.servers
    const messages = messagesOf(new Array<number>(40).fill(1))
    await real.remake(messages.slice(0, 10))
    const one = await following(real)
    await one.has(10)
    const goesOn = async (from: number, to: number) => {
      const startMs = performance.now()
      await real.publish(messages.slice(from, to))
      await one.has(to)
      expect(performance.now() - startMs).toBeLessThan(FEW_SECONDS_MS)
    }
    expect(await real.deleteConsumers()).toBeGreaterThan(0)
    await goesOn(10, 20)
    await server?.kill()
    await until('it says that the server is away', async () =>
      one.follower.waiting !== null && one.follower.lag.unreachedMs > 0 ? true : null,
    )
    await server?.restart()
    await goesOn(20, 30)
    server?.pause()
    await until('it says that the server is silent', async () =>
      one.follower.lag.unreachedMs > 0 ? true : null,
    )
    server?.resume()
    await goesOn(30, 40)
    expect(one.target.indexes).toEqual(whole(1, 40))
    await until('nobody is waited for', async () =>
      one.follower.waiting === null && one.follower.lag.unreachedMs === 0 ? true : null,
    )
  },
)

test.skipIf(single === null)(
  'a reading that is silent while the stream goes on is begun anew, whatever the client says of it',
  async () => {
    const real = await RealStream.start()
    const messages = messagesOf([1, 1, 1])
    await real.remake(messages)
    const stream = await real.connected()
    let readings = 0
    const target = new Target()
    const silent = {
      head: () => stream.head(),
      message: (seq: number) => stream.message(seq),
      read: (from: number): Promise<StreamReading> => {
        readings += 1
        return readings < 3 ? Promise.resolve(silentReading()) : stream.read(from)
      },
    }
    const one = new Following(new StreamFollower(silent, target), target)
    await one.has(3)
    expect(readings).toBe(3)
    await one.stop()
  },
)

function silentReading(): StreamReading {
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const next = () => closed.then(() => ({ done: true as const, value: undefined }))
  return { messages: { [Symbol.asyncIterator]: () => ({ next }) }, close: () => close() }
}

test.skipIf(single === null)(
  'a follower tells how far behind it is, in messages, events and time',
  async () => {
    const real = await RealStream.start()
    const messages = messagesOf([3, 3, 3])
    await real.remake(messages.slice(0, 1))
    const one = await following(real)
    await one.has(1)
    await until('it is caught up', async () => (one.follower.isCaughtUp ? true : null))
    expect(one.follower.lag).toEqual({ messages: 0, events: 0, ms: 0, unreachedMs: 0 })
    await one.stop()
    await real.publish(messages.slice(1))
    expect(await one.follower.look()).toBe(true)
    expect(one.follower.lag).toMatchObject({ messages: 2, events: 6 })
    expect(one.follower.isCaughtUp).toBe(false)
    const { ms } = one.follower.lag
    await until('the lag grows', async () => (one.follower.lag.ms > ms + 50 ? true : null))
  },
)
