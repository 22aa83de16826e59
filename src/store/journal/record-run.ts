import type { Engine } from '../../engine/engine.ts'
import { NEARED } from '../../engine/fold/nearing.ts'
import type { SegmentScan } from '../format/segment-scan.ts'

/**
 * Frames of records that stand behind each other in a segment, folded together: most hold a swap or
 * a few, and the rows of many swaps are brought near at once (engine/fold/nearing.ts).
 */
export class RecordRun {
  readonly #engine: Engine
  readonly #starts = new Uint32Array(NEARED)
  readonly #counts = new Uint32Array(NEARED)
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
    if (this.#frames === NEARED) this.fold()
  }

  /** Folds what was added, in order. */
  fold(): void {
    const { nearing } = this.#engine
    const frames = this.#frames
    this.#frames = 0
    for (let i = 0; i < frames; i++) nearing.first(this.#u32, this.#starts[i])
    for (let i = 0; i < frames; i++) nearing.second(this.#u32, this.#starts[i])
    for (let i = 0; i < frames; i++)
      this.#engine.acceptLanes(this.#u32, this.#f64, this.#starts[i], this.#counts[i])
  }
}
