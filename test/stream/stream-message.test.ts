import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { Kind, SEGMENT_HEADER_BYTES, SegmentScan } from '../../src/store/format/journal-format.ts'
import { JournalCopy } from '../../src/store/journal/journal-copy.ts'
import { type EventLog, JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import {
  MessageWriter,
  type ReadMessage,
  readMessage,
  type StreamMessage,
} from '../../src/stream/stream-message.ts'
import { byLength } from '../lengths.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { dormantMarket } from '../properties/dormant-market.ts'
import { begun, recovered, SIZES } from '../store/damage/folder.ts'
import { ImageDisk } from '../store/damage/image-disk.ts'
import { BEGINNING, messagesOf } from './real-stream.ts'

const MESSAGE_BYTES_MAX = 64 << 10
const RUNS = byLength(6, 30)

/** Messages without a stream: each commit ends one, or leaves it for the next. */
class Messages implements EventLog {
  readonly whole: StreamMessage[] = []
  readonly failure = null
  readonly #endsAt: () => boolean
  readonly #writer = new MessageWriter(BEGINNING, (message) => this.whole.push(message))
  seq = 0

  constructor(endsAt: () => boolean) {
    this.#endsAt = endsAt
  }

  begin(): MessageWriter {
    return this.#writer
  }

  commit(endSeq: number): void {
    this.seq = endSeq
    if (this.#endsAt()) this.#writer.end()
  }

  keepSyncing(): void {}

  end(): void {
    this.#writer.end()
  }
}

/** Folds events as a sequencer does; what it publishes. */
function published(
  events: readonly FeedEvent[],
  random: Random,
): { engine: Engine; messages: readonly StreamMessage[] } {
  const engine = new Engine(SIZES)
  const log = new Messages(() => random.chance(0.5))
  const resting = () =>
    random.chance(0.2) ? Array.from({ length: engine.state.tokens.count }, (_, token) => token) : []
  const journaled = new JournaledEngine(engine, log, resting)
  journaled.settings()
  for (let from = 0; from < events.length; ) {
    const to = from + random.integer(1, 50)
    journaled.events(events.slice(from, to))
    from = to
  }
  log.end()
  return { engine, messages: log.whole }
}

/** The places in a message between two frames. */
function endsOf({ bytes, header }: ReadMessage): readonly [number, ...number[]] {
  const ends: [number, ...number[]] = [header.firstSeq]
  const frame = new SegmentScan(bytes, header.crc, header.firstSeq)
  while (frame.next()) ends.push(frame.endSeq)
  return ends
}

/** A replica: it may be killed behind any message, and gets again what it may have. */
function followed(messages: readonly StreamMessage[], random: Random): Engine {
  const disk = new ImageDisk()
  let { engine, journal } = begun(disk, {}, new Engine(SIZES))
  for (let i = 0; i < messages.length; i++) {
    const copy = new JournalCopy(engine, journal)
    const stored = messages[i]
    if (stored === undefined) break
    const message = readMessage(stored.bytes, stored.index)
    const { seq } = copy
    const isKilled = random.chance(0.15)
    copy.write(isKilled ? { ...message, endSeq: random.pick(endsOf(message)) } : message)
    if (isKilled) {
      // A part of it was written and nothing folded: it comes back by its journal.
      journal.close()
      const again = recovered(disk)
      ;({ engine, journal } = begun(disk, {}, again.engine, again.found.place))
      i = Math.max(-1, i - random.integer(1, 3))
      continue
    }
    copy.fold([message], seq)
    expect(journal.seq).toBe(Math.max(seq, message.endSeq))
  }
  journal.close()
  expect(stateDigest(recovered(disk).engine.parts)).toBe(stateDigest(engine.parts))
  return engine
}

test('what a sequencer publishes gives replicas its state in all parts, also over kills and repeats', () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = new Random(seed)
    const events = seed % 2 === 0 ? history(seed, 200) : dormantMarket(random, 400)
    const { engine, messages } = published(events, random)
    expect(messages.length).toBeGreaterThan(2)
    const copy = followed(messages, random)
    expect(stateDigest(copy.parts), `seed ${seed}`).toBe(stateDigest(engine.parts))
  }
})

test('messages go on where the one before ends, are no longer than their limit, and a frame that is has one of its own', () => {
  const payload = fc.integer({ min: 0, max: MESSAGE_BYTES_MAX + 9_000 })
  fc.assert(
    fc.property(fc.array(payload, { maxLength: 40 }), fc.boolean(), (lengths, isText) => {
      const whole: StreamMessage[] = []
      const writer = new MessageWriter(BEGINNING, (message) => whole.push(message))
      for (const [seq, length] of lengths.entries())
        if (isText) writer.addText(Kind.event, seq, 1, 'x'.repeat(length))
        else writer.add(Kind.event, seq, 1, new Uint8Array(length).fill(1))
      writer.end()
      writer.end()
      let [seq, crc] = [0, 0]
      for (const [i, { bytes, index }] of whole.entries()) {
        const read = readMessage(bytes, i + 1)
        expect(index).toBe(i + 1)
        expect(read.header).toMatchObject({ ...{ index, firstSeq: seq, previousCrc: crc } })
        expect(read.header.epoch).toBe(BEGINNING.epoch)
        if (bytes.length > MESSAGE_BYTES_MAX) expect(read.endSeq).toBe(seq + 1)
        ;({ endSeq: seq, crc } = read)
      }
      expect(seq).toBe(lengths.length)
      // Full ones: two that follow each other could not have been one.
      if (!isText)
        for (const [i, { bytes }] of whole.entries()) {
          const frames =
            (whole[i + 1]?.bytes.length ?? Number.POSITIVE_INFINITY) - SEGMENT_HEADER_BYTES
          expect(bytes.length + frames).toBeGreaterThan(MESSAGE_BYTES_MAX)
        }
    }),
    { numRuns: byLength(20, 150) },
  )
})

test('a message with any one bit flipped, or cut anywhere, is refused', () => {
  const [, message] = messagesOf([2, 3, 0])
  if (message === undefined) throw new Error('three')
  const { bytes, index } = message
  for (let at = 0; at < bytes.length; at++)
    for (const bit of byLength(1, 8) === 1 ? [at % 8] : [0, 1, 2, 3, 4, 5, 6, 7]) {
      const flipped = bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit))
      expect(() => readMessage(flipped, index), `bit ${bit} of byte ${at}`).toThrow(StoreError)
    }
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.slice(0, length)
    // A header alone is a message without frames, which nobody writes.
    if (length !== SEGMENT_HEADER_BYTES)
      expect(() => readMessage(cut, index), `${length} bytes`).toThrow(StoreError)
  }
})
