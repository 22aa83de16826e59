import { bytesOf, widened } from './views.ts'

const FIRST_LENGTH = 1024

/** Numbers in one array that grows by copying; places never written are 0. */
export class U32List {
  #lanes = new Uint32Array(FIRST_LENGTH)
  /** One past the highest place ever written. */
  length = 0

  get bytes(): number {
    return this.#lanes.byteLength
  }

  /** Bytes behind the last number. */
  get untouchedBytes(): number {
    return this.bytes - this.length * 4
  }

  get(place: number): number {
    return place < this.length ? this.#lanes[place] : 0
  }

  set(place: number, value: number): void {
    if (place >= this.#lanes.length) this.#widen(place + 1)
    if (place >= this.length) this.length = place + 1
    this.#lanes[place] = value
  }

  push(value: number): void {
    this.set(this.length, value)
  }

  /** Makes it `length` zeros; what it held is gone. */
  reset(length: number): void {
    this.#lanes = new Uint32Array(Math.max(length, FIRST_LENGTH))
    this.length = length
  }

  view(): Uint8Array {
    return bytesOf(this.#lanes.subarray(0, this.length))
  }

  #widen(least: number): void {
    this.#lanes = widened(new Uint32Array(Math.max(least, this.#lanes.length * 2)), this.#lanes)
  }
}
