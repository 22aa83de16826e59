import { ReadTexts } from './rows.ts'
import { StateError, type StatePart } from './state-part.ts'
import { CODES_MAX, decodeText, encodeText } from './text-code.ts'
import { TEXT_BYTES_MAX, unitsPart } from './text-store.ts'
import { untouchedByScattered } from './views.ts'

/**
 * A text is [length of its codes][codes], from a whole unit on, never across two chunks. The length has seven bits a byte, the
 * lowest first; a byte of 128 or more has another one behind it. What lies behind the last text of a chunk is 0.
 */
const UNIT_BYTES = 2
const CHUNK_BYTES = 1 << 20
const UNITS_PER_CHUNK = CHUNK_BYTES / UNIT_BYTES
/** A reference to a unit is a u32: room for some 60 million tokens. A text that finds none is not kept. */
const UNITS_MAX = 2 ** 32
const LENGTH_BITS = 7
const LENGTH_BYTES_MAX = 3

/** Places of recent texts, a power of two; those of this chunk and the one before it count. */
const RECENT_TEXTS = 1 << 16
const RECENT_SHIFT = 16
const RECENT_CHUNKS = 2

const encoder = new TextEncoder()
/** One text, which is cut behind the longest, and its length with its codes. */
const plain = Buffer.alloc(TEXT_BYTES_MAX + 4)
const codes = new Uint8Array(CODES_MAX)
const entry = new Uint8Array(LENGTH_BYTES_MAX + CODES_MAX)
const NO_CHUNK = new Uint8Array(0)

/**
 * Append-only texts in codes (`text-code.ts`), off the heap. A reference is a u32; 0 stands for "no text". A text that was put
 * lately is kept once: launches copy names, images and links of others. The same texts in the same order give the same bytes.
 */
export class PackedTexts {
  readonly #unitsMax: number
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  /** Next free unit; 0 is never given out. */
  #next = 1
  /** References of recent texts by their hash; of two at one place the later one stays. */
  readonly #recent = new Uint32Array(RECENT_TEXTS)
  /** Texts that were noted there. */
  #noted = 0
  readonly #read = new ReadTexts()

  constructor(unitsMax = UNITS_MAX) {
    this.#unitsMax = unitsMax
  }

  get bytes(): number {
    return this.#chunks.length * CHUNK_BYTES + this.#recent.byteLength
  }

  /** Bytes of the last chunk behind the texts, and of places that none came to. */
  get untouchedBytes(): number {
    const behind = Math.max(0, this.#chunks.length * CHUNK_BYTES - this.#next * UNIT_BYTES)
    return behind + untouchedByScattered(this.#recent.byteLength, this.#noted)
  }

  /** Reference of a text that comes in the place of another: that one's own, where it is the same text. */
  replace(reference: number, text: string): number {
    const { written } = encoder.encodeInto(text, plain)
    return this.#put(Math.min(written, TEXT_BYTES_MAX), reference)
  }

  /** Reference of the text whose UTF-8 these bytes are, at most TEXT_BYTES_MAX of them. */
  putBytes(bytes: Uint8Array): number {
    plain.set(bytes)
    return this.#put(bytes.length, 0)
  }

  get(reference: number): string {
    if (reference === 0) return ''
    return this.#read.get(reference) ?? this.#read.set(reference, plain, this.#load(reference))
  }

  /** Puts the first bytes of `plain`. */
  #put(length: number, before: number): number {
    if (length === 0) return 0
    const bytes = writeEntry(encodeText(plain, length, codes))
    if (before !== 0 && this.#has(before, bytes)) return before
    const place = placeOf(entry, 0, bytes)
    const recent = this.#recent[place]
    const isRecent = chunkOf(recent) >= this.#chunks.length - RECENT_CHUNKS
    if (recent !== 0 && isRecent && this.#has(recent, bytes)) return recent
    const reference = this.#append(bytes)
    this.#note(place, reference)
    return reference
  }

  /** Is it the text whose entry was written last? */
  #has(reference: number, bytes: number): boolean {
    const chunk = this.#chunks[chunkOf(reference)] ?? NO_CHUNK
    const from = placeIn(reference)
    for (let at = 0; at < bytes; at++) if (chunk[from + at] !== entry[at]) return false
    return true
  }

  #append(bytes: number): number {
    const units = Math.ceil(bytes / UNIT_BYTES)
    const end = this.#chunks.length * UNITS_PER_CHUNK
    const unit = this.#next + units > end && end > 0 ? end : this.#next
    if (unit + units > this.#unitsMax) return 0
    if (unit + units > end) this.#chunks.push(new Uint8Array(CHUNK_BYTES))
    this.#chunks[this.#chunks.length - 1].set(entry.subarray(0, bytes), placeIn(unit))
    this.#next = unit + units
    return unit
  }

  #note(place: number, reference: number): void {
    this.#recent[place] = reference
    this.#noted += 1
  }

  /** Puts the text into `plain`; its bytes. A reference that a damaged state made up has some text or none. */
  #load(reference: number): number {
    const chunk = this.#chunks[chunkOf(reference)] ?? NO_CHUNK
    const { from, to } = entryAt(chunk, placeIn(reference))
    return decodeText(chunk, from, Math.min(to, chunk.length), plain)
  }

  /** The texts as a part of the state: their units in use. */
  part(name: string): StatePart {
    const part = unitsPart(name, {
      next: () => this.#next,
      views: () => this.#views(),
      reset: (next) => this.#reset(next),
    })
    return { ...part, settle: () => this.#findRecent(name) }
  }

  clear(): void {
    this.#reset(1)
  }

  #reset(next: number): void {
    this.#chunks.length = 0
    this.#recent.fill(0)
    this.#noted = 0
    this.#read.clear()
    // Unit 0 is skipped, not used: a store that was never written to has no chunk.
    while (next > 1 && this.#chunks.length * UNITS_PER_CHUNK < next)
      this.#chunks.push(new Uint8Array(CHUNK_BYTES))
    this.#next = next
  }

  #views(): Uint8Array[] {
    return this.#chunks.map((chunk, i) => {
      const units = Math.min(this.#next - i * UNITS_PER_CHUNK, UNITS_PER_CHUNK)
      return chunk.subarray(0, units * UNIT_BYTES)
    })
  }

  /** Notes the recent texts in their order, as they were noted when they were put. */
  #findRecent(name: string): void {
    const views = this.#views()
    for (let i = Math.max(0, views.length - RECENT_CHUNKS); i < views.length; i++) {
      const chunk = views[i]
      for (let at = i === 0 ? UNIT_BYTES : 0; at < chunk.length && chunk[at] !== 0; ) {
        const { to } = entryAt(chunk, at)
        if (to > chunk.length) throw new StateError(`a text of the state's ${name} has no end`)
        this.#note(placeOf(chunk, at, to), i * UNITS_PER_CHUNK + at / UNIT_BYTES)
        at = Math.ceil(to / UNIT_BYTES) * UNIT_BYTES
      }
    }
  }
}

function chunkOf(reference: number): number {
  return Math.floor(reference / UNITS_PER_CHUNK)
}

/** First byte of an entry in its chunk. */
function placeIn(reference: number): number {
  return (reference % UNITS_PER_CHUNK) * UNIT_BYTES
}

/** Writes the first `length` codes with their length into `entry`; returns how many bytes that are. */
function writeEntry(length: number): number {
  let at = 0
  let rest = length
  for (; rest >= 1 << LENGTH_BITS; rest >>>= LENGTH_BITS) entry[at++] = rest | (1 << LENGTH_BITS)
  entry[at++] = rest
  entry.set(codes.subarray(0, length), at)
  return at + length
}

/** Where the codes of the entry at a place lie. */
function entryAt(chunk: Uint8Array, place: number): { from: number; to: number } {
  let length = 0
  let from = place
  for (let shift = 0; shift < LENGTH_BYTES_MAX * LENGTH_BITS; shift += LENGTH_BITS) {
    const byte = chunk[from++]
    length |= (byte & ((1 << LENGTH_BITS) - 1)) << shift
    if (byte >>> LENGTH_BITS === 0) break
  }
  return { from, to: from + length }
}

/** FNV-1a of an entry, and mixed. */
function placeOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> RECENT_SHIFT
}
