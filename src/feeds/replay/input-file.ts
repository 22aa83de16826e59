import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { codeOf } from '../../base/errors.ts'

const CHUNK_BYTES = 256 * 1024

/** Why the file cannot be read, in one sentence; null when it can. */
export function checkInputFile(path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return `"${path}" is a directory but must be a file`
    accessSync(path, constants.R_OK)
  } catch (error) {
    return `"${path}" cannot be read (${codeOf(error) || error}) but must be a file that can`
  }
  const canReadZstd = typeof zlib.createZstdDecompress === 'function'
  return path.endsWith('.zst') && !canReadZstd
    ? `"${path}" is zstd, which needs Node 22.15 or newer, but this is ${process.version}`
    : null
}

/** Opens a plain, `.gz` or `.zst` file; errors of reading come through the stream. */
export function openInputFile(path: string): {
  /** Decompressed. */
  readonly bytes: Readable
  /** Of the file as it is on disk. */
  readonly sizeBytes: number
  /** Bytes of it read so far. */
  readonly bytesRead: () => number
} {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const bytes = decompressed(path, file)
  return { bytes, sizeBytes: statSync(path).size, bytesRead: () => file.bytesRead }
}

function decompressed(path: string, file: Readable): Readable {
  if (!/\.(gz|zst)$/.test(path)) return file
  const parts = (path.endsWith('.gz') ? gunzipped : zstdDecompressed)(file)
  // Nothing is read ahead: an error would take along what nobody has read yet.
  return Readable.from(parts, { objectMode: false, highWaterMark: 1 })
}

/** So much of a gzip file goes in at once: unpacked a thousand times as long, it still fits into memory. */
const GZIP_PIECE_BYTES = 16 * 1024
const GZIP_CHUNK_BYTES = 64 * 1024
const NEW_LINE = Buffer.from('\n')

/**
 * The content of a file of one or more gzip members. A file that breaks off is an error after all that it held;
 * one that is damaged, or that other bytes follow, lacks at most the last 64 KB before these.
 */
export async function* gunzipped(file: Readable): AsyncGenerator<Buffer> {
  const gunzip = new Decompression(zlib.createGunzip({ chunkSize: GZIP_CHUNK_BYTES }))
  try {
    for await (const chunk of file)
      for (let at = 0; at < chunk.length; at += GZIP_PIECE_BYTES)
        yield* gunzip.contentOf(chunk.subarray(at, at + GZIP_PIECE_BYTES))
    yield* gunzip.rest()
  } finally {
    gunzip.destroy()
    file.destroy()
  }
}

/**
 * The content of a file of one or more zstd frames. Node's decompressor drops without a word the frames behind the
 * first one (nodejs/node#64741) and takes a frame that breaks off for a whole one. So each frame has a decompressor
 * of its own here, and `ZstdBlocks` finds where frames end; a file that breaks off is an error after all that it held.
 * Where a recorder was killed and another file was put behind its own, reading goes on with a new line.
 */
export async function* zstdDecompressed(file: Readable): AsyncGenerator<Buffer> {
  const blocks = new ZstdBlocks()
  let frame: Decompression | null = null
  try {
    for await (const chunk of file) {
      for (let rest: Buffer = chunk; rest.length > 0; ) {
        const { tornFrames } = blocks
        const pieceBytes = blocks.push(rest)
        let piece = rest.subarray(0, pieceBytes)
        rest = rest.subarray(pieceBytes)
        if (blocks.tornFrames > tornFrames) {
          frame?.destroy()
          frame = null
          piece = MAGIC_HEAD
          yield NEW_LINE
        }
        frame ??= new Decompression(zlib.createZstdDecompress({ chunkSize: BLOCK_BYTES_MAX }))
        yield* frame.contentOf(piece)
        if (!blocks.isBetweenFrames) continue
        yield* frame.rest()
        frame = null
      }
    }
    if (frame !== null) throw new Error('unexpected end of file')
    if (blocks.tornFrames > 0)
      throw new Error(`${blocks.tornFrames} zstd frames break off, the others are read`)
  } finally {
    frame?.destroy()
    file.destroy()
  }
}

/** A decompressor whose output is taken piece by piece: as a stream it drops what nobody has read when it fails. */
class Decompression {
  readonly #decompressor: Transform
  #output: Buffer[] = []
  /** As at zeros behind a gzip member, of which it takes no more. */
  #hasEnded = false

  constructor(decompressor: Transform) {
    this.#decompressor = decompressor
    decompressor.on('data', (part: Buffer) => this.#output.push(part))
    decompressor.once('end', () => {
      this.#hasEnded = true
    })
  }

  /** What it makes of a piece of the input, before the error where it cannot read all of it. */
  contentOf(piece: Buffer): AsyncGenerator<Buffer> {
    return this.#outputOf((done) => this.#decompressor.write(piece, done))
  }

  /** What is left when the input has ended. */
  rest(): AsyncGenerator<Buffer> {
    return this.#outputOf(() => this.#decompressor.end())
  }

  destroy(): void {
    this.#decompressor.destroy()
  }

  async *#outputOf(run: (done: () => void) => void): AsyncGenerator<Buffer> {
    if (this.#hasEnded) return
    const decompressor = this.#decompressor
    const error = await new Promise<Error | null>((resolve) => {
      const done = () => {
        decompressor.off('error', resolve)
        decompressor.off('end', done)
        resolve(null)
      }
      decompressor.once('error', resolve)
      decompressor.once('end', done)
      run(done)
    })
    const output = this.#output
    this.#output = []
    yield* output
    if (error !== null) throw error
  }
}

const MAGIC = 0xfd2fb528
const MAGIC_BYTES = 4
/** The low four bits are the writer's own. */
const SKIPPABLE_MAGIC = 0x184d2a50
const BLOCK_BYTES_MAX = 128 * 1024
/** The head of a frame is no block header: that block would be longer than one may be. */
const MAGIC_AS_BLOCK = MAGIC & 0xffffff
const MAGIC_HEAD = Buffer.from([0x28, 0xb5, 0x2f])
const CHECKSUM_BYTES = 4
const BLOCK_HEADER_BYTES = 3
const BLOCK_OF_ONE_BYTE = 1
const FIELD_BYTES = { magic: MAGIC_BYTES, skippable: 4, descriptor: 1, block: BLOCK_HEADER_BYTES }

/** Follows zstd data from block to block (RFC 8878). */
class ZstdBlocks {
  /** The field that is read next. */
  #step: keyof typeof FIELD_BYTES = 'magic'
  readonly #field = Buffer.alloc(MAGIC_BYTES)
  #fieldBytes = 0
  /** Bytes before the field that are not read. */
  #skipBytes = 0
  #hasChecksum = false
  /** Frames that broke off at the end of a block, with another frame behind them. */
  tornFrames = 0

  get isBetweenFrames(): boolean {
    return this.#step === 'magic' && this.#skipBytes === 0 && this.#fieldBytes === 0
  }

  /**
   * Takes the bytes up to the end of a block or a frame, or to the head of a frame where a block should be.
   * @returns how many these are
   * @throws Error at bytes that begin no frame
   */
  push(chunk: Buffer): number {
    const { tornFrames } = this
    let at = 0
    while (at < chunk.length && this.tornFrames === tornFrames) {
      const skipped = Math.min(this.#skipBytes, chunk.length - at)
      this.#skipBytes -= skipped
      at += skipped
      if (skipped > 0 && this.#skipBytes === 0) return at
      const fieldBytes = FIELD_BYTES[this.#step]
      if (this.#skipBytes === 0) {
        const end = at + fieldBytes - this.#fieldBytes
        const copied = chunk.copy(this.#field, this.#fieldBytes, at, end)
        this.#fieldBytes += copied
        at += copied
      }
      if (this.#fieldBytes === fieldBytes) this.#take()
      if (this.isBetweenFrames) return at
    }
    return at
  }

  #take(): void {
    this.#fieldBytes = 0
    switch (this.#step) {
      case 'magic': {
        const magic = this.#field.readUInt32LE(0)
        if (magic === MAGIC) this.#step = 'descriptor'
        else if ((magic & ~0xf) === SKIPPABLE_MAGIC) this.#step = 'skippable'
        else throw new Error('these bytes begin no zstd frame')
        return
      }
      case 'skippable':
        this.#skipBytes = this.#field.readUInt32LE(0)
        this.#step = 'magic'
        return
      case 'descriptor':
        this.#takeDescriptor(this.#field.readUInt8(0))
        return
      case 'block': {
        const header = this.#field.readUIntLE(0, BLOCK_HEADER_BYTES)
        if (header === MAGIC_AS_BLOCK) this.#beginAnew()
        else this.#takeBlock(header)
      }
    }
  }

  /** The field holds the head of the magic already. */
  #beginAnew(): void {
    this.tornFrames += 1
    this.#step = 'magic'
    this.#fieldBytes = MAGIC_HEAD.length
  }

  #takeDescriptor(descriptor: number): void {
    const isOneSegment = (descriptor & 0x20) !== 0
    // 0, 2, 4 or 8 bytes of content size; one that is one segment has it always.
    const sizeFlag = descriptor >>> 6
    const sizeBytes = sizeFlag === 0 ? Number(isOneSegment) : 2 ** sizeFlag
    // 0, 1, 2 or 4.
    const dictionaryIdBytes = (2 ** (descriptor & 0x03)) >>> 1
    this.#hasChecksum = (descriptor & 0x04) !== 0
    this.#skipBytes = (isOneSegment ? 0 : 1) + dictionaryIdBytes + sizeBytes
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
