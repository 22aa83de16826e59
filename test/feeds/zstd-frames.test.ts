import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { zstdDecompressed } from '../../src/feeds/lines/zstd-frames.ts'

async function read(packed: Buffer, pieceBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; at += pieceBytes)
    pieces.push(packed.subarray(at, at + pieceBytes))
  const parts: Buffer[] = []
  for await (const part of zstdDecompressed(Readable.from(pieces), 64 * 1024)) parts.push(part)
  return Buffer.concat(parts)
}

/** Well packed, badly packed, small and empty ones. */
const WHOLE = [
  Buffer.from('hello '.repeat(10)),
  Buffer.from('a line\n'.repeat(300_000)),
  randomBytes(200_000),
  Buffer.alloc(0),
  Buffer.from('end'),
]

test('all frames of a file are read, wherever its chunks are cut', async () => {
  const packed = Buffer.concat(WHOLE.map((part) => zstdCompressSync(part)))
  for (const pieceBytes of [packed.length, 64 * 1024, 1_000, 7])
    expect((await read(packed, pieceBytes)).equals(Buffer.concat(WHOLE)), `${pieceBytes}`).toBe(
      true,
    )
})

test('one frame is read as before', async () => {
  for (const part of WHOLE)
    expect((await read(zstdCompressSync(part), 999)).equals(part)).toBe(true)
})

test('bytes that are no zstd are an error, also behind a frame', async () => {
  const frame = zstdCompressSync(Buffer.from('good'))
  await expect(read(Buffer.from('this is plain text'), 1_000)).rejects.toThrow()
  await expect(read(Buffer.concat([frame, Buffer.from('this is plain')]), 1_000)).rejects.toThrow()
  await expect(
    read(Buffer.concat([frame, Buffer.from('this is plain')]), frame.length),
  ).rejects.toThrow()
})
