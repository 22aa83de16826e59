const HEAD_END = '\r\n\r\n'
const LONG_LENGTH = 126
const TEXT_FRAME = 0x81
const MASKED = 0x80
const HEAD_BYTES_MAX = 4

/** Finds the frames of a server in what arrives: they are not masked, and never of 64 KiB. */
export class FrameCounter {
  #left = 0
  #head = Buffer.alloc(HEAD_BYTES_MAX)
  #headBytes = 0
  #frameBytes = 0

  /** Tells the length of each frame's payload when its last byte is there. */
  read(bytes: Buffer, size: number, ended: (frameBytes: number) => void): void {
    let at = 0
    while (at < size) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, size - at)
        this.#left -= taken
        at += taken
        if (this.#left === 0) ended(this.#frameBytes)
        continue
      }
      this.#head[this.#headBytes++] = bytes[at++]
      this.#takeHead()
    }
  }

  #takeHead(): void {
    if (this.#headBytes < 2) return
    const short = this.#head[1]
    if (short === LONG_LENGTH && this.#headBytes < HEAD_BYTES_MAX) return
    this.#left = short === LONG_LENGTH ? this.#head.readUInt16BE(2) : short
    this.#frameBytes = this.#left
    this.#headBytes = 0
  }
}

export function upgrade(id: string): string {
  return (
    `GET /ws?id=${id} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13${HEAD_END}`
  )
}

/** A masked text frame; a mask of zeros leaves the text as it is. */
export function subscription(mint: string, id: string): Buffer {
  const data = { action: 'subscribe', id, mint }
  const text = Buffer.from(JSON.stringify({ event: 'update_mint_info', data }))
  const head = Buffer.from([TEXT_FRAME, MASKED | LONG_LENGTH, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(text.length, 2)
  return Buffer.concat([head, text])
}
