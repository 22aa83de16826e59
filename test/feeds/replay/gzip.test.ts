import { randomBytes } from 'node:crypto'
import { crc32, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/base/errors.ts'
import { gunzipped } from '../../../src/feeds/replay/input-file.ts'
import { CONTENTS, cutsOf, inPieces } from '../packed.ts'

interface Outcome {
  readonly bytes: Buffer
  /** Why reading ended; null when it came to the end. */
  readonly reason: string | null
}

async function read(packed: Buffer, pieceBytes: number): Promise<Outcome> {
  const parts: Buffer[] = []
  let reason: string | null = null
  try {
    for await (const part of gunzipped(inPieces(packed, pieceBytes))) parts.push(part)
  } catch (error) {
    reason = messageOf(error)
  }
  return { bytes: Buffer.concat(parts), reason }
}

const LINES = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${i * 7919}`).join('\n'))

/** A member with all that a header can have. */
function withLongHeader(content: Buffer): Buffer {
  const plain = gzipSync(content)
  const extra = Buffer.concat([Buffer.from([5, 0]), Buffer.from('extra')])
  const header = Buffer.concat([plain.subarray(0, 10), extra, Buffer.from('name\0remark\0')])
  header[3] = 0b11110
  const check = Buffer.alloc(2)
  check.writeUInt16LE(crc32(header) & 0xffff)
  return Buffer.concat([header, check, plain.subarray(10)])
}

test('all members of a file are read, wherever its chunks are cut', async () => {
  const packed = Buffer.concat([...CONTENTS.map((part) => gzipSync(part)), withLongHeader(LINES)])
  const content = Buffer.concat([...CONTENTS, LINES])
  for (const pieceBytes of [packed.length, 64 * 1024, 1_000, 7]) {
    const { bytes, reason } = await read(packed, pieceBytes)
    expect([reason, bytes.equals(content)], `${pieceBytes}`).toEqual([null, true])
  }
})

test('a file that breaks off is an error at every byte but behind a member, after what it held', async () => {
  const first = withLongHeader(Buffer.from('one line\n'.repeat(40)))
  const second = gzipSync(randomBytes(150))
  const packed = Buffer.concat([first, second])
  const whole = [first.length, packed.length]
  for (const end of cutsOf(packed, whole))
    for (const pieceBytes of [1_000, 3]) {
      const { bytes, reason } = await read(packed.subarray(0, end), pieceBytes)
      const found = whole.includes(end) ? null : 'unexpected end of file'
      expect(reason, `cut at ${end}`).toBe(found)
      if (end >= first.length)
        expect(bytes.subarray(0, 360).toString()).toMatch(/^(one line\n){40}$/)
    }
})

test('what a file that breaks off still held is read', async () => {
  const packed = gzipSync(LINES)
  const { bytes, reason } = await read(packed.subarray(0, packed.length - 9), 256 * 1024)
  expect(reason).toBe('unexpected end of file')
  expect(bytes.length).toBeGreaterThan(LINES.length - 100)
  expect(LINES.subarray(0, bytes.length).equals(bytes)).toBe(true)
})

test('what stands 64 KB before bytes that are no gzip is read, and zeros at the end are none', async () => {
  const packed = gzipSync(LINES)
  for (const pieceBytes of [256 * 1024, packed.length, 999]) {
    const trailed = await read(Buffer.concat([packed, Buffer.from('this is plain')]), pieceBytes)
    expect(trailed.reason).toBe('incorrect header check')
    expect(trailed.bytes.length).toBeGreaterThan(LINES.length - 64 * 1024)
    expect(trailed.bytes.equals(LINES.subarray(0, trailed.bytes.length))).toBe(true)
    const padded = await read(Buffer.concat([packed, Buffer.alloc(2_000)]), pieceBytes)
    expect(padded.reason).toBeNull()
    expect(padded.bytes.equals(LINES)).toBe(true)
  }
  expect((await read(Buffer.from('this is plain text'), 1_000)).reason).toBe(
    'incorrect header check',
  )
})

test('content that is not what was packed is an error', async () => {
  const packed = gzipSync(LINES)
  const reasons = [packed.length - 8, packed.length - 1, 3, 2].map(async (at) => {
    const bytes = Buffer.from(packed)
    bytes[at] ^= 0x80
    return (await read(bytes, 1_000)).reason
  })
  expect(await Promise.all(reasons)).toEqual([
    'incorrect data check',
    'incorrect length check',
    'unknown header flags set',
    'unknown compression method',
  ])
})
