import type { BookCounts } from '../engine/address-book.ts'
import type { Engine } from '../engine/engine.ts'
import type { FeedEvent } from '../engine/event.ts'
import type { EventSink } from '../engine/event-sink.ts'
import { RecordBatch } from '../engine/record-batch.ts'
import { SWAP_RECORD_BYTES } from '../engine/swap-record.ts'
import { eventLineText } from '../wire/event-line-text.ts'
import { addDefinitions } from './definitions.ts'
import { StoreError } from './failure.ts'
import type { FrameWriter } from './frame-writer.ts'
import type { Journal } from './journal.ts'
import { Kind } from './journal-format.ts'

/** Events written and folded at once; a longer batch of a feed is cut into several. */
const EVENTS_PER_WRITE = 1_024

/** Tells which tokens are to be put to rest before so many events are folded. */
export type ChooseRests = (events: number) => readonly number[]

/** A run of a batch: swaps as records, or one other event. */
type Run = { readonly from: number; readonly to: number } | FeedEvent

/**
 * The engine behind its journal: a batch is encoded, written, then folded and so published. When
 * the disk has refused, batches are left out and counted; what was folded stays readable.
 */
export class JournaledEngine implements EventSink {
  readonly #engine: Engine
  readonly #journal: Journal
  readonly #isWallClock: boolean
  readonly #records = new RecordBatch(EVENTS_PER_WRITE)
  readonly #runs: Run[] = []
  readonly #clock = new Float64Array(1)
  readonly #chooseRests: ChooseRests
  /** Tokens that the frames being written put to rest. */
  #rests: readonly number[] = []
  /** What of the address book the journal knows, or will know by folding. */
  #known: BookCounts
  /** Events left out because the disk had refused. */
  leftOut = 0

  constructor(engine: Engine, journal: Journal, chooseRests: ChooseRests = () => []) {
    this.#chooseRests = chooseRests
    this.#engine = engine
    this.#journal = journal
    this.#isWallClock = engine.settings.clock === 'wall'
    this.#known = engine.state.book.counts
  }

  /** Writes how the engine is set: first of all of a run, once. */
  settings(): void {
    const frames = this.#journal.begin()
    const text = JSON.stringify(this.#engine.settings)
    frames.add(Kind.settings, this.#journal.seq, 0, Buffer.from(text))
    this.#write(0)
  }

  events(batch: readonly FeedEvent[]): void {
    if (this.#isOver(batch.length)) return
    for (let from = 0; from < batch.length; from += EVENTS_PER_WRITE) {
      const part = batch.slice(from, from + EVENTS_PER_WRITE)
      this.#collect(part)
      if (!this.#writeRuns(part.length)) continue
      this.#rest()
      for (const run of this.#runs)
        if ('from' in run) this.#engine.acceptRecords(this.#records, run.from, run.to)
        else this.#engine.accept(run)
      this.#known = this.#engine.state.book.counts
    }
  }

  records(batch: RecordBatch): void {
    if (this.#isOver(batch.count)) return
    const { seq } = this.#journal
    const frames = this.#begin(seq, batch.count)
    for (let from = 0; from < batch.count; from += EVENTS_PER_WRITE) {
      const to = Math.min(batch.count, from + EVENTS_PER_WRITE)
      addRecords(frames, seq + from, batch, from, to)
    }
    if (!this.#write(batch.count)) return
    this.#rest()
    this.#engine.acceptRecords(batch)
    this.#known = this.#engine.state.book.counts
  }

  /** Had the disk refused before? The batch is left out, its names do not even get numbers. */
  #isOver(events: number): boolean {
    if (this.#journal.failure === null) return false
    this.leftOut += events
    return true
  }

  /** Cuts a batch into runs; swaps become records. */
  #collect(events: readonly FeedEvent[]): void {
    const records = this.#records
    const runs = this.#runs
    records.clear()
    runs.length = 0
    let from = 0
    for (const event of events) {
      if (event.type === 'swap') {
        this.#engine.intake.append(event, records)
        continue
      }
      if (records.count > from) runs.push({ from, to: records.count })
      from = records.count
      runs.push(event)
    }
    if (records.count > from) runs.push({ from, to: records.count })
  }

  #writeRuns(events: number): boolean {
    let { seq } = this.#journal
    const frames = this.#begin(seq, events)
    for (const run of this.#runs)
      if ('from' in run) {
        addRecords(frames, seq, this.#records, run.from, run.to)
        seq += run.to - run.from
      } else {
        frames.add(Kind.event, seq, 1, Buffer.from(eventLineText(run)))
        seq += 1
      }
    return this.#write(events)
  }

  #rest(): void {
    if (this.#rests.length > 0) this.#engine.rest(this.#rests)
  }

  /**
   * Starts the frames of a batch: the clock when it has moved, what records name, then the tokens that
   * are put to rest before it.
   */
  #begin(seq: number, events: number): FrameWriter {
    const frames = this.#journal.begin()
    const { now } = this.#engine.state
    if (this.#isWallClock && now !== this.#clock[0]) {
      this.#clock[0] = now
      frames.add(Kind.clock, seq, 0, new Uint8Array(this.#clock.buffer))
    }
    addDefinitions(frames, seq, this.#engine.state.book, this.#known)
    this.#rests = this.#chooseRests(events)
    if (this.#rests.length > 0)
      frames.add(Kind.rest, seq, 0, new Uint8Array(new Uint32Array(this.#rests).buffer))
    return frames
  }

  /** False when the disk has refused, now or before: the batch must not be folded. */
  #write(events: number): boolean {
    try {
      this.#journal.commit(this.#journal.seq + events)
      return true
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.leftOut += events
      return false
    }
  }
}

function addRecords(
  frames: FrameWriter,
  seq: number,
  batch: RecordBatch,
  from: number,
  to: number,
): void {
  const bytes = batch.bytes.subarray(from * SWAP_RECORD_BYTES, to * SWAP_RECORD_BYTES)
  frames.add(Kind.records, seq, to - from, bytes)
}
