import { SWAP_F64_LANES, SWAP_RECORD_BYTES, SWAP_U32_LANES } from './swap-record.ts'

/**
 * A run of binary swap records (see swap-record.ts) on its way from a feed to journal and fold.
 * Reused by its owner: fill, hand over, `clear`.
 */
export class RecordBatch {
  /** Records the batch can hold. */
  readonly capacity: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly u32: Uint32Array<ArrayBuffer>
  readonly f64: Float64Array<ArrayBuffer>
  /** Records it holds. */
  count = 0

  constructor(capacity: number, bytes = new Uint8Array(capacity * SWAP_RECORD_BYTES)) {
    this.capacity = capacity
    this.bytes = bytes
    this.u32 = new Uint32Array(bytes.buffer, bytes.byteOffset, capacity * SWAP_U32_LANES)
    this.f64 = new Float64Array(bytes.buffer, bytes.byteOffset, capacity * SWAP_F64_LANES)
  }

  /** A full batch of the records that lie in `bytes`, which start at a multiple of 8. */
  static over(bytes: Uint8Array<ArrayBuffer>): RecordBatch {
    const batch = new RecordBatch(Math.floor(bytes.length / SWAP_RECORD_BYTES), bytes)
    batch.count = batch.capacity
    return batch
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
  }
}
