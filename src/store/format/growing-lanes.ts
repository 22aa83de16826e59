/** Bytes that grow as they are asked for, and the same as lanes; what they hold stays. */
export class GrowingLanes {
  bytes: Uint8Array<ArrayBuffer>
  u32: Uint32Array<ArrayBuffer>
  f64: Float64Array<ArrayBuffer>

  /** A multiple of 8. */
  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes)
    this.u32 = new Uint32Array(this.bytes.buffer)
    this.f64 = new Float64Array(this.bytes.buffer)
  }

  /** Makes them so many at least. */
  makeRoom(bytes: number): void {
    if (bytes > this.bytes.length) this.#widen(bytes)
  }

  #widen(bytes: number): void {
    let size = this.bytes.length
    while (size < bytes) size *= 2
    const wider = new Uint8Array(size)
    wider.set(this.bytes)
    this.bytes = wider
    this.u32 = new Uint32Array(wider.buffer)
    this.f64 = new Float64Array(wider.buffer)
  }
}
