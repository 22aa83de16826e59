import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Random } from '../../src/base/random.ts'
import type { StoreError } from '../../src/store/disk/failure.ts'
import { Kind } from '../../src/store/format/journal-format.ts'
import { readMessage, type StreamMessage } from '../../src/stream/stream-message.ts'
import { StreamWriter } from '../../src/stream/stream-writer.ts'
import { byLength } from '../lengths.ts'
import { BEGINNING } from './real-stream.ts'
import { NO_TROUBLE, ScriptedStream, type Troubles } from './scripted-stream.ts'

const FIRST_SEED = Number(process.env.SEED ?? 1)
const SEEDS = byLength(15, 60)
const BATCHES = 60
const UNDER_WAY_MAX = 1
const MESSAGE_BYTES_MAX = 64 << 10
const WAITING_BYTES_MAX = 64 << 20
const CLOSE_MS = 3_000
const END_MS = 120_000
const STEP_MS = 500

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

class Writing {
  readonly stream: ScriptedStream
  readonly writer: StreamWriter
  readonly stored: StreamMessage[] = []
  readonly failures: StoreError[] = []
  mayWrite = true
  #seq = 0

  constructor(stream: ScriptedStream) {
    this.stream = stream
    this.writer = new StreamWriter({
      ...{ stream, place: BEGINNING, created: stream.created },
      mayWrite: () => this.mayWrite,
      onStored: (message) => this.stored.push(message),
      onFailed: (failure) => this.failures.push(failure),
    })
  }

  /** Events that were taken. */
  get seq(): number {
    return this.#seq
  }

  /** Has the stream everything, or has the writer ended? */
  get isOver(): boolean {
    return this.failures.length > 0 || this.stored.at(-1)?.endSeq === this.#seq
  }

  /** A batch of so many events, each with its number; it throws when no more are taken. */
  write(events: number, bytes = 8): void {
    const { failure } = this.writer
    if (failure !== null) throw failure
    const frames = this.writer.begin()
    for (let i = 0; i < events; i++) {
      const payload = new Uint8Array(bytes)
      new DataView(payload.buffer).setFloat64(0, this.#seq + i)
      frames.add(Kind.event, this.#seq + i, 1, payload)
    }
    this.#seq += events
    this.writer.commit(this.#seq)
  }

  /** What the stream has is each event once, in order, chained; where it has a foreign message, up to it. */
  check(what: string): void {
    const { messages, foreign } = this.stream
    const own = foreign.length === 0 ? messages : messages.slice(0, (foreign[0] ?? 1) - 1)
    let [seq, crc] = [0, 0]
    for (const [i, bytes] of own.entries()) {
      const read = readMessage(bytes, i + 1)
      expect(read.header, what).toMatchObject({ firstSeq: seq, previousCrc: crc })
      seq = read.endSeq
      crc = read.crc
    }
    const told = this.stored.map(({ index }) => index)
    expect(told, what).toEqual(own.slice(0, told.length).map((_, i) => i + 1))
    for (const { bytes, index } of this.stored)
      expect(Buffer.compare(bytes, own[index - 1] ?? new Uint8Array(0)), what).toBe(0)
    expect(this.writer.waiting.messages, what).toBeGreaterThanOrEqual(0)
    expect(this.stream.mostUnderWay, what).toBeLessThanOrEqual(UNDER_WAY_MAX)
  }
}

async function run(seed: number, troubles: (random: Random) => Troubles): Promise<Writing> {
  const random = new Random(seed)
  const stream = new ScriptedStream(random)
  const writing = new Writing(stream)
  for (let batch = 0; batch < BATCHES; batch++) {
    if (random.chance(0.1)) stream.troubles = troubles(random)
    if (random.chance(0.05)) writing.mayWrite = !writing.mayWrite
    if (writing.failures.length > 0) break
    for (let i = random.between(0, 40); i > 0 && writing.failures.length === 0; i--)
      writing.write(random.between(1, 4), random.chance(0.02) ? 70_000 : random.between(8, 900))
    await vi.advanceTimersByTimeAsync(random.between(0, 400))
  }
  stream.troubles = NO_TROUBLE
  writing.mayWrite = true
  for (let ms = 0; ms < END_MS && !writing.isOver; ms += STEP_MS)
    await vi.advanceTimersByTimeAsync(STEP_MS)
  writing.check(`seed ${seed}`)
  return writing
}

test(`whatever becomes of publishes, the stream has each event once and in order, and their writer knows it (SEED=${FIRST_SEED}, ${SEEDS} of them)`, async () => {
  let retries = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { writer, stream, stored, failures, seq } = await run(seed, (random) => ({
      silent: random.pick([0, 0.05, 0.4]),
      unasked: random.pick([0, 0.3, 0.8]),
      leaderless: random.pick([0, 0.02]),
      foreign: 0,
    }))
    expect(failures, `seed ${seed}`).toEqual([])
    expect(writer.seq).toBe(seq)
    expect(stored.at(-1)?.endSeq ?? 0, `seed ${seed}`).toBe(seq)
    expect(stored).toHaveLength(stream.messages.length)
    retries += stream.publishes - stored.length
  }
  expect(retries).toBeGreaterThan(SEEDS / 2)
})

test(`a writer whose place another one has taken ends with a sentence, once, and tells nothing as stored that is not (SEED=${FIRST_SEED})`, async () => {
  let ends = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const writing = await run(seed, (random) => ({
      silent: random.pick([0, 0.1]),
      unasked: random.pick([0, 0.3]),
      leaderless: random.pick([0, 0.02]),
      foreign: random.pick([0, 0.02]),
    }))
    const { stream, failures, writer } = writing
    expect(failures, `seed ${seed}`).toHaveLength(stream.foreign.length > 0 ? 1 : 0)
    if (stream.foreign.length === 0) continue
    ends += 1
    expect(failures[0]).toMatchObject({
      code: 'stream',
      message: expect.stringMatching(/another sequencer.*\.$/),
    })
    expect(() => writing.write(1)).toThrow(/another sequencer/)
    const { publishes } = stream
    await vi.advanceTimersByTimeAsync(END_MS)
    expect(stream.publishes, `seed ${seed}`).toBe(publishes)
    expect(writer.failure).toBe(failures[0])
  }
  expect(ends).toBeGreaterThan(SEEDS / 4)
})

test('a lone event leaves at once; while it is under way later events share the next one', async () => {
  const stream = new ScriptedStream(new Random(1))
  const writing = new Writing(stream)
  writing.write(1)
  expect(stream.publishes).toBe(1)
  for (let i = 0; i < 500; i++) writing.write(1, 100)
  expect(stream.publishes).toBe(1)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  writing.check('all are there')
  expect(writing.isOver).toBe(true)
  expect(stream.messages.length).toBeLessThan(6)
  for (const { length } of stream.messages) expect(length).toBeLessThanOrEqual(MESSAGE_BYTES_MAX)
})

test('a message that is longer than NATS takes ends the writer with a sentence', async () => {
  const stream = new ScriptedStream(new Random(1))
  const writing = new Writing(stream)
  writing.write(1, stream.messageBytesMax - 300)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(writing.failures).toHaveLength(1)
  expect(writing.failures[0]?.message).toMatch(/max_payload.*\.$/)
  expect(stream.publishes).toBe(0)
})

test('without the lease nothing is sent, and all of it once it is held', async () => {
  const stream = new ScriptedStream(new Random(1))
  const writing = new Writing(stream)
  writing.mayWrite = false
  for (let i = 0; i < 50; i++) writing.write(1)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(stream.publishes).toBe(0)
  writing.mayWrite = true
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(writing.isOver).toBe(true)
  writing.check('all are there')
})

test('a server that refuses at once is asked a few times a second, says why, and has each event once it takes them', async () => {
  const stream = new ScriptedStream(new Random(1))
  const writing = new Writing(stream)
  stream.troubles = { ...NO_TROUBLE, refused: 'NATS has no room' }
  expect(writing.writer.trouble).toBeNull()
  for (let ms = 0; ms < CLOSE_MS; ms += 10) {
    writing.write(1)
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(writing.writer.trouble).toBe('NATS has no room')
  expect(writing.isOver).toBe(false)
  expect(stream.publishes).toBeGreaterThan(5)
  expect(stream.publishes).toBeLessThan(20)
  stream.troubles = NO_TROUBLE
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(writing.writer.trouble).toBeNull()
  expect([writing.isOver, writing.failures]).toEqual([true, []])
  writing.check('all are there')
})

test('a queue that is full ends the writer with a sentence, and takes no more', async () => {
  const writing = new Writing(new ScriptedStream(new Random(1)))
  writing.mayWrite = false
  const lots = Math.ceil(WAITING_BYTES_MAX / MESSAGE_BYTES_MAX)
  for (let i = 0; i < lots - 2; i++) writing.write(1, MESSAGE_BYTES_MAX)
  expect(writing.failures).toEqual([])
  expect(() => {
    for (let i = 0; i < 4; i++) writing.write(1, MESSAGE_BYTES_MAX)
  }).toThrow(/no more can wait/)
  expect(writing.failures).toHaveLength(1)
  expect(() => writing.write(1)).toThrow(/no more can wait/)
  expect(writing.writer.waiting.bytes).toBeLessThan(WAITING_BYTES_MAX + 2 * MESSAGE_BYTES_MAX)
})

test('a stream that was made anew is not written any more', async () => {
  const stream = new ScriptedStream(new Random(1))
  const writing = new Writing(stream)
  writing.write(1)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  // It has the same messages, so that nothing else tells.
  Object.assign(stream, { created: 'again' })
  stream.troubles = { ...NO_TROUBLE, silent: 1 }
  writing.write(1)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(writing.failures).toHaveLength(1)
  expect(writing.failures[0]?.message).toMatch(/another sequencer/)
})

test('a message of another writer with the same events at the same place is not taken for the own', async () => {
  const stream = new ScriptedStream(new Random(1))
  const first = new Writing(stream)
  for (let i = 0; i < 3; i++) first.write(1)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  const second = new Writing(stream)
  second.write(1)
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(second.failures).toHaveLength(1)
  expect(stream.messages).toHaveLength(first.stored.length)
})

test('a writer that is closed waits for what is under way, and tells nothing once it has ended', async () => {
  const stream = new ScriptedStream(new Random(1))
  const writing = new Writing(stream)
  for (let i = 0; i < 40; i++) writing.write(1)
  let isClosed = false
  const closed = writing.writer.close(CLOSE_MS).then(() => {
    isClosed = true
  })
  expect(() => writing.write(1)).toThrow(/not written any more/)
  while (!isClosed) {
    await vi.advanceTimersByTimeAsync(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  expect(writing.stored.at(-1)?.endSeq).toBe(40)

  const late = new Writing(new ScriptedStream(new Random(2)))
  for (let i = 0; i < 40; i++) late.write(1)
  await late.writer.close(0)
  const { length } = late.stored
  await vi.advanceTimersByTimeAsync(CLOSE_MS)
  expect(late.stream.messages.length).toBeGreaterThan(length)
  expect(late.stored).toHaveLength(length)
})
