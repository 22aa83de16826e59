import { Fifo } from '../../load/loop-scheduler.ts'
import type { Outlet } from './connection.ts'
import { MAX_BUFFERED_BYTES } from './connection.ts'

/**
 * Bytes of a stream of server-sent events that uWebSockets.js is given at a time: of what it was given and keeps it tells no more than
 * whether it is all gone, so that what lies unread is known up to so much.
 */
const EVENT_STREAM_PIECE_BYTES = 16 * 1024

/** A comment of server-sent events: keeps the connection open. */
export const COMMENT = ':\n\n'
/** The number of a frame, and its epoch: nothing before them can hold the keys unescaped. */
const NUMBER = /"seq":(\d+),"epoch":"((?:[^"\\]|\\.)*)"/

/** What a stream is written to: a response of uWebSockets.js. */
export interface StreamResponse {
  onAborted(handler: () => void): unknown
  onWritable(handler: () => boolean): unknown
  cork(work: () => void): unknown
  /** False: the kernel takes no more, and the rest is buffered. */
  write(bytes: Uint8Array): boolean
  end(bytes: Uint8Array): unknown
  /** Breaks the connection. */
  close(): unknown
}

interface EventStreamOutletParts {
  readonly hasId: (frame: string) => boolean
  readonly drained: () => void
  readonly ended: () => void
}

/** A stream of server-sent events as the outlet of a live connection. */
export class EventStreamOutlet implements Outlet {
  readonly #res: StreamResponse
  readonly #hasId: (frame: string) => boolean
  readonly #ended: () => void
  /** Not written yet, because the kernel takes no more. */
  readonly #waiting = new ByteQueue()
  /** Bytes written since the kernel was seen to have taken all: uWebSockets.js buffers some of them. */
  #bufferedBytes = 0
  #isOver = false

  /**
   * `hasId` says which frames carry the id by which a browser goes on; `drained` is called when the
   * client has read on, `ended` once, when the client is gone or the stream was ended.
   */
  constructor(res: StreamResponse, { hasId, drained, ended }: EventStreamOutletParts) {
    this.#res = res
    this.#hasId = hasId
    this.#ended = ended
    res.onAborted(() => this.#over())
    res.onWritable(() => {
      if (this.#isOver) return true
      if (this.#waiting.bytes === 0) this.#waiting.push(COMMENT)
      this.#writeOn()
      if (!this.#isOver) drained()
      return true
    })
  }

  send(frame: string): void {
    if (this.#isOver) return
    const [, seq, epoch] = this.#hasId(frame) ? (NUMBER.exec(frame) ?? []) : []
    const id = seq === undefined ? '' : `id: ${epoch}/${seq}\n`
    this.#write(`${id}data: ${frame}\n\n`)
  }

  /** Keeps the connection from being closed on the way. */
  comment(): void {
    if (!this.#isOver) this.#write(COMMENT)
  }

  getBufferedAmount(): number {
    return this.#waiting.bytes + this.#bufferedBytes
  }

  subscribe(): void {}

  unsubscribe(): void {}

  /** The rest goes out, except to a client that does not read: it would be buffered for long, and the client resumes by its id. */
  end(): void {
    if (this.#isOver) return
    if (this.getBufferedAmount() > MAX_BUFFERED_BYTES) {
      this.close()
      return
    }
    const rest = this.#waiting.takeAll()
    this.#bufferedBytes = 0
    this.#over()
    this.#res.cork(() => this.#res.end(rest))
  }

  close(): void {
    if (this.#isOver) return
    this.#waiting.takeAll()
    this.#over()
    this.#res.close()
  }

  #write(text: string): void {
    this.#waiting.push(text)
    this.#writeOn()
  }

  /**
   * A write makes uWebSockets.js send its buffer and returns whether all is gone; a write of nothing returns true.
   * One is made also while the kernel takes nothing: uWebSockets.js ends a response to which nothing is written
   * for ten seconds.
   */
  #writeOn(): void {
    this.#res.cork(() => {
      if (this.#bufferedBytes > 0) this.#writePiece(1)
      this.#writePieces()
    })
  }

  #writePieces(): void {
    while (this.#bufferedBytes === 0 && this.#waiting.bytes > 0)
      this.#writePiece(EVENT_STREAM_PIECE_BYTES)
  }

  #writePiece(max: number): void {
    const piece = this.#waiting.take(max)
    if (piece === null) return
    const isAllGone = this.#res.write(piece)
    this.#bufferedBytes = isAllGone ? 0 : this.#bufferedBytes + piece.length
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended()
  }
}

/** A queue of texts as bytes, taken in pieces of any length. */
class ByteQueue {
  readonly #texts = new Fifo<Buffer>()
  /** Bytes of the first one that were taken. */
  #taken = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  push(text: string): void {
    const bytes = Buffer.from(text)
    this.#texts.push(bytes)
    this.#bytes += bytes.length
  }

  /** The next ones, of one text and so many at most; null when there are none. */
  take(max: number): Uint8Array | null {
    const first = this.#texts.first()
    if (first === undefined) return null
    const piece = first.subarray(this.#taken, this.#taken + max)
    this.#taken += piece.length
    this.#bytes -= piece.length
    if (this.#taken === first.length) {
      this.#texts.take()
      this.#taken = 0
    }
    return piece
  }

  /** All of them. */
  takeAll(): Uint8Array {
    const pieces: Uint8Array[] = []
    for (let piece = this.take(this.#bytes); piece !== null; piece = this.take(this.#bytes))
      pieces.push(piece)
    return Buffer.concat(pieces)
  }
}
