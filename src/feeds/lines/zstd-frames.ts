import type { Readable } from 'node:stream'
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib'
import { outputOf } from './decompressor-output.ts'
import { MAGIC_HEAD, ZstdEnd } from './zstd-end.ts'

const NEW_LINE = Buffer.from('\n')

/**
 * What a file of one or more zstd frames holds. Node takes the end of the first frame for the end of
 * the input when more frames follow in the same chunk (nodejs/node#64741) and drops them without a
 * word; here the rest goes to another decompressor. A file that breaks off is an error after what it
 * still held: a block goes in by itself, for Node drops what it has made of a chunk that it cannot read
 * to its end. Where a recorder was killed and another file put behind, reading goes on with a new line.
 */
export async function* zstdDecompressed(file: Readable, chunkSize: number): AsyncGenerator<Buffer> {
  let frames: ZstdDecompress | null = null
  const end = new ZstdEnd()
  try {
    for await (const chunk of file) {
      let rest: Buffer = chunk
      while (rest.length > 0) {
        const { broken } = end
        const taken = end.push(rest)
        let piece = rest.subarray(0, taken)
        rest = rest.subarray(taken)
        if (end.broken > broken) {
          frames?.destroy()
          frames = null
          piece = MAGIC_HEAD
          yield NEW_LINE
        }
        while (piece.length > 0) {
          frames ??= createZstdDecompress({ chunkSize })
          const before: number = frames.bytesWritten
          yield* outputOf(frames, piece)
          const used: number = frames.bytesWritten - before
          if (used === 0) throw new Error('zstd: the data cannot be read on')
          piece = piece.subarray(used)
          // It has ended with its frame; what follows begins another one.
          if (piece.length > 0) frames = null
        }
      }
    }
    if (frames === null) return
    frames.end()
    yield* frames
    if (!end.isAtEnd) throw new Error('unexpected end of file')
    if (end.broken > 0) throw new Error(`${end.broken} zstd frames break off, the others are read`)
  } finally {
    frames?.destroy()
    file.destroy()
  }
}
