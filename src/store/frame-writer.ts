import { crc32 } from 'node:zlib'
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
  #bytes = new Uint8Array(FIRST_BYTES)
  #u32 = new Uint32Array(this.#bytes.buffer)
  #f64 = new Float64Array(this.#bytes.buffer)
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
    return this.#bytes.subarray(0, this.#length)
  }

  /** Crc of the last frame: what the next one is chained to. */
  get crc(): number {
    return this.#crc
  }

  /** Adds a frame with a copy of the payload. */
  add(kind: number, seq: number, events: number, payload: Uint8Array): void {
    this.#makeRoom(payload.length)
    this.#bytes.set(payload, this.#length + FRAME_HEADER_BYTES)
    this.#close(kind, seq, events, payload.length)
  }

  /** Adds a frame with a text as its payload. */
  addText(kind: number, seq: number, events: number, text: string): void {
    this.#makeRoom(text.length * UTF8_BYTES_MAX)
    const into = this.#bytes.subarray(this.#length + FRAME_HEADER_BYTES)
    this.#close(kind, seq, events, ENCODER.encodeInto(text, into).written)
  }

  #makeRoom(payloadBytes: number): void {
    const end = this.#length + frameBytes(payloadBytes)
    if (end > this.#bytes.length) this.#widen(end)
  }

  /** Puts header and trailer around a payload that lies in its place. */
  #close(kind: number, seq: number, events: number, payloadBytes: number): void {
    if (payloadBytes > FRAME_PAYLOAD_BYTES_MAX) throw new Error('a journal frame is too long')
    const start = this.#length
    this.#u32[(start + FRAME.payloadBytes) >>> 2] = payloadBytes
    this.#u32[(start + FRAME.kind) >>> 2] = kind
    this.#f64[(start + FRAME.seq) >>> 3] = seq
    this.#f64[(start + FRAME.syncedSeq) >>> 3] = this.#syncedSeq
    this.#u32[(start + FRAME.events) >>> 2] = events
    this.#u32[(start + FRAME.previousCrc) >>> 2] = this.#crc
    const payloadAt = start + FRAME_HEADER_BYTES
    const trailer = payloadAt + padded(payloadBytes)
    this.#bytes.fill(0, payloadAt + payloadBytes, trailer)
    this.#crc = crc32(this.#bytes.subarray(start, trailer))
    this.#u32[trailer >>> 2] = this.#crc
    this.#u32[(trailer + 4) >>> 2] = payloadBytes
    this.#length = trailer + FRAME_TRAILER_BYTES
  }

  #widen(bytes: number): void {
    let size = this.#bytes.length
    while (size < bytes) size *= 2
    const wider = new Uint8Array(size)
    wider.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = wider
    this.#u32 = new Uint32Array(wider.buffer)
    this.#f64 = new Float64Array(wider.buffer)
  }
}
