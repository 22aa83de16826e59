import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { createZstdCompress, type ZstdCompress } from 'node:zlib'

/** Raw bytes after which what was compressed is written out, so that its size is known. */
const FLUSH_BYTES = 1024 * 1024
/** What the format itself takes at most beside the packed bytes. */
const FORMAT_BYTES = 4 * 1024

/** One `.zst` file that is being written. */
export class FrameFile {
  readonly #compress: ZstdCompress = createZstdCompress()
  readonly #file: WriteStream
  /** Raw bytes since the last flush: packed they are no more than this, however bad they pack. */
  #sinceFlush = 0
  #isFlushing = false

  /**
   * @param onError told when the file cannot be written
   * @throws Error when it cannot be made, as when there is one: nobody's recording is written over
   */
  constructor(path: string, onError: (error: Error) => void) {
    this.#file = createWriteStream(path, { fd: openSync(path, 'wx') })
    this.#file.on('error', onError)
    this.#compress.on('error', (error) => {
      onError(error)
      this.#file.destroy()
    })
    this.#compress.pipe(this.#file)
  }

  /** Bytes that have not reached the disk. */
  get waitingBytes(): number {
    return this.#compress.writableLength + this.#file.writableLength
  }

  /** The file will not be longer than this when it ends now. */
  get bytesAtMost(): number {
    const { bytesWritten, writableLength } = this.#file
    const packed = bytesWritten + writableLength + this.#compress.readableLength
    return packed + this.#sinceFlush + FORMAT_BYTES
  }

  write(line: Buffer): void {
    this.#compress.write(line)
    this.#sinceFlush += line.length
    if (this.#sinceFlush > FLUSH_BYTES) this.flush()
  }

  flush(): void {
    if (this.#isFlushing || this.#sinceFlush === 0) return
    this.#isFlushing = true
    const flushed = this.#sinceFlush
    this.#compress.flush(() => {
      this.#isFlushing = false
      this.#sinceFlush -= flushed
    })
  }

  /** Resolves when the file is whole, or has failed. */
  async end(): Promise<void> {
    this.#compress.end()
    await finished(this.#file).catch(() => {})
  }
}
