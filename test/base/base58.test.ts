import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../src/base/base58.ts'
import { plainBase58 } from '../oracle/plain-base58.ts'

/** Characters of the longest text that is read. */
const BASE58_CHARS_MAX = 16_384
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

test('base58 of any bytes is that of the definition and decodes to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const text = encodeBase58(bytes)
      expect(text).toBe(plainBase58(bytes))
      expect(decodeBase58(text)).toEqual(bytes)
    }),
    { numRuns: 2_000 },
  )
})

test('base58 of any text of the alphabet decodes and encodes to the same text', () => {
  const digits = fc.constantFrom(...ALPHABET)
  fc.assert(
    fc.property(fc.array(digits, { maxLength: 100 }), fc.nat(6), (chars, ones) => {
      const text = '1'.repeat(ones) + chars.join('')
      const bytes = decodeBase58(text)
      expect(bytes).not.toBeNull()
      const encode = (bytes?.length ?? 0) > 64 ? plainBase58 : encodeBase58
      expect(encode(bytes ?? new Uint8Array())).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test('base58 of the greatest bytes of every length is that of the definition', () => {
  for (let length = 0; length <= 64; length += 1) {
    const bytes = new Uint8Array(length).fill(255)
    expect(encodeBase58(bytes)).toBe(plainBase58(bytes))
  }
})

test('base58 keeps leading zero bytes and knows the ends of its limbs', () => {
  expect(encodeBase58(new Uint8Array(32))).toBe('1'.repeat(32))
  for (const value of [
    1,
    57,
    58,
    255,
    256,
    58 ** 4 - 1,
    58 ** 4,
    2 ** 16 - 1,
    2 ** 16,
    2 ** 24 - 1,
    2 ** 24,
    2 ** 32 - 1,
  ]) {
    const bytes = Buffer.alloc(6)
    bytes.writeUIntBE(value, 0, 6)
    const text = encodeBase58(bytes)
    expect(text).toBe(plainBase58(bytes))
    expect(decodeBase58(text)).toEqual(new Uint8Array(bytes))
  }
})

test('base58 of other characters is null', () => {
  for (const text of [
    '0',
    'O',
    'I',
    'l',
    'a b',
    'a\u0080',
    'a\u0100',
    'é',
    '\u{1f600}',
    'abc\n',
    ' 1',
    '+/',
  ]) {
    expect(decodeBase58(text)).toBeNull()
  }
})

test('base58 reads the longest instruction data and refuses what is longer', () => {
  const bytes = new Uint8Array(randomBytes(10_240))
  expect(decodeBase58(plainBase58(bytes))).toEqual(bytes)
  expect(decodeBase58('z'.repeat(BASE58_CHARS_MAX))).not.toBeNull()
  expect(decodeBase58('1'.repeat(BASE58_CHARS_MAX + 1))).toBeNull()
})

test('base58 writes nothing that is longer than a signature', () => {
  for (const length of [65, 66, 128, 20_000])
    expect(() => encodeBase58(new Uint8Array(length).fill(255))).toThrow(RangeError)
})
