const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = /content-length: *(\d+)/i
/** Bytes of a head at most. */
const HEAD_BYTES_MAX = 4_096
/** `HTTP/1.1 200` up to the last digit. */
const STATUS_AT = 9

/** Finds the ends of HTTP answers with a `Content-Length` in what arrives on one connection. */
export class AnswerReader {
  /** Answers whose status was not 200. */
  wrong = 0
  #head: Buffer = Buffer.alloc(0)
  #bodyLeft = 0
  /** A head seen before, byte for byte, and the body's length it told. */
  #knownHead: Buffer = Buffer.alloc(0)
  #knownLength = 0

  /** Number of answers that ended in the first `size` bytes of a buffer. */
  read(bytes: Buffer, size: number): number {
    let ended = 0
    let at = 0
    while (at < size) {
      if (this.#bodyLeft === 0) {
        at = this.#readHead(bytes, at, size)
        if (at < 0) return ended
      }
      const taken = Math.min(this.#bodyLeft, size - at)
      at += taken
      this.#bodyLeft -= taken
      if (this.#bodyLeft === 0) ended++
    }
    return ended
  }

  /** Where the body begins, −1 when the head has not ended yet. */
  #readHead(bytes: Buffer, from: number, size: number): number {
    const known = this.#knownHead
    if (this.#head.length === 0 && known.length > 0 && from + known.length <= size) {
      const to = from + known.length
      if (known.compare(bytes, from, to) === 0) {
        this.#bodyLeft = this.#knownLength
        return to
      }
    }
    return this.#readNewHead(bytes, from, size)
  }

  #readNewHead(bytes: Buffer, from: number, size: number): number {
    const before = this.#head.length
    const part = bytes.subarray(from, Math.min(size, from + HEAD_BYTES_MAX))
    const text = before === 0 ? part : Buffer.concat([this.#head, part])
    const end = text.indexOf(HEAD_END)
    if (end < 0) {
      this.#head = Buffer.from(text)
      return -1
    }
    const to = end + HEAD_END.length
    this.#head = Buffer.alloc(0)
    this.#knownHead = Buffer.from(text.subarray(0, to))
    const head = this.#knownHead.toString('latin1')
    this.#knownLength = Number(LENGTH.exec(head)?.[1] ?? 0)
    if (head.slice(STATUS_AT, STATUS_AT + 3) !== '200') {
      this.wrong++
      this.#knownHead = Buffer.alloc(0)
    }
    this.#bodyLeft = this.#knownLength
    return from + to - before
  }
}
