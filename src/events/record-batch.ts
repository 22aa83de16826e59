import type { FeedEvent, Swap } from './event.ts'
import { SWAP_F64_LANES, SWAP_RECORD_BYTES, SWAP_U32_LANES } from './swap-record.ts'

/** An event that is no swap, in a batch of records. */
export interface OtherEvent {
  /** It stands before the record of this index, or behind all when there is none. */
  readonly before: number
  readonly event: Exclude<FeedEvent, Swap>
}

/**
 * Binary swap records (see swap-record.ts) on their way from a feed to journal and fold, with the
 * other events that came between them. Reused by its owner: fill, hand over, `clear`.
 */
export class RecordBatch {
  /** Records the batch can hold. */
  readonly capacity: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly u32: Uint32Array<ArrayBuffer>
  readonly f64: Float64Array<ArrayBuffer>
  /** Records it holds. */
  count = 0
  /** In order; their mints have numbers already when a feed makes records by itself. */
  others: OtherEvent[] = []

  constructor(capacity: number) {
    this.capacity = capacity
    const buffer = new ArrayBuffer(capacity * SWAP_RECORD_BYTES)
    this.bytes = new Uint8Array(buffer)
    this.u32 = new Uint32Array(buffer)
    this.f64 = new Float64Array(buffer)
  }

  get isFull(): boolean {
    return this.count === this.capacity
  }

  /** Takes the next record, zeroed, and returns its index; the caller has checked `isFull`. */
  next(): number {
    const index = this.count++
    this.u32.fill(0, index * SWAP_U32_LANES, (index + 1) * SWAP_U32_LANES)
    return index
  }

  /** Puts an event behind everything that the batch holds. */
  addOther(event: OtherEvent['event']): void {
    this.others.push({ before: this.count, event })
  }

  /** Events of the batch, swaps among them. */
  get events(): number {
    return this.count + this.others.length
  }

  /** Tells all that it holds, in order: runs of records, and the events between them. */
  walk(records: (from: number, to: number) => void, other: (event: FeedEvent) => void): void {
    let from = 0
    for (const { before, event } of this.others) {
      if (before > from) records(from, before)
      from = before
      other(event)
    }
    if (this.count > from) records(from, this.count)
  }

  /** First u32 lane of record `index`. */
  static u32At(index: number): number {
    return index * SWAP_U32_LANES
  }

  /** First f64 lane of record `index`. */
  static f64At(index: number): number {
    return index * SWAP_F64_LANES
  }

  clear(): void {
    this.count = 0
    this.others.length = 0
  }
}
