import { Fifo } from '../../load/fifo.ts'

/** Texts that wait as bytes, and are taken in pieces of whatever length. */
export class ByteQueue {
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
