import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { zstdDecompressed } from '../../../src/feeds/replay/input-file.ts'
import { CONTENTS, cutsOf, inPieces } from '../packed.ts'

async function read(packed: Buffer, pieceBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of zstdDecompressed(inPieces(packed, pieceBytes))) parts.push(part)
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
  for (const end of cutsOf(packed, whole))
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
    for await (const part of zstdDecompressed(input)) {
      parts.push(part)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }).rejects.toThrow('unexpected end of file')
  const held = Buffer.concat(parts)
  expect(held.length).toBeGreaterThan(lines.length / 3)
  expect(lines.subarray(0, held.length).equals(held)).toBe(true)
})

/** Lines in a frame that is flushed after each hundred, as a recorder does it, and never ended. */
async function unended(lines: readonly string[]): Promise<Buffer> {
  const compress = createZstdCompress()
  const parts: Buffer[] = []
  compress.on('data', (part) => parts.push(part))
  for (let at = 0; at < lines.length; at += 100) {
    compress.write(lines.slice(at, at + 100).join(''))
    await new Promise<void>((resolve) => compress.flush(() => resolve()))
  }
  const packed = Buffer.concat(parts)
  compress.destroy()
  return packed
}

async function held(packed: Buffer, pieceBytes: number): Promise<[text: string, error: string]> {
  const parts: Buffer[] = []
  try {
    for await (const part of zstdDecompressed(inPieces(packed, pieceBytes))) parts.push(part)
    return [Buffer.concat(parts).toString(), '']
  } catch (error) {
    return [Buffer.concat(parts).toString(), String(error)]
  }
}

const LINES = Array.from({ length: 1_000 }, (_, n) => `${n} ${randomBytes(20).toString('hex')}\n`)

test('what stands before bytes that cannot be read is read, in the same chunk too', async () => {
  const packed = await unended(LINES)
  for (const pieceBytes of [packed.length + 500, 1_000, 7]) {
    const [text, error] = await held(Buffer.concat([packed, randomBytes(500)]), pieceBytes)
    expect(text.startsWith(LINES.join(''))).toBe(true)
    expect(error).not.toBe('')
  }
})

test('files of a recorder that was killed are read on behind the one that breaks off, which is told', async () => {
  const torn = await unended(LINES)
  const whole = zstdCompressSync('behind it\n')
  const packed = Buffer.concat([torn, whole, torn, torn, whole])
  const expected = [LINES, ['behind it\n'], LINES, LINES, ['behind it\n']].flat()
  for (const pieceBytes of [packed.length, 1_000, 7, 2]) {
    const [text, error] = await held(packed, pieceBytes)
    expect(text.split('\n').filter((line) => line !== '')).toEqual(
      expected.map((line) => line.trim()),
    )
    expect(error).toContain('3 zstd frames break off')
  }
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
