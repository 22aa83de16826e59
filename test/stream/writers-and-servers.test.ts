import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import type { StoreError } from '../../src/store/disk/failure.ts'
import { Kind } from '../../src/store/format/journal-format.ts'
import type { NatsStream } from '../../src/stream/nats-stream.ts'
import {
  readMessage,
  type StreamMessage,
  type StreamPlace,
} from '../../src/stream/stream-message.ts'
import { StreamWriter } from '../../src/stream/stream-writer.ts'
import { byLength } from '../lengths.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { restartInCluster } from '../nats/nats-servers.ts'
import { until } from '../process/program.ts'
import { BEGINNING, EPOCH, placeBehind, RealStream } from './real-stream.ts'

const single = natsServer('any')
const cluster = natsServer('cluster')
const seed = Number(process.env.SEED ?? 20_261_129)

let writers = 0

/** A writer of numbered events, and what it was told. */
class Writing {
  readonly writer: StreamWriter
  readonly stored: StreamMessage[] = []
  failure: StoreError | null = null
  seq: number
  /** No two writers write the same. */
  readonly #number = ++writers

  private constructor(stream: NatsStream, place: StreamPlace, created: string) {
    this.seq = place.seq
    this.writer = new StreamWriter({
      ...{ stream, place, created, mayWrite: () => true },
      onStored: (message) => this.stored.push(message),
      onFailed: (failure) => {
        this.failure = failure
      },
    })
  }

  /** Goes on behind what the stream has, as a sequencer does that has just got the lease. */
  static async begin(real: RealStream): Promise<Writing> {
    const stream = await real.connected()
    const head = await stream.head()
    if (head === null) throw new Error('the stream was made')
    const last = head.last === 0 ? null : await stream.message(head.last)
    if (last === null) return new Writing(stream, BEGINNING, head.created)
    const { endSeq, crc } = readMessage(last, head.last)
    return new Writing(
      stream,
      { epoch: EPOCH, index: head.last + 1, seq: endSeq, crc },
      head.created,
    )
  }

  /** One event; false: none is taken any more. */
  write(): boolean {
    if (this.writer.failure !== null) return false
    const payload = new Uint8Array(new Float64Array([this.seq, this.#number]).buffer)
    this.writer.begin().add(Kind.event, this.seq, 1, payload)
    this.seq += 1
    this.writer.commit(this.seq)
    return true
  }

  get storedSeq(): number {
    return this.stored.at(-1)?.endSeq ?? 0
  }
}

/** Every message goes on where the one before ends; all that a writer was told is there. */
async function check(real: RealStream, writings: readonly Writing[]): Promise<void> {
  const stream = await real.connected()
  const head = await stream.head()
  let { seq, crc } = placeBehind([])
  const messages: Uint8Array[] = []
  for (let index = 1; index <= (head?.last ?? 0); index++) {
    const data = await stream.message(index)
    if (data === null) throw new Error(`message ${index} is not there`)
    const read = readMessage(data, index)
    expect(read.header, `message ${index}`).toMatchObject({ firstSeq: seq, previousCrc: crc })
    seq = read.endSeq
    crc = read.crc
    messages.push(data)
  }
  for (const { bytes, index } of writings.flatMap(({ stored }) => stored))
    expect(Buffer.compare(bytes, messages[index - 1] ?? new Uint8Array(0))).toBe(0)
}

test.skipIf(single === null)(
  `a writer that does not know that another one has taken over breaks nothing and ends (SEED=${seed})`,
  async () => {
    const real = await RealStream.start()
    await real.make()
    const random = new Random(seed)
    let holder = await Writing.begin(real)
    const writings = [holder]
    let takeovers = 0
    for (let round = 0; round < byLength(4, 20); round++) {
      let next: Writing | null = null as Writing | null
      const beginning = Writing.begin(real).then((writing) => {
        writings.push(writing)
        next = writing
        // As a sequencer writes how its engine is set.
        writing.write()
      })
      // Both go on as fast as they can, until one of them has seen the other.
      const hasEnded = (writing: Writing | null) => writing !== null && writing.failure !== null
      // In each other round the one before stands still meanwhile, as one that has lost its lease.
      const stands = round % 2 === 0
      while (!hasEnded(holder) && !hasEnded(next)) {
        for (let i = random.between(1, 20); i > 0; i--) {
          next?.write()
          if (!stands || next !== null) holder.write()
        }
        await pause(random.between(0, 2))
      }
      await beginning
      const [over, on] = hasEnded(next) ? [next, holder] : [holder, next]
      expect(over).toMatchObject({
        failure: { message: expect.stringMatching(/another sequencer/) },
      })
      expect(on).toMatchObject({ failure: null })
      if (on === next) takeovers += 1
      if (on !== null && on !== undefined) holder = on
    }
    const last = holder
    last?.write()
    await until('the last one has written all', async () =>
      last?.storedSeq === last?.seq ? true : null,
    )
    expect(last?.failure).toBeNull()
    expect(takeovers).toBeGreaterThan(0)
    await check(real, writings)
  },
)

test.skipIf(cluster === null)(
  `a leader of three that is killed loses and doubles nothing of what is under way (SEED=${seed})`,
  async () => {
    const real = await RealStream.start({ servers: 3 })
    const stream = await real.connected()
    await stream.make('test')
    const random = new Random(seed)
    const writing = await Writing.begin(real)
    let isEnded = false
    const work = (async () => {
      while (!isEnded) {
        for (let i = random.between(1, 30); i > 0; i--) writing.write()
        await pause(random.between(0, 10))
      }
    })()
    for (let round = 0; round < byLength(1, 2); round++) {
      await pause(random.between(200, 1_000))
      const { storedSeq } = writing
      const leader = await real.nats.leader('mintfeed')
      await leader.kill()
      await until('it goes on', async () => (writing.storedSeq > storedSeq + 100 ? true : null))
      await restartInCluster(leader)
    }
    isEnded = true
    await work
    await until('all is stored', async () => (writing.storedSeq === writing.seq ? true : null))
    expect(writing.failure).toBeNull()
    await check(real, [writing])
  },
)
