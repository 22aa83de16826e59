import { isUtf8 } from 'node:buffer'

/** Called for a line that cannot be read: its number, from 1 on, and why. */
export type ReportLine = (lineNumber: number, reason: string) => void

/** Longest line that is read; a whole transaction with its log stays far below. */
export const LINE_BYTES_MAX = 1024 * 1024

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

export interface Line {
  /** From 1, blank lines count. */
  readonly number: number
  /** Without line end; null when the line cannot be read. */
  readonly text: string | null
  /** Why it cannot be read; null when it can. */
  readonly reason: string | null
}

/**
 * Splits bytes into lines of UTF-8 text. Works on bytes, so a character that two chunks share is
 * whole. Keeps at most one line: what is longer than the cap is dropped until its end.
 */
export class LineSplitter {
  #number = 0
  #pending: Buffer[] = []
  #pendingBytes = 0
  #isTooLong = false

  /** Lines seen so far. */
  get lineNumber(): number {
    return this.#number
  }

  /** Lines that `chunk` ends; blank ones are left out. */
  *push(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#keep(bytes.subarray(start, end))
      start = end + 1
      const line = this.#take()
      if (line !== null) yield line
    }
    // Copied: the rest outlives the chunk, whose buffer belongs to the stream.
    if (start < bytes.length) this.#keep(Buffer.from(bytes.subarray(start)))
  }

  /** The last line when the input ends without a line end. */
  *end(): Generator<Line> {
    if (this.#pendingBytes === 0 && !this.#isTooLong) return
    const line = this.#take()
    if (line !== null) yield line
  }

  #keep(bytes: Buffer): void {
    if (this.#isTooLong) return
    this.#pendingBytes += bytes.length
    // One byte more than the cap may be the CR of a CRLF.
    if (this.#pendingBytes > LINE_BYTES_MAX + 1) {
      this.#isTooLong = true
      this.#pending = []
      return
    }
    this.#pending.push(bytes)
  }

  #take(): Line | null {
    const number = ++this.#number
    const parts = this.#pending
    const wasTooLong = this.#isTooLong
    this.#pending = []
    this.#pendingBytes = 0
    this.#isTooLong = false
    const bytes = trimmed(parts.length === 1 ? parts[0] : Buffer.concat(parts), number === 1)
    if (wasTooLong || bytes.length > LINE_BYTES_MAX) {
      return { number, text: null, reason: `the line is longer than ${LINE_BYTES_MAX} bytes` }
    }
    if (!isUtf8(bytes)) return { number, text: null, reason: 'the line is not valid UTF-8' }
    const text = bytes.toString('utf8')
    return text.trim() === '' ? null : { number, text, reason: null }
  }
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length
  return bytes.subarray(start, end)
}
