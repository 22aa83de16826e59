/**
 * The stream: one log that decides the order, and any number of engines that fold it (docs/scale-out.md). A message is a
 * journal segment of its own (store/format/journal-format.ts), so that stream and journal are one format:
 *
 *     header   epoch; firstSeq, the position of its first event; index, its sequence in the stream;
 *              boot, an id of who writes; previousCrc, that of the message before it (0 in the first), which chains all of them
 *     frames   as in a journal, chained from the header on
 *
 * In come batches of JournaledEngine (stream-writer.ts publishes them), out come messages in order (stream-follower.ts
 * checks each). nats-stream.ts alone knows NATS; lease.ts says who writes. Nothing here folds.
 */
import { randomUUID } from 'node:crypto'
import { StoreError } from '../store/disk/failure.ts'
import {
  FrameWriter,
  frameBytes,
  GrowingLanes,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  SegmentScan,
  writeSegmentHeader,
} from '../store/format/journal-format.ts'
import { beginsRun } from '../store/journal/journal-fold.ts'

/** A message of several frames has no more; a frame that is longer has one of its own. */
const MESSAGE_BYTES_MAX = 64 << 10
/** Bytes of UTF-8 that one unit of a string takes at most. */
const UTF8_BYTES_MAX = 3

/** Where the next message goes on. */
export interface StreamPlace {
  readonly epoch: string
  /** Its sequence in the stream. */
  readonly index: number
  /** Events that arrived before it. */
  readonly seq: number
  /** Of the last frame before it. */
  readonly crc: number
}

/** A message that is whole; its bytes stay. */
export interface StreamMessage {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly index: number
  readonly header: { readonly crc: number; readonly firstSeq: number }
  /** Events that arrived up to its end. */
  readonly endSeq: number
  /** Of its last frame. */
  readonly crc: number
}

interface Head {
  readonly bytes: Uint8Array
  readonly header: StreamMessage['header']
}

const NO_HEADER: Head = { bytes: new Uint8Array(0), header: { crc: 0, firstSeq: 0 } }

/** Makes messages of frames: one is whole when the next frame would make it too long, or when it is ended. */
export class MessageWriter {
  /** No other writer makes the same bytes, whatever it writes at the same place. */
  readonly #writer = randomUUID()
  readonly #epoch: string
  readonly #frames = new FrameWriter()
  readonly #onWhole: (message: StreamMessage) => void
  #header = NO_HEADER
  #index: number
  #seq: number
  #crc: number
  #isEmpty = true

  constructor(place: StreamPlace, onWhole: (message: StreamMessage) => void) {
    this.#epoch = place.epoch
    this.#index = place.index
    this.#seq = place.seq
    this.#crc = place.crc
    this.#onWhole = onWhole
  }

  add(kind: number, seq: number, events: number, payload: Uint8Array): void {
    this.#makeRoom(payload.length)
    this.#frames.add(kind, seq, events, payload)
    this.#added(seq + events)
  }

  addText(kind: number, seq: number, events: number, text: string): void {
    this.#makeRoom(text.length * UTF8_BYTES_MAX)
    this.#frames.addText(kind, seq, events, text)
    this.#added(seq + events)
  }

  /** Ends the message that has been begun, if one has. */
  end(): void {
    if (this.#isEmpty) return
    const bytes = new Uint8Array(SEGMENT_HEADER_BYTES + this.#frames.bytes.length)
    bytes.set(this.#header.bytes)
    bytes.set(this.#frames.bytes, SEGMENT_HEADER_BYTES)
    const { crc } = this.#frames
    const { header } = this.#header
    const message = { bytes, index: this.#index, header, endSeq: this.#seq, crc }
    this.#index += 1
    this.#crc = crc
    this.#isEmpty = true
    this.#onWhole(message)
  }

  #makeRoom(payloadBytes: number): void {
    const bytes = SEGMENT_HEADER_BYTES + this.#frames.bytes.length + frameBytes(payloadBytes)
    if (!this.#isEmpty && bytes > MESSAGE_BYTES_MAX) this.end()
    if (this.#isEmpty) this.#begin()
  }

  #begin(): void {
    const { bytes, crc } = writeSegmentHeader({
      index: this.#index,
      firstSeq: this.#seq,
      syncedSeq: 0,
      previousCrc: this.#crc,
      epoch: this.#epoch,
      boot: this.#writer,
    })
    this.#header = { bytes, header: { crc, firstSeq: this.#seq } }
    this.#frames.begin(crc, 0)
  }

  #added(endSeq: number): void {
    this.#seq = endSeq
    this.#isEmpty = false
  }
}

/** A message as it was read: header, and the bytes as a walk of frames needs them. Valid until the next one is read. */
export interface ReadMessage {
  readonly header: SegmentHeader
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly endSeq: number
  readonly crc: number
  /** Does it end within a run of events that fills a gap? Null: as the message before it did. */
  readonly endsInRun: boolean | null
}

const READ_BYTES = 1 << 20
const read = new GrowingLanes(READ_BYTES)

/**
 * Reads a message and checks every frame of it. Its bytes are copied to where frames can be read in place: memory of each
 * message's own would cost more than the copy.
 * @throws StoreError `newer_version`, `foreign` or `damaged` with a sentence
 */
export function readMessage(stored: Uint8Array, index: number): ReadMessage {
  read.makeRoom(stored.length)
  const bytes = read.bytes.subarray(0, stored.length)
  bytes.set(stored)
  const header = readSegmentHeader(bytes)
  if (header === 'newer')
    throw new StoreError(
      'newer_version',
      `Message ${index} of the stream was written by a later version of mintfeed: install that one here.`,
    )
  if (header === null) throw foreign(index)
  if (header.index !== index)
    throw damaged(index, `says that it is message ${header.index}: it was copied from another one`)
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  let endsInRun: boolean | null = null
  while (scan.next()) endsInRun = beginsRun(scan) ?? endsInRun
  if (scan.hasBadTail) throw damaged(index, `has a frame at byte ${scan.end} whose sum is wrong`)
  return { header, bytes, endSeq: scan.endSeq, crc: scan.crc, endsInRun }
}

function foreign(index: number): StoreError {
  return new StoreError(
    'damaged',
    `Message ${index} of the stream is none of mintfeed, or its head is damaged: nobody else may publish to the ` +
      'subject of NATS_STREAM; take that message out, or begin a new stream.',
  )
}

/** What is wrong with a message of the stream. */
export function damaged(index: number, what: string): StoreError {
  return new StoreError(
    'damaged',
    `Message ${index} of the stream ${what}: nothing behind it can be folded.`,
  )
}
