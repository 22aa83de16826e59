import { StateError, type StatePart, sizesOf } from './state-part.ts'

/**
 * Append-only UTF-8 text off the heap, as it is: addresses that do not lie in their row. A reference is a u32; 0 stands for "no text".
 * A text is [u32 byte length][bytes], 4-byte aligned, never across two chunks.
 */
const CHUNK_BYTES = 1 << 20
const UNITS_PER_CHUNK = CHUNK_BYTES / 4
/** A reference to a unit is a u32. */
const UNITS_MAX = 2 ** 32

/** Longest text it takes: a description of 4,096 code points of 4 bytes fits. */
export const TEXT_BYTES_MAX = 65_536

/** So many bytes of a text make a number that is exact. */
export const ORDER_BYTES = 6
/** Stands for all that is not ASCII: UTF-8 and UTF-16 agree that it comes behind ASCII, and no further. */
const NOT_ASCII = 0x80

export class TextStore {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  readonly #lengths: Uint32Array<ArrayBuffer>[] = []
  /** Next free unit (4 bytes); 0 is never given out. */
  #next = 1

  /** Units in use, and unit 0. */
  get units(): number {
    return this.#next
  }

  get bytes(): number {
    return this.#chunks.length * CHUNK_BYTES
  }

  /** Bytes of the last chunk behind the texts. */
  get untouchedBytes(): number {
    return Math.max(0, this.bytes - this.#next * 4)
  }

  /** Keeps a copy of `bytes`; at most TEXT_BYTES_MAX of them. */
  putBytes(bytes: Uint8Array): number {
    const length = Math.min(bytes.length, TEXT_BYTES_MAX)
    const units = 1 + ((length + 3) >>> 2)
    let unit = this.#next
    if (unit % UNITS_PER_CHUNK === 0 || (unit % UNITS_PER_CHUNK) + units > UNITS_PER_CHUNK)
      unit = Math.ceil(unit / UNITS_PER_CHUNK) * UNITS_PER_CHUNK
    if (unit === 0) unit = 1
    const chunk = Math.floor(unit / UNITS_PER_CHUNK)
    while (this.#chunks.length <= chunk) this.#addChunk()
    const at = unit % UNITS_PER_CHUNK
    this.#lengths[chunk][at] = length
    this.#chunks[chunk].set(length === bytes.length ? bytes : bytes.subarray(0, length), at * 4 + 4)
    this.#next = unit + units
    return unit
  }

  /** The bytes themselves, not a copy. */
  view(reference: number): Uint8Array {
    if (reference === 0) return new Uint8Array(0)
    const chunk = Math.floor(reference / UNITS_PER_CHUNK)
    const at = reference % UNITS_PER_CHUNK
    const length = this.#lengths[chunk][at]
    return this.#chunks[chunk].subarray(at * 4 + 4, at * 4 + 4 + length)
  }

  /** Copies the bytes to `at` of another array, which has room for them; returns how many. */
  copy(reference: number, into: Uint8Array, at: number): number {
    if (reference === 0) return 0
    const chunkIndex = Math.floor(reference / UNITS_PER_CHUNK)
    const unit = reference % UNITS_PER_CHUNK
    const length = this.#lengths[chunkIndex][unit]
    const chunk = this.#chunks[chunkIndex]
    const start = unit * 4 + 4
    // Addresses are short: a loop is over before a view of them would be made.
    for (let i = 0; i < length; i++) into[at + i] = chunk[start + i]
    return length
  }

  /** The beginning of a text as a number: of two texts the lesser one never has the greater number. */
  orderOf(reference: number): number {
    if (reference === 0) return 0
    const chunkIndex = Math.floor(reference / UNITS_PER_CHUNK)
    const unit = reference % UNITS_PER_CHUNK
    const length = this.#lengths[chunkIndex][unit]
    return orderOfBytes(this.#chunks[chunkIndex], unit * 4 + 4, length)
  }

  equals(reference: number, bytes: Uint8Array, length: number): boolean {
    const chunkIndex = Math.floor(reference / UNITS_PER_CHUNK)
    const unit = reference % UNITS_PER_CHUNK
    if (this.#lengths[chunkIndex][unit] !== length) return false
    const chunk = this.#chunks[chunkIndex]
    const start = unit * 4 + 4
    for (let i = 0; i < length; i++) if (chunk[start + i] !== bytes[i]) return false
    return true
  }

  /** The store as a part of the state: its units in use. */
  part(name: string): StatePart {
    return unitsPart(name, {
      next: () => this.#next,
      views: () => this.#views(),
      reset: (next) => this.reset(next),
    })
  }

  #views(): Uint8Array[] {
    return this.#chunks.map((chunk, i) => {
      const units = Math.min(this.#next - i * UNITS_PER_CHUNK, UNITS_PER_CHUNK)
      return chunk.subarray(0, units * 4)
    })
  }

  /** Makes it as long as `next` says, its next free unit; what it held is gone. */
  reset(next: number): void {
    this.#chunks.length = 0
    this.#lengths.length = 0
    // Unit 0 is skipped, not used: a store that was never written to has no chunk.
    while (next > 1 && this.#chunks.length * UNITS_PER_CHUNK < next) this.#addChunk()
    this.#next = next
  }

  #addChunk(): void {
    const buffer = new ArrayBuffer(CHUNK_BYTES)
    this.#chunks.push(new Uint8Array(buffer))
    this.#lengths.push(new Uint32Array(buffer))
  }
}

/** The beginning of a text as a number: of two texts the lesser one never has the greater number. */
export function orderOfBytes(bytes: Uint8Array, from: number, length: number): number {
  let order = 0
  let isAscii = true
  for (let at = 0; at < ORDER_BYTES; at++) {
    const byte: number = isAscii && at < length ? bytes[from + at] : 0
    isAscii &&= byte < NOT_ASCII
    order = order * 256 + Math.min(byte, NOT_ASCII)
  }
  return order
}

/** A store of units as a part of the state, of which unit 0 is never given out. */
export function unitsPart(
  name: string,
  store: {
    readonly next: () => number
    readonly views: () => readonly Uint8Array[]
    readonly reset: (next: number) => void
  },
): StatePart {
  return {
    name,
    facts: () => [store.next()],
    views: () => store.views(),
    open: (facts) => {
      const [next] = sizesOf(name, facts, [UNITS_MAX])
      if (next === 0) throw new StateError(`the state's ${name} gives out unit 0`)
      store.reset(next)
      return store.views()
    },
    settle() {},
  }
}
