import type { Config } from '../../../src/config/config.ts'
import type { Engine, EngineOptions } from '../../../src/engine/engine.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import type { EventSink } from '../../../src/events/event-sink.ts'
import { RecordBatch } from '../../../src/events/swap-record.ts'
import type { Disk } from '../../../src/store/disk/disk.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { archivedEngine } from '../../../src/store/snapshot/tape-archive.ts'
import { history } from '../../oracle/histories.ts'
import { Random } from '../../oracle/random.ts'
import { stepsOf } from '../restoring.ts'

export const FOLDER = '/data'

/** What a feed hands over at once. */
export interface Batch {
  /** Seq of its first event. */
  readonly from: number
  readonly events: readonly FeedEvent[]
  /** Where a wall clock stands. */
  readonly now: number
  /** Handed over as binary records. */
  readonly isRecords: boolean
  /** Tokens that are put to rest before it. */
  readonly rests: readonly number[]
}

/** A history cut into batches, and what a state after any of its events looks like. */
export class Story {
  readonly batches: readonly Batch[]
  readonly count: number
  readonly options: EngineOptions
  readonly fsync: Config['fsync']
  /** Length of the journal's ring; null: it has none. */
  readonly ringBytes: number | null
  /** Digest of the whole. */
  readonly end: string
  /** The engine that folded it without a disk. */
  readonly whole: Engine
  readonly #digests: Set<string>[] = []
  /** Tokens that the batch being handed over puts to rest. */
  #rests: readonly number[] = []

  constructor(
    seed: number,
    count: number,
    fsync: Config['fsync'],
    clock: 'event' | 'wall',
    ringBytes: number | null = null,
  ) {
    this.ringBytes = ringBytes
    const events = history(seed, count)
    this.count = events.length
    this.fsync = fsync
    this.options = {
      clock,
      identities: 64,
      rules: { proTrades: 6, proMints: 2 },
      tapeChunkRecords: TAPE_BLOCK_RECORDS,
    }
    this.batches = batchesOf(events, seed)
    this.whole = this.#fold()
    this.end = stateDigest(this.whole.parts)
  }

  newEngine(disk: Disk): Engine {
    return archivedEngine(disk, FOLDER, this.options)
  }

  /** Is it the state after the first `n` events and no other? */
  isStateAt(n: number, digest: string): boolean {
    return this.#digests[n]?.has(digest) === true
  }

  /** Who rests before the batch that is handed over now; what a service writes into its journal. */
  chooseRests(): readonly number[] {
    return this.#rests
  }

  /** Hands over a batch, or what of it a restart has not had. */
  feed(batch: Batch, engine: Engine, sink: EventSink, fromSeq = batch.from): void {
    engine.advance(batch.now)
    // Once some of its events have lasted, so has what was written before them.
    this.#rests = fromSeq > batch.from ? [] : batch.rests
    const events = batch.events.slice(Math.max(0, fromSeq - batch.from))
    if (batch.isRecords) sink.records(recordsOf(engine, events))
    else sink.events(events)
  }

  /** Digests on the way: a journal may end behind a clock or definitions, before their events. */
  #fold(): Engine {
    const engine = archivedEngine(NO_DISK, FOLDER, this.options)
    for (const batch of this.batches) {
      this.#note(batch.from, engine)
      engine.advance(batch.now)
      this.#note(batch.from, engine)
      const records = recordsOf(engine, batch.events)
      this.#note(batch.from, engine)
      engine.coldStore.evict(batch.rests)
      this.#note(batch.from, engine)
      let record = 0
      for (const [i, event] of batch.events.entries()) {
        if (event.type === 'swap') engine.acceptRecords(records, record, ++record)
        else engine.accept(event)
        this.#note(batch.from + i + 1, engine)
      }
    }
    return engine
  }

  #note(n: number, engine: Engine): void {
    this.#digests[n] ??= new Set()
    this.#digests[n].add(stateDigest(engine.parts))
  }
}

/** Some events as a batch of records; what its swaps name comes into the engine's book at once. */
function recordsOf(engine: Engine, events: readonly FeedEvent[]): RecordBatch {
  const records = new RecordBatch(Math.max(1, events.length))
  for (const event of events)
    if (event.type === 'swap') records.addSwap(event, engine.state.book)
    else records.addOther(event)
  return records
}

const BATCH_MAX = 6

function batchesOf(events: readonly FeedEvent[], seed: number): Batch[] {
  const random = new Random(seed ^ 0xba7c)
  const steps = stepsOf(events, seed)
  const batches: Batch[] = []
  for (let from = 0; from < steps.length; ) {
    const some = steps.slice(from, from + random.integer(1, BATCH_MAX))
    const part = some.map(({ event }) => event)
    const isRecords = random.chance(0.5)
    const { now = 0, rests = [] } = some[0] ?? {}
    batches.push({ from, events: part, now, isRecords, rests })
    from += part.length
  }
  return batches
}

const never = (): never => {
  throw new Error('this engine has no disk')
}

const NO_DISK: Disk = {
  list: never,
  makeFolder: never,
  create: never,
  open: never,
  rename: never,
  remove: never,
  syncFolder: never,
  syncFolderLater: never,
}
