import type { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { outputOf } from './decompressor-output.ts'

const HEADER_BYTES = 10
const TRAILER_BYTES = 8
const MAGIC = 0x8b1f
const DEFLATE = 8
const FLAG = { headerCheck: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const

/**
 * What a file of one or more gzip members holds. Node's own decompressor drops what it has ready
 * when it fails, and what it was making with it; here a file that breaks off, or that something else
 * follows, is an error after all that it held.
 */
export async function* gunzipped(file: Readable, chunkSize: number): AsyncGenerator<Buffer> {
  const input = new Input(file)
  try {
    do {
      await skipHeader(input)
      yield* contentOf(input, chunkSize)
    } while (!(await isAtEnd(input)))
  } finally {
    file.destroy()
  }
}

/** Bytes of a file, taken from its front. */
class Input {
  /** Read and not yet taken. */
  bytes: Buffer = Buffer.alloc(0)
  readonly #chunks: AsyncIterator<Buffer>

  constructor(file: Readable) {
    this.#chunks = file[Symbol.asyncIterator]()
  }

  /** Reads on; false at the end of the file. */
  async more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done === true) return false
    this.bytes = this.bytes.length === 0 ? value : Buffer.concat([this.bytes, value])
    return true
  }

  async take(count: number): Promise<Buffer> {
    while (this.bytes.length < count) await this.#need()
    const taken = this.bytes.subarray(0, count)
    this.bytes = this.bytes.subarray(count)
    return taken
  }

  /** All that is read, or else the next that is; it stays until it is taken. */
  async some(): Promise<Buffer> {
    while (this.bytes.length === 0) await this.#need()
    return this.bytes
  }

  async #need(): Promise<void> {
    if (!(await this.more())) throw new Error('unexpected end of file')
  }
}

async function skipHeader(input: Input): Promise<void> {
  const header = await input.take(HEADER_BYTES)
  if (header.readUInt16LE(0) !== MAGIC) throw new Error('incorrect header check')
  if (header[2] !== DEFLATE) throw new Error('unknown compression method')
  const flags = header[3]
  if ((flags & FLAG.reserved) !== 0) throw new Error('unknown header flags set')
  if ((flags & FLAG.extra) !== 0) await input.take((await input.take(2)).readUInt16LE(0))
  if ((flags & FLAG.name) !== 0) await skipText(input)
  if ((flags & FLAG.comment) !== 0) await skipText(input)
  if ((flags & FLAG.headerCheck) !== 0) await input.take(2)
}

async function skipText(input: Input): Promise<void> {
  for (;;) {
    const bytes = await input.some()
    const end = bytes.indexOf(0)
    await input.take(end < 0 ? bytes.length : end + 1)
    if (end >= 0) return
  }
}

async function* contentOf(input: Input, chunkSize: number): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize })
  let crc = 0
  let length = 0
  try {
    for (let isWhole = false; !isWhole; ) {
      const bytes = await input.some()
      const before: number = inflate.bytesWritten
      for await (const part of outputOf(inflate, bytes)) {
        crc = crc32(part, crc)
        length += part.length
        yield part
      }
      const used: number = inflate.bytesWritten - before
      await input.take(used)
      // Only what follows the content is left.
      isWhole = used < bytes.length
    }
  } finally {
    inflate.destroy()
  }
  const trailer = await input.take(TRAILER_BYTES)
  if (trailer.readUInt32LE(0) !== crc) throw new Error('incorrect data check')
  if (trailer.readUInt32LE(4) !== length % 2 ** 32) throw new Error('incorrect length check')
}

/** Whether no further member follows; a tape or a disk may have filled the file up with zeros. */
async function isAtEnd(input: Input): Promise<boolean> {
  for (;;) {
    const member = input.bytes.findIndex((byte) => byte !== 0)
    await input.take(member < 0 ? input.bytes.length : member)
    if (member >= 0) return false
    if (!(await input.more())) return true
  }
}
