import type { Engine } from '../../engine/engine.ts'
import { type FrameWriter, Kind, SegmentScan } from '../format/journal-format.ts'
import type { Journal } from './journal.ts'
import { beginsRun, foldFrame } from './journal-fold.ts'

/** Frames that lie in memory behind a header, all of them checked. */
interface Frames {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly header: { readonly crc: number; readonly firstSeq: number }
  readonly endSeq: number
}

/**
 * A journal that is a copy of the replicated stream: frames are written as they came, but for the clock, which is that of
 * this machine where they are folded. What comes twice, as the beginning of a message whose end a kill took, is taken once.
 */
export class JournalCopy {
  /** Null: nothing is folded here, and the clock stays that of the sequencer. */
  readonly #engine: Engine | null
  readonly #journal: Journal
  readonly #clock = new Float64Array(1)
  #isInRun = false

  constructor(engine: Engine | null, journal: Journal) {
    this.#engine = engine
    this.#journal = journal
  }

  /** Events that it holds. */
  get seq(): number {
    return this.#journal.seq
  }

  /** Does what was written end within a run of events that fills a gap, which is folded as a whole? */
  get isInRun(): boolean {
    return this.#isInRun
  }

  /**
   * Writes what is new.
   * @throws StoreError when the disk refuses
   */
  write(message: Frames): void {
    const frames = this.#journal.begin()
    const { seq } = this
    for (const frame of framesOf(message, seq)) {
      if (frame.kind === Kind.clock && this.#engine !== null) continue
      this.#isInRun = beginsRun(frame) ?? this.#isInRun
      // Behind the settings, which say whether a clock of the wall counts.
      if (frame.kind !== Kind.settings) this.#addClock(frames, frame.seq)
      frames.add(frame.kind, frame.seq, frame.events, frame.payload)
    }
    this.#journal.commit(Math.max(seq, message.endSeq))
    this.#journal.keepSyncing()
  }

  /**
   * Folds what was new when it held so many events. Of a run that fills a gap all that there will be is in it: nobody reads
   * a state from which later events are taken back.
   */
  fold(messages: readonly Frames[], fromSeq: number): void {
    if (this.#engine === null) return
    for (const message of messages)
      for (const frame of framesOf(message, fromSeq))
        if (frame.kind !== Kind.clock) foldFrame(this.#engine, frame)
    this.#engine.endFill()
    this.#isInRun = false
  }

  #addClock(frames: FrameWriter, seq: number): void {
    if (this.#engine === null) return
    const { settings, state } = this.#engine
    if (settings.clock !== 'wall' || state.now === this.#clock[0]) return
    this.#clock[0] = state.now
    frames.add(Kind.clock, seq, 0, new Uint8Array(this.#clock.buffer))
  }
}

/** Those that are behind a seq, or have no event and stand at it. */
function* framesOf({ bytes, header, endSeq }: Frames, fromSeq: number): Generator<SegmentScan> {
  const frame = new SegmentScan(bytes, header.crc, header.firstSeq, bytes.length)
  while (frame.next()) if (frame.seq >= fromSeq && frame.endSeq <= endSeq) yield frame
}
