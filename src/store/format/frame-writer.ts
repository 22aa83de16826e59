import { crc32 } from '../../base/crc32.ts'
import {
  FRAME,
  FRAME_HEADER_BYTES,
  FRAME_PAYLOAD_BYTES_MAX,
  FRAME_TRAILER_BYTES,
  frameBytes,
  padded,
} from './journal-format.ts'

const FIRST_BYTES = 1 << 16
/** Bytes of UTF-8 that one unit of a string takes at most. */
const UTF8_BYTES_MAX = 3
const ENCODER = new TextEncoder()

/**
 * Puts frames behind each other into one buffer, each chained to the one before by its crc: one
 * batch of a feed is one buffer and one write. Reused: `begin`, add frames, write `bytes`.
 */
export class FrameWriter {
  readonly #lanes = new GrowingLanes(FIRST_BYTES)
  #length = 0
  #crc = 0
  #syncedSeq = 0

  /** Starts a batch behind the frame with this crc. */
  begin(previousCrc: number, syncedSeq: number): void {
    this.#length = 0
    this.#crc = previousCrc
    this.#syncedSeq = syncedSeq
  }

  /** The frames added since `begin`; valid until the next one. */
  get bytes(): Uint8Array {
    return this.#lanes.bytes.subarray(0, this.#length)
  }

  /** Crc of the last frame: what the next one is chained to. */
  get crc(): number {
    return this.#crc
  }

  /** Adds a frame with a copy of the payload. */
  add(kind: number, seq: number, events: number, payload: Uint8Array): void {
    this.#makeRoom(payload.length)
    this.#lanes.bytes.set(payload, this.#length + FRAME_HEADER_BYTES)
    this.#close(kind, seq, events, payload.length)
  }

  /** Adds a frame with a text as its payload. */
  addText(kind: number, seq: number, events: number, text: string): void {
    this.#makeRoom(text.length * UTF8_BYTES_MAX)
    const into = this.#lanes.bytes.subarray(this.#length + FRAME_HEADER_BYTES)
    this.#close(kind, seq, events, ENCODER.encodeInto(text, into).written)
  }

  #makeRoom(payloadBytes: number): void {
    this.#lanes.makeRoom(this.#length + frameBytes(payloadBytes))
  }

  /** Puts header and trailer around a payload that lies in its place. */
  #close(kind: number, seq: number, events: number, payloadBytes: number): void {
    if (payloadBytes > FRAME_PAYLOAD_BYTES_MAX) throw new Error('a journal frame is too long')
    const { bytes, u32, f64 } = this.#lanes
    const start = this.#length
    u32[(start + FRAME.payloadBytes) >>> 2] = payloadBytes
    u32[(start + FRAME.kind) >>> 2] = kind
    f64[(start + FRAME.seq) >>> 3] = seq
    f64[(start + FRAME.syncedSeq) >>> 3] = this.#syncedSeq
    u32[(start + FRAME.events) >>> 2] = events
    u32[(start + FRAME.previousCrc) >>> 2] = this.#crc
    const payloadAt = start + FRAME_HEADER_BYTES
    const trailer = payloadAt + padded(payloadBytes)
    bytes.fill(0, payloadAt + payloadBytes, trailer)
    this.#crc = crc32(bytes.subarray(start, trailer))
    u32[trailer >>> 2] = this.#crc
    u32[(trailer + 4) >>> 2] = payloadBytes
    this.#length = trailer + FRAME_TRAILER_BYTES
  }
}

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
