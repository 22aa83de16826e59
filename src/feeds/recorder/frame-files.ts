/**
 * feeds/recorder: frames of live feeds in, as they came; `.zst` files of bounded size and number out, which feeds/replay reads.
 * What was flushed lasts when the process is killed.
 */

import { createWriteStream, mkdirSync, openSync, rmSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createZstdCompress, type ZstdCompress } from 'node:zlib'
import { errorOf } from '../../base/errors.ts'
import { frameLine, type RawFrames } from '../raw-frames.ts'

/** Bytes that wait for the disk; what comes while there are more is dropped and counted. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024
/** Of a killed process at most the frames of this time are lost. */
const FLUSH_MS = 1_000
/** Raw bytes after which what was compressed is written out, so that its size is known. */
const FLUSH_BYTES = 1024 * 1024
/** What the format itself takes at most beside the packed bytes. */
const FORMAT_BYTES = 4 * 1024

interface FrameFilesOptions {
  /** Made when it is not there. */
  readonly folder: string
  /** A file ends before it would be longer; a single frame may be. */
  readonly fileBytesMax: number
  /** The oldest file goes when there are more. */
  readonly filesMax: number
  readonly clockMs: () => number
  /** Called once when the disk refuses; nothing is recorded from then on. */
  readonly onFailure: (error: Error) => void
  readonly waitingBytesMax?: number
}

/** Keeps raw frames as lines in `.zst` files of bounded size and number. */
export class FrameFiles implements RawFrames {
  readonly #options: FrameFilesOptions
  readonly #start: string
  readonly #paths: string[] = []
  /** Files that were ended and are not on the disk yet. */
  readonly #ending = new Map<FrameFile, Promise<void>>()
  readonly #flushing: NodeJS.Timeout
  #file: FrameFile | null = null
  #made = 0
  #hasFailed = false
  /** Frames that were written; where the disk has refused, the newest of them were not. */
  frames = 0
  /** Frames that came faster than the disk takes them. */
  dropped = 0
  /** Files that were removed to make room. */
  removed = 0

  /** @throws Error when the folder cannot be made */
  constructor(options: FrameFilesOptions) {
    this.#options = options
    mkdirSync(options.folder, { recursive: true })
    this.#start = new Date(options.clockMs()).toISOString().replace(/[-:]|\.\d+/g, '')
    this.#flushing = setInterval(() => this.#file?.flush(), FLUSH_MS)
  }

  /** Files that are there, oldest first. */
  get paths(): readonly string[] {
    return this.#paths
  }

  frame(feed: string, raw: string | Uint8Array): void {
    if (this.#hasFailed) return
    const { clockMs, fileBytesMax, waitingBytesMax = WAITING_BYTES_MAX } = this.#options
    const line = Buffer.from(`${JSON.stringify(frameLine(feed, raw, clockMs()))}\n`)
    if (this.#waitingBytes + line.length > waitingBytesMax) {
      this.dropped += 1
      return
    }
    if (this.#file !== null && this.#file.bytesAtMost + line.length > fileBytesMax) this.#end()
    this.#file ??= this.#next()
    this.#file?.write(line)
    if (this.#file !== null) this.frames += 1
  }

  /** Ends the file; resolves when everything is on the disk. */
  async close(): Promise<void> {
    clearInterval(this.#flushing)
    this.#end()
    await Promise.all(this.#ending.values())
  }

  /** Of all files: one that has ended may have bytes that the disk has not taken. */
  get #waitingBytes(): number {
    let bytes = this.#file?.waitingBytes ?? 0
    for (const file of this.#ending.keys()) bytes += file.waitingBytes
    return bytes
  }

  /** null: the disk refuses, which was reported. */
  #next(): FrameFile | null {
    const { folder, filesMax } = this.#options
    this.#made += 1
    const path = join(folder, `frames-${this.#start}-${String(this.#made).padStart(5, '0')}.zst`)
    try {
      const file = new FrameFile(path, (error) => this.#fail(error))
      this.#paths.push(path)
      while (this.#paths.length > filesMax) this.#removeOldest()
      return file
    } catch (error) {
      this.#fail(errorOf(error))
      return null
    }
  }

  #removeOldest(): void {
    const path = this.#paths.shift()
    if (path === undefined) return
    // Somebody may have taken it away already.
    rmSync(path, { force: true })
    this.removed += 1
  }

  #end(): void {
    const file = this.#file
    this.#file = null
    if (file === null) return
    const ended = file.end()
    this.#ending.set(file, ended)
    void ended.then(() => this.#ending.delete(file))
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#options.onFailure(error)
  }
}

/** One `.zst` file that is being written. */
class FrameFile {
  readonly #compress: ZstdCompress = createZstdCompress()
  readonly #file: WriteStream
  /** Raw bytes since the last flush: packed they are no more than this, however bad they pack. */
  #sinceFlush = 0
  #isFlushing = false

  /**
   * @param onError called when the file cannot be written
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
