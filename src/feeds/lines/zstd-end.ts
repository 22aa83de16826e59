const MAGIC = 0xfd2fb528
/** The low four bits are the writer's own. */
const SKIPPABLE_MAGIC = 0x184d2a50
const MAGIC_BYTES = 4
const CHECKSUM_BYTES = 4
const BLOCK_HEADER_BYTES = 3
const BLOCK_OF_ONE_BYTE = 1
const DICTIONARY_ID_BYTES = [0, 1, 2, 4]
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]

type Step = 'magic' | 'skippable' | 'descriptor' | 'block' | 'unknown'

/**
 * Follows zstd data from block to block (RFC 8878) and knows whether it ends where a frame does:
 * Node's decompressor takes a frame that breaks off for one that ended.
 */
export class ZstdEnd {
  #step: Step = 'magic'
  /** Bytes that say nothing about what follows. */
  #skipBytes = 0
  /** Of the small field that is being read. */
  readonly #field = Buffer.alloc(MAGIC_BYTES)
  #fieldBytes = 0
  #hasChecksum = false

  /** False in the middle of a frame. */
  get isAtEnd(): boolean {
    return this.#step === 'magic' && this.#skipBytes === 0 && this.#fieldBytes === 0
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && this.#step !== 'unknown') {
      const skipped = Math.min(this.#skipBytes, chunk.length - at)
      this.#skipBytes -= skipped
      at += skipped
      while (at < chunk.length && this.#skipBytes === 0 && this.#fieldBytes < this.#fieldLength()) {
        this.#field[this.#fieldBytes] = chunk[at]
        this.#fieldBytes += 1
        at += 1
      }
      if (this.#fieldBytes === this.#fieldLength()) this.#take()
    }
  }

  #fieldLength(): number {
    if (this.#step === 'descriptor') return 1
    return this.#step === 'block' ? BLOCK_HEADER_BYTES : MAGIC_BYTES
  }

  #take(): void {
    this.#fieldBytes = 0
    switch (this.#step) {
      case 'magic': {
        const magic = this.#field.readUInt32LE(0)
        if (magic === MAGIC) this.#step = 'descriptor'
        else this.#step = (magic & ~0xf) === SKIPPABLE_MAGIC ? 'skippable' : 'unknown'
        return
      }
      case 'skippable':
        this.#skipBytes = this.#field.readUInt32LE(0)
        this.#step = 'magic'
        return
      case 'descriptor':
        this.#takeDescriptor(this.#field[0])
        return
      default:
        this.#takeBlock(this.#field.readUIntLE(0, BLOCK_HEADER_BYTES))
    }
  }

  #takeDescriptor(descriptor: number): void {
    const isOneSegment = (descriptor & 0x20) !== 0
    const sizeFlag = descriptor >>> 6
    const sizeBytes = sizeFlag === 0 && isOneSegment ? 1 : CONTENT_SIZE_BYTES[sizeFlag]
    this.#hasChecksum = (descriptor & 0x04) !== 0
    this.#skipBytes = (isOneSegment ? 0 : 1) + DICTIONARY_ID_BYTES[descriptor & 0x03] + sizeBytes
    this.#step = 'block'
  }

  #takeBlock(header: number): void {
    const isLast = (header & 1) !== 0
    const isOneByte = ((header >>> 1) & 0x03) === BLOCK_OF_ONE_BYTE
    this.#skipBytes = isOneByte ? 1 : header >>> 3
    if (!isLast) return
    if (this.#hasChecksum) this.#skipBytes += CHECKSUM_BYTES
    this.#step = 'magic'
  }
}
