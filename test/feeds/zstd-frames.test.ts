import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { constants, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { zstdDecompressed } from '../../src/feeds/lines/zstd-frames.ts'
import { CONTENTS, inPieces } from './packed.ts'

async function read(packed: Buffer, pieceBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of zstdDecompressed(inPieces(packed, pieceBytes), 64 * 1024))
    parts.push(part)
  return Buffer.concat(parts)
}

test('all frames of a file are read, wherever its chunks are cut', async () => {
  const packed = Buffer.concat(CONTENTS.map((part) => zstdCompressSync(part)))
  for (const pieceBytes of [packed.length, 64 * 1024, 1_000, 7])
    expect((await read(packed, pieceBytes)).equals(Buffer.concat(CONTENTS)), `${pieceBytes}`).toBe(
      true,
    )
})

test('a file that breaks off is an error at every byte but between frames, after what it held', async () => {
  const first = zstdCompressSync(Buffer.from('one line\n'.repeat(40)))
  const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
  const second = zstdCompressSync(randomBytes(150), {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const packed = Buffer.concat([first, skippable, second])
  const whole = [0, first.length, first.length + skippable.length, packed.length]
  for (let end = 0; end <= packed.length; end++)
    for (const pieceBytes of [1_000, 3]) {
      const outcome = await read(packed.subarray(0, end), pieceBytes).then(
        () => true,
        () => false,
      )
      expect(outcome, `cut at ${end}`).toBe(whole.includes(end))
    }
})

test('what a file that breaks off still held is read', async () => {
  const lines = Buffer.from(Array.from({ length: 40_000 }, (_, i) => `${i * 7919}`).join('\n'))
  const packed = zstdCompressSync(lines)
  const parts: Buffer[] = []
  const input = Readable.from([packed.subarray(0, packed.length - 9)])
  await expect(async () => {
    for await (const part of zstdDecompressed(input, 4 * 1024)) {
      parts.push(part)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }).rejects.toThrow('unexpected end of file')
  const held = Buffer.concat(parts)
  expect(held.length).toBeGreaterThan(lines.length / 3)
  expect(lines.subarray(0, held.length).equals(held)).toBe(true)
})

test('one frame is read as before', async () => {
  for (const part of CONTENTS)
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
