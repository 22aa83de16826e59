import { Readable } from 'node:stream'
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib'
import { outputOf } from './decompressor-output.ts'
import { ZstdEnd } from './zstd-end.ts'

/**
 * What a file of one or more zstd frames holds. Node takes the end of the first frame for the end of
 * the input when more frames follow in the same chunk (nodejs/node#64741) and drops them without a
 * word; here the rest goes to another decompressor. A file that breaks off is an error after what it
 * still held.
 */
export function zstdDecompressed(file: Readable, chunkSize: number): Readable {
  // Nothing is read ahead: an error would take along what nobody has read yet.
  return Readable.from(decompressed(file, chunkSize), { objectMode: false, highWaterMark: 1 })
}

async function* decompressed(file: Readable, chunkSize: number): AsyncGenerator<Buffer> {
  let frames: ZstdDecompress | null = null
  const end = new ZstdEnd()
  try {
    for await (const chunk of file) {
      end.push(chunk)
      let rest: Buffer = chunk
      while (rest.length > 0) {
        frames ??= createZstdDecompress({ chunkSize })
        const before: number = frames.bytesWritten
        yield* outputOf(frames, rest)
        const used: number = frames.bytesWritten - before
        if (used === 0) throw new Error('zstd: the data cannot be read on')
        rest = rest.subarray(used)
        // It has ended with its frame; what follows begins another one.
        if (rest.length > 0) frames = null
      }
    }
    if (frames === null) return
    frames.end()
    yield* frames
    if (!end.isAtEnd) throw new Error('unexpected end of file')
  } finally {
    frames?.destroy()
    file.destroy()
  }
}
