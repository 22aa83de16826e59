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
