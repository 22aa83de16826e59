import { TapeDamage } from '../../base/errors.ts'
import { jsonOf, textAt } from '../../base/json-access.ts'
import { type EngineSettings, isSolPrice } from '../../base/thresholds.ts'
import type { Engine } from '../../engine/engine.ts'
import { PREFETCHED_SWAPS } from '../../engine/prefetcher.ts'
import type { FeedEvent } from '../../events/event.ts'
import { parseFoldedValue } from '../../events/event-lines.ts'
import {
  Flag,
  SWAP_RECORD_BYTES,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
} from '../../events/swap-record.ts'
import type { Disk } from '../disk/disk.ts'
import { isRefusal, StoreError } from '../disk/failure.ts'
import type { DataFiles } from '../folder/data-folder.ts'
import { Kind, type SegmentScan } from '../format/journal-format.ts'
import { isPackedGap, unpackedLine } from '../format/packed-event.ts'
import { recordedSettings } from '../format/recorded-values.ts'
import {
  type JournalEnd,
  type JournalStart,
  type SegmentSource,
  walkJournal,
} from './journal-scan.ts'
import { applyDefinitions } from './journaled-engine.ts'

/**
 * Folds the journal behind a snapshot into its state; yields the seq it has come to, and returns how the journal ends
 * and how many frames were folded.
 * @throws StoreError when the journal, or history that it needs, is damaged, or an event in it meets a
 *   fault of this program; the system's own error when the disk refuses
 */
export function* foldJournal(
  engine: Engine,
  options: {
    readonly disk: Disk
    readonly files: DataFiles
    readonly from: JournalStart
    /** The disk itself when left out. */
    readonly source?: SegmentSource | undefined
  },
): Generator<number, { readonly end: JournalEnd; readonly frames: number }> {
  const { disk, files, from, source } = options
  const run = new RecordRun(engine)
  let frames = 0
  let seq = from.seq
  const walk = walkJournal(
    disk,
    files,
    from,
    (frame) => {
      frames += 1
      if (opensRecords(frame)) {
        run.add(frame)
        return
      }
      run.fold()
      seq = frame.seq
      foldFrame(engine, frame)
    },
    { source },
  )
  try {
    for (;;) {
      const step = walk.next()
      // Before the walk takes another segment into the same memory.
      run.fold()
      if (step.done) {
        // A process may have been killed while it wrote what fills a gap.
        engine.endFill()
        return { end: step.value, frames }
      }
      yield step.value
    }
  } catch (error) {
    // A late event may ask for swaps that have left memory long ago.
    if (error instanceof TapeDamage) throw new StoreError('damaged', error.message)
    if (error instanceof StoreError || isRefusal(error)) throw error
    throw faultAt(Math.max(seq, run.firstSeq), error)
  }
}

function faultAt(seq: number, error: unknown): StoreError {
  return new StoreError(
    'fault',
    `An event of the journal at seq ${seq} or soon behind it met a fault of this program (${String(error)}): ` +
      'start another version of it, or, if there is none that folds it, give up everything from there on with ' +
      `mintfeed repair --until ${seq}.`,
    { cause: error },
  )
}

/**
 * Frames of records that stand behind each other in a segment, folded together: most hold a swap or
 * a few, and the rows of many swaps are prefetched at once (`Prefetcher`).
 */
class RecordRun {
  readonly #engine: Engine
  readonly #starts = new Uint32Array(PREFETCHED_SWAPS)
  readonly #counts = new Uint32Array(PREFETCHED_SWAPS)
  #frames = 0
  #firstSeq = 0
  #u32: Uint32Array = new Uint32Array(0)
  #f64: Float64Array = new Float64Array(0)

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Seq of the first frame of those that are folded next, or were last. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** Adds a frame; the segment's bytes have to stay until `fold`. */
  add(frame: SegmentScan): void {
    if (this.#frames === 0) this.#firstSeq = frame.seq
    this.#u32 = frame.u32
    this.#f64 = frame.f64
    this.#starts[this.#frames] = frame.payloadAt >>> 2
    this.#counts[this.#frames] = frame.events
    this.#frames += 1
    if (this.#frames === PREFETCHED_SWAPS) this.fold()
  }

  /** Folds what was added, in order. */
  fold(): void {
    const { prefetcher } = this.#engine
    const starts = this.#starts.subarray(0, this.#frames)
    this.#frames = 0
    for (const start of starts) prefetcher.touchIndex(this.#u32, start)
    for (const start of starts) prefetcher.touchRow(this.#u32, start)
    for (const [i, start] of starts.entries())
      this.#engine.acceptLanes(this.#u32, this.#f64, start, this.#counts[i] ?? 0)
  }
}

/**
 * Folds a frame into the engine as it was folded when it was written.
 * @throws StoreError when a frame that is whole makes no sense: a fault of the program that wrote it
 */
export function foldFrame(engine: Engine, frame: SegmentScan): void {
  const { kind } = frame
  if (opensRecords(frame))
    engine.acceptLanes(frame.u32, frame.f64, frame.payloadAt >>> 2, frame.events)
  else if (kind === Kind.packed || kind === Kind.event) {
    engine.accept(otherEventOf(frame))
  } else if (kind === Kind.clock) {
    const seconds = frame.f64[frame.payloadAt >>> 3]
    if (seconds === undefined) throw senseless(frame)
    engine.advance(seconds)
  } else if (kind === Kind.definitions) applyDefinitions(frame.payload, engine.state.book)
  else if (kind === Kind.rest) engine.coldStore.evict(tokensOf(frame))
  else if (kind === Kind.settings) engine.settle(settingsOf(frame))
}

/**
 * The event line of a frame of another event, well-formed: the journal has halves of characters as they
 * came, and strict readers refuse a file that names one.
 * @throws StoreError as `foldFrame`
 */
export function lineTextOf(frame: SegmentScan): string {
  if (frame.kind === Kind.event) return wellFormedLine(textOf(frame.payload))
  const line = unpackedLine(frame)
  if (line === null) throw senseless(frame)
  return wellFormedLine(JSON.stringify(line))
}

/** JSON writes a half as an escape; few lines have a text that looks like one. */
function wellFormedLine(text: string): string {
  if (!text.includes('\\ud')) return text
  const line = jsonOf(text)
  if (line === undefined) return text
  return JSON.stringify(line, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
}

/**
 * Is it a frame of swap records? Then they may be read from here on: journals of former versions have prices of SOL that
 * are refused by now, which count as not given.
 */
export function opensRecords(frame: SegmentScan): boolean {
  if (frame.kind !== Kind.records) return false
  const { u32, f64, payloadAt, payloadBytes, events } = frame
  if (payloadBytes !== events * SWAP_RECORD_BYTES) throw senseless(frame)
  const first = payloadAt >>> 2
  for (let at = first; at < first + events * SWAP_U32_LANES; at += SWAP_U32_LANES) {
    const flags = u32[at + SwapLane.flags] ?? 0
    const priceUsd = f64[(at >>> 1) + SwapFloatLane.givenSolPriceUsd] ?? 0
    if ((flags & Flag.ownSolPrice) !== 0 && !isSolPrice(priceUsd))
      u32[at + SwapLane.flags] = flags & ~Flag.ownSolPrice
  }
  return true
}

/**
 * The event of a frame of an event other than a swap.
 * @throws StoreError as `foldFrame`
 */
export function otherEventOf(frame: SegmentScan): FeedEvent {
  const event = parseFoldedValue(
    frame.kind === Kind.packed ? unpackedLine(frame) : jsonOrText(textOf(frame.payload)),
  )
  if ('error' in event) throw senseless(frame)
  return event
}

/**
 * What a frame does to a run of events that fills a gap: true, one begins; false, none is under way any more; null, it is
 * as before.
 */
export function beginsRun(frame: SegmentScan): boolean | null {
  if (frame.kind === Kind.settings) return false
  const line = isPackedGap(frame) ? unpackedLine(frame) : null
  const event = frame.kind === Kind.event ? jsonOf(textOf(frame.payload)) : line
  return textAt(event, 'type') === 'gap' ? textAt(event, 'state') === 'filling' : null
}

/** A text that is no JSON stays one, which no event is. */
function jsonOrText(text: string): unknown {
  const value = jsonOf(text)
  return value === undefined ? text : value
}

function tokensOf(frame: SegmentScan): Uint32Array {
  if (frame.payloadBytes % 4 !== 0) throw senseless(frame)
  const first = frame.payloadAt >>> 2
  return frame.u32.subarray(first, first + (frame.payloadBytes >>> 2))
}

function settingsOf(frame: SegmentScan): EngineSettings {
  const settings = recordedSettings(textOf(frame.payload))
  if (settings === null) throw senseless(frame)
  return settings
}

function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8')
}

function senseless(frame: SegmentScan): StoreError {
  return new StoreError(
    'damaged',
    `The journal frame at seq ${frame.seq} (kind ${frame.kind}, byte ${frame.start}) is whole but ` +
      'cannot be read: it was written by another program than this one.',
  )
}
