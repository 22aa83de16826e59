import type { Outlet } from './connection.ts'

const COMMENT = ':\n\n'
/** The number of a frame, and its epoch: nothing before them can hold the keys unescaped. */
const NUMBER = /"seq":(\d+),"epoch":"((?:[^"\\]|\\.)*)"/

/** What a stream is written to: a response of uWebSockets.js. */
export interface StreamResponse {
  onAborted(told: () => void): unknown
  onWritable(told: () => boolean): unknown
  cork(work: () => void): unknown
  /** False: the kernel takes no more, and what is left is kept. */
  write(text: string): boolean
  end(): unknown
}

export interface EventStreamOutletParts {
  readonly hasId: (frame: string) => boolean
  readonly drained: () => void
  readonly ended: () => void
}

/** A stream of server-sent events as the outlet of a live connection. */
export class EventStreamOutlet implements Outlet {
  readonly #res: StreamResponse
  readonly #hasId: (frame: string) => boolean
  readonly #ended: () => void
  /** Bytes written since the client was seen to have read all; about what lies unread. */
  #unread = 0
  #isFull = false
  #isOver = false

  /**
   * `hasId` tells which frames carry the id by which a browser goes on; `drained` is called when the
   * client has read on, `ended` once, when the client is gone or the stream was ended.
   */
  constructor(res: StreamResponse, { hasId, drained, ended }: EventStreamOutletParts) {
    this.#res = res
    this.#hasId = hasId
    this.#ended = ended
    res.onAborted(() => this.#over())
    // A write is what makes uWebSockets.js send on what it holds, and tells whether all is gone.
    res.onWritable(() => {
      if (!this.#isOver) this.#write(COMMENT)
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
    return this.#isFull ? this.#unread : 0
  }

  subscribe(): void {}

  unsubscribe(): void {}

  end(): void {
    if (this.#isOver) return
    this.#over()
    this.#res.cork(() => this.#res.end())
  }

  #write(text: string): void {
    this.#res.cork(() => {
      const isAllGone = this.#res.write(text)
      this.#unread = isAllGone ? 0 : this.#unread + Buffer.byteLength(text)
      this.#isFull = !isAllGone
    })
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended()
  }
}
