import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { CODES_MAX, decodeText, encodeText } from '../../../src/engine/memory/text-code.ts'
import { FRAGMENTS } from '../../../src/engine/memory/text-fragments.ts'
import { TEXT_BYTES_MAX } from '../../../src/engine/memory/text-store.ts'
import { byLength } from '../../lengths.ts'
import { Random } from '../../oracle/random.ts'
import { tokenText } from './token-texts.ts'

const SEED = 20_261_130
const CASES = byLength(4_000, 60_000)
const codes = new Uint8Array(CODES_MAX)
const room = new Uint8Array(TEXT_BYTES_MAX)

function codesOf(text: Uint8Array): Uint8Array {
  return codes.slice(0, encodeText(text, text.length, codes))
}

function bytesOf(random: Random, length: number): Buffer {
  const least = random.pick([0, 0, 32, 128])
  const most = random.pick([255, 255, 127, least])
  return Buffer.from(Array.from({ length }, () => random.integer(least, Math.max(least, most))))
}

/** Codes of some bytes are those bytes again, and hardly more than they. */
function expectBack(text: Uint8Array, seed: number): void {
  const packed = codesOf(text)
  const length = decodeText(packed, 0, packed.length, room)
  if (Buffer.compare(room.subarray(0, length), text) !== 0)
    expect(Buffer.from(room.subarray(0, length)).toString('hex'), `seed ${seed}`).toBe(
      Buffer.from(text).toString('hex'),
    )
  const most = text.length + 2 * Math.ceil(text.length / 255)
  if (packed.length > most) expect(packed.length, `seed ${seed}`).toBeLessThanOrEqual(most)
}

test('texts of tokens and any bytes come back as they were', () => {
  for (let i = 0; i < CASES; i++) {
    const random = new Random(SEED + i)
    expectBack(Buffer.from(tokenText(random)), SEED + i)
    expectBack(bytesOf(random, random.integer(0, 300)), SEED + i)
  }
})

test('every piece, every byte and the longest texts come back as they were', () => {
  for (const piece of FRAGMENTS) expect(codesOf(Buffer.from(piece)), piece).toHaveLength(1)
  for (let byte = 0; byte < 256; byte++)
    for (const length of [1, 2, 3, 4, 5, 254, 255, 256, 510, 511])
      expectBack(Buffer.alloc(length, byte), byte)
  const random = new Random(SEED)
  for (const byte of [0, 0x61, 0xff]) expectBack(Buffer.alloc(TEXT_BYTES_MAX, byte), SEED)
  for (let i = 0; i < 8; i++) expectBack(bytesOf(random, TEXT_BYTES_MAX), SEED)
})

test('what stands behind a text is none of it', () => {
  for (const piece of FRAGMENTS)
    for (let length = piece.length; length > 0; length--) {
      const bytes = encodeText(Buffer.from(piece), length, codes)
      const back = Buffer.from(room.subarray(0, decodeText(codes, 0, bytes, room)))
      expect(back.toString()).toBe(piece.slice(0, length))
    }
})

test('content ids and emoji take the codes that were made for them', () => {
  const sizes = [
    'https://ipfs.io/ipfs/QmVg3DCUNQSXtUbYNDj3trDtqA7mshtD1uefvxUvpHZmng',
    'https://ipfs.io/ipfs/bafkreihhlix3345a7x2dbiqc3mewx7dqzyasdeueucbegzll2myutenmau',
    '9dbddf510e974abb9dbddf510e974abb',
    '🚀',
  ].map((text) => codesOf(Buffer.from(text)).length)
  expect(sizes).toEqual([1 + 1 + 33, 1 + 1 + 33, 1 + 16, 1 + 4])
})

test('any bytes are codes of a text, which goes no further than there is room', () => {
  for (let i = 0; i < CASES; i++) {
    const random = new Random(SEED + i)
    const source = Buffer.from(Array.from({ length: 300 }, () => random.integer(0, 255)))
    const room = new Uint8Array(random.integer(0, 400))
    const [from, to] = [random.integer(0, 150), random.integer(150, 300)]
    const length = decodeText(source, from, to, room)
    if (length > room.length) expect.fail(`seed ${SEED + i}`)
  }
})

test('the codes are those that snapshots have', () => {
  const hash = createHash('sha256').update(JSON.stringify(FRAGMENTS))
  for (let i = 0; i < 2_000; i++) hash.update(codesOf(Buffer.from(tokenText(new Random(i)))))
  expect(
    hash.digest('hex').slice(0, 16),
    'other codes are another version of snapshots, which needs an upgrade',
  ).toBe('8da61c013f5f1319')
})
