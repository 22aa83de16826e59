const MAGIC = 0xfd2fb528
/** The low four bits are the writer's own. */
const SKIPPABLE_MAGIC = 0x184d2a50
const MAGIC_BYTES = 4
/** What a frame begins with is no block header: that block would be longer than one may be (128 KiB). */
const MAGIC_AS_BLOCK = MAGIC & 0xffffff
/** The bytes of it. */
export const MAGIC_HEAD = Buffer.from([0x28, 0xb5, 0x2f])
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
  /** Frames that broke off at the end of a block, with another frame behind them. */
  broken = 0

  /** False in the middle of a frame. */
  get isAtEnd(): boolean {
    return this.#step === 'magic' && this.#skipBytes === 0 && this.#fieldBytes === 0
  }

  /**
   * Takes the bytes up to the end of a block, or to the head of a frame where a block should be; how
   * many these are.
   */
  push(chunk: Buffer): number {
    let at = 0
    const { broken } = this
    while (at < chunk.length && this.#step !== 'unknown' && this.broken === broken) {
      const skipped = Math.min(this.#skipBytes, chunk.length - at)
      this.#skipBytes -= skipped
      at += skipped
      if (skipped > 0 && this.#skipBytes === 0) return at
      while (at < chunk.length && this.#skipBytes === 0 && this.#fieldBytes < this.#fieldLength()) {
        this.#field[this.#fieldBytes] = chunk[at]
        this.#fieldBytes += 1
        at += 1
      }
      if (this.#fieldBytes === this.#fieldLength()) this.#take()
    }
    return this.#step === 'unknown' ? chunk.length : at
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
      default: {
        const header = this.#field.readUIntLE(0, BLOCK_HEADER_BYTES)
        if (header === MAGIC_AS_BLOCK) this.#beginAnew()
        else this.#takeBlock(header)
      }
    }
  }

  /** The field holds the head of the magic already. */
  #beginAnew(): void {
    this.broken += 1
    this.#step = 'magic'
    this.#fieldBytes = MAGIC_HEAD.length
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
