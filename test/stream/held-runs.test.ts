/** Runs of events that fill a gap, which are several messages, and what readers of a replica see meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { eventLineText, type FeedEvent, gapEvent } from '../../src/events/event.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { Kind } from '../../src/store/format/journal-format.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { JournalCopy } from '../../src/store/journal/journal-copy.ts'
import { foldJournal } from '../../src/store/journal/journal-fold.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { StreamFollower, type StreamTarget } from '../../src/stream/stream-follower.ts'
import {
  MessageWriter,
  type ReadMessage,
  type StreamMessage,
} from '../../src/stream/stream-message.ts'
import { newFolder } from '../new-folder.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { until } from '../process/program.ts'
import { messageLog } from './message-log.ts'
import { EPOCH, placeBehind } from './real-stream.ts'

const GAP = { from: 101, to: 1_000, seconds: START_SECOND + 901 }
const SECOND_GAP = { from: 1_201, to: 1_300, seconds: START_SECOND + 1_201 }
/** Longer than a run may be silent. */
const LONG_MS = 11_000
const SETTINGS = { clock: 'event' } as const

const trade = (slot: number) =>
  swap({ slot, timestamp: START_SECOND + slot - 100, signature: `s${slot}` })
const trades = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => trade(from + i))

const BEFORE = [
  ...[price(100), created({ slot: 90 }), trade(100), gapEvent('open', GAP)],
  ...trades(1_001, 1_050),
]
const RUN = [gapEvent('filling', GAP), ...trades(101, 1_000), gapEvent('filled', GAP)]

/** Terms of sequencers on one engine, each of which publishes what comes in one go as messages of its own. */
class Terms {
  readonly engine = new Engine(SETTINGS)
  readonly messages: StreamMessage[] = []

  begin(): JournaledEngine {
    const { messages, engine } = this
    const writer = new MessageWriter(placeBehind(messages), (message) => messages.push(message))
    const log = messageLog(writer, messages.at(-1)?.endSeq ?? 0)
    const term = new JournaledEngine(engine, log)
    term.settings()
    return term
  }
}

/** A stream without NATS, of the messages that are in it so far. */
class ShortStream {
  readonly messages: StreamMessage[] = []

  async head() {
    const last = this.messages.length
    return { created: 'once', first: 1, last, messages: last, description: '' }
  }

  async message(index: number) {
    return this.messages[index - 1]?.bytes ?? null
  }

  async read(from: number) {
    let isOpen = true
    const { messages } = this
    async function* read() {
      for (let seq = from; isOpen; ) {
        const data = messages[seq - 1]?.bytes
        if (data === undefined) await sleep(1)
        else yield { seq: seq++, data }
      }
    }
    return {
      messages: read(),
      close() {
        isOpen = false
      },
    }
  }
}

/** A replica, with the newest slot that its readers saw behind each hand-over. */
class Copy implements StreamTarget {
  readonly takesRunsWhole = true
  readonly epoch = EPOCH
  readonly engine = new Engine(SETTINGS)
  readonly folder = newFolder()
  readonly newest: number[] = []
  readonly sizes: number[] = []
  readonly #queries = new EngineQueries(this.engine, () => {})
  readonly #journal: Journal
  readonly #copy: JournalCopy

  constructor() {
    const onFailure = (failure: Error) => {
      throw failure
    }
    const about = { disk: new NodeDisk(), folder: this.folder, fsync: 'off', epoch: EPOCH } as const
    const place = { seq: 0, crc: 0, segment: 0 }
    this.#journal = new Journal({ ...about, boot: EPOCH, onFailure }, place)
    this.#copy = new JournalCopy(this.engine, this.#journal)
  }

  get seq(): number {
    return this.#copy.seq
  }

  take(messages: readonly ReadMessage[]): void {
    const { seq } = this
    for (const message of messages) this.#copy.write(message)
    this.#copy.fold(messages, seq)
    expect(this.engine.areFactsWaiting).toBe(false)
    this.sizes.push(messages.length)
    const page = { page: 1, limit: 1, extra: false }
    this.newest.push(JSON.parse(this.#queries.swaps('mint', null, page)).items[0]?.slot ?? 0)
  }

  /** The state of what its folder holds. */
  refolded(): string {
    this.#journal.close()
    const engine = new Engine(SETTINGS)
    const files = listDataFiles(new NodeDisk(), this.folder)
    runToEnd(foldJournal(engine, { disk: new NodeDisk(), files, from: { seq: 0, segment: 0 } }))
    return stateDigest(engine.parts)
  }
}

interface Followed {
  readonly stream: ShortStream
  readonly copy: Copy
  readonly follower: StreamFollower
  readonly clock: { ms: number }
  readonly ended: Promise<void>
}

function following(stream = new ShortStream(), copy = new Copy(), heldBytesMax?: number): Followed {
  const clock = { ms: 0 }
  const follower = new StreamFollower(stream, copy, () => clock.ms, heldBytesMax)
  const ended = follower.run()
  onTestFinished(() => follower.stop())
  return { stream, copy, follower, clock, ended }
}

const reads = ({ follower, stream }: Pick<Followed, 'follower' | 'stream'>) =>
  until('everything is read', async () => {
    if (!(await follower.look())) return null
    const next = (follower.place?.index ?? 0) + follower.lag.messages
    return follower.hasRead && next === stream.messages.length + 1 ? true : null
  })

const inOrder = (slots: readonly number[]) => slots.toSorted((a, b) => a - b)

/** A stream up to an unfinished run: all of its messages but the last ones, which are handed back. */
async function inRun(heldBytesMax?: number) {
  const terms = new Terms()
  const term = terms.begin()
  term.events(BEFORE)
  const before = terms.messages.length
  term.events(RUN)
  expect(terms.messages.length - before).toBeGreaterThan(3)
  const followed = following(new ShortStream(), new Copy(), heldBytesMax)
  const rest = terms.messages.slice(before + 2)
  followed.stream.messages.push(...terms.messages.slice(0, before))
  await reads(followed)
  const shown = followed.copy.seq
  followed.stream.messages.push(...terms.messages.slice(before, before + 2))
  await reads(followed)
  return { ...followed, terms, term, before, rest, shown }
}

test('a run that fills a gap is handed over whole, so that readers never see less than they have seen', async () => {
  const { copy, rest, shown, terms, before, ...followed } = await inRun()
  expect(copy.seq).toBe(shown)
  expect(copy.newest.at(-1)).toBe(1_050)
  followed.stream.messages.push(...rest)
  await until('the run is folded', async () => (copy.seq > shown ? true : null))
  expect(copy.newest).toEqual(inOrder(copy.newest))
  expect(copy.sizes).toEqual([...new Array<number>(before).fill(1), rest.length + 2])
  expect(copy.seq).toBe(terms.messages.at(-1)?.endSeq)
  expect(stateDigest(copy.engine.parts)).toBe(stateDigest(terms.engine.parts))
  expect(copy.refolded()).toBe(stateDigest(terms.engine.parts))
})

test('what is held counts as not folded, in the place and in the lag', async () => {
  const { follower, clock, shown, terms, before } = await inRun()
  clock.ms += 700
  const held = terms.messages.slice(before, before + 2)
  expect(follower.isCaughtUp).toBe(false)
  expect(follower.place).toMatchObject({
    ...{ index: before + 1, seq: shown, crc: terms.messages[before - 1]?.crc },
  })
  expect(follower.lag).toMatchObject({
    ...{ messages: 2, events: (held.at(-1)?.endSeq ?? 0) - shown, ms: 700 },
  })
})

test('a stop while messages are held loses none of them: they are read again', async () => {
  const { follower, ended, copy, stream, rest, shown, terms } = await inRun()
  follower.stop()
  await ended
  expect(copy.seq).toBe(shown)
  const again = following(stream, copy)
  stream.messages.push(...rest)
  await until('the run is folded', async () => (copy.seq > shown ? true : null))
  await reads(again)
  expect(copy.newest).toEqual(inOrder(copy.newest))
  expect(copy.refolded()).toBe(stateDigest(terms.engine.parts))
})

test('a run that its sequencer did not end is folded as it is when the next term begins', async () => {
  const { copy, stream, rest, shown, before } = await inRun()
  // The next one has what the stream has: it takes over there, and fills the gap anew.
  const next = new Terms()
  next.messages.push(...stream.messages)
  const upTo = new JournalCopy(
    next.engine,
    new Journal(
      {
        disk: new NodeDisk(),
        folder: newFolder(),
        fsync: 'off',
        epoch: EPOCH,
        boot: EPOCH,
        onFailure() {},
      },
      { seq: 0, crc: 0, segment: 0 },
    ),
  )
  upTo.fold(next.messages, 0)
  const term = next.begin()
  stream.messages.push(...next.messages.slice(before + 2))
  await until('what there is of the run is folded', async () => (copy.seq > shown ? true : null))
  expect(copy.sizes.at(-1)).toBe(3)
  expect(rest.length).toBeGreaterThan(0)
  const first = stream.messages.length
  term.events([...RUN, trade(1_051)])
  stream.messages.push(...next.messages.slice(first))
  await until('the whole run is folded', async () =>
    copy.engine.newestSlot === 1_051 ? true : null,
  )
  expect(copy.newest).toEqual(inOrder(copy.newest))
  expect(stateDigest(copy.engine.parts)).toBe(stateDigest(next.engine.parts))
  expect(copy.refolded()).toBe(stateDigest(next.engine.parts))
})

test('who takes over a stream has folded what it held, and goes on behind it', async () => {
  const { copy, follower, ended, stream } = await inRun()
  const last = stream.messages.at(-1)
  follower.end()
  await ended
  expect(follower.place).toMatchObject({
    ...{ index: stream.messages.length + 1, seq: last?.endSeq, crc: last?.crc },
  })
  expect(copy.seq).toBe(last?.endSeq)
  expect(copy.newest).toEqual(inOrder(copy.newest))
})

test('a run is not waited for when the stream can be asked and has brought nothing for long', async () => {
  const { copy, clock, stream, rest, shown, terms, follower } = await inRun()
  await sleep(600)
  expect(copy.seq).toBe(shown)
  clock.ms += LONG_MS
  await until('the run is folded as it is', async () => (copy.seq > shown ? true : null))
  expect(follower.lag).toMatchObject({ messages: 0, events: 0, ms: 0 })
  // Its end comes all the same: event by event that is the same state.
  stream.messages.push(...rest)
  await until('all is folded', async () =>
    copy.seq === terms.messages.at(-1)?.endSeq ? true : null,
  )
  expect(copy.newest).toEqual(inOrder(copy.newest))
  expect(stateDigest(copy.engine.parts)).toBe(stateDigest(terms.engine.parts))
  expect(copy.refolded()).toBe(stateDigest(terms.engine.parts))
})

test('time in which the stream cannot be asked is no silence of it', async () => {
  const { copy, clock, stream, shown } = await inRun()
  const { head } = stream
  stream.head = async () => {
    clock.ms += LONG_MS
    throw new Error('no answer')
  }
  await sleep(600)
  stream.head = head
  await sleep(600)
  expect(copy.seq).toBe(shown)
})

test('of a run that is longer than a writer keeps, what comes is folded as it is', async () => {
  const { copy, stream, rest, shown, terms } = await inRun(100_000)
  expect(copy.seq).toBeGreaterThan(shown)
  expect(copy.sizes.at(-1)).toBe(2)
  stream.messages.push(...rest)
  await until('all is folded', async () =>
    copy.seq === terms.messages.at(-1)?.endSeq ? true : null,
  )
  expect(copy.newest).toEqual(inOrder(copy.newest))
  expect(stateDigest(copy.engine.parts)).toBe(stateDigest(terms.engine.parts))
})

test('a second run is held as the first one, from its own beginning', async () => {
  const { copy, stream, rest, terms, term } = await inRun()
  const second = [gapEvent('filling', SECOND_GAP), ...trades(1_201, 1_300)]
  term.events([gapEvent('open', SECOND_GAP), trade(1_301)])
  const behindFirst = terms.messages.length
  term.events(second)
  stream.messages.push(...rest, ...terms.messages.slice(stream.messages.length + rest.length))
  const firstEnd = terms.messages[behindFirst - 1]?.endSeq
  await until('the first one is folded', async () => (copy.seq === firstEnd ? true : null))
  await sleep(50)
  expect(copy.seq).toBe(firstEnd)
  term.events([gapEvent('filled', SECOND_GAP)])
  stream.messages.push(...terms.messages.slice(stream.messages.length))
  await until('the second one too', async () =>
    copy.seq === terms.messages.at(-1)?.endSeq ? true : null,
  )
  expect(copy.newest).toEqual(inOrder(copy.newest))
})

test('a run whose gap events are lines of a former form is held too', async () => {
  const followed = following()
  const { messages } = followed.stream
  const lineOf = (event: FeedEvent) => {
    const writer = new MessageWriter(placeBehind(messages), (message) => messages.push(message))
    writer.addText(Kind.event, messages.at(-1)?.endSeq ?? 0, 1, eventLineText(event))
    writer.end()
  }
  lineOf(price(100))
  lineOf(gapEvent('filling', GAP))
  lineOf(price(101))
  await reads(followed)
  expect(followed.copy.seq).toBe(1)
  lineOf(gapEvent('filled', GAP))
  await until('all is folded', async () => (followed.copy.seq === 4 ? true : null))
  expect(followed.copy.sizes).toEqual([1, 3])
})
