import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../src/base/base58.ts'

/** Characters of the longest text that is read. */
const BASE58_CHARS_MAX = 16_384
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The definition, digit by digit, to check the limbs against. */
function plainEncode(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0)
  let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}

test('base58 of any bytes is that of the definition and decodes to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 130 }), (bytes) => {
      const text = encodeBase58(bytes)
      expect(text).toBe(plainEncode(bytes))
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
      expect(encodeBase58(bytes ?? new Uint8Array())).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test('base58 of the greatest bytes of every length is that of the definition', () => {
  for (let length = 0; length <= 70; length += 1) {
    const bytes = new Uint8Array(length).fill(255)
    expect(encodeBase58(bytes)).toBe(plainEncode(bytes))
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
    expect(text).toBe(plainEncode(bytes))
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

test('base58 holds the longest instruction data and refuses what is longer', () => {
  const bytes = new Uint8Array(randomBytes(10_240))
  expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
  expect(decodeBase58('1'.repeat(BASE58_CHARS_MAX + 1))).toBeNull()
  expect(() => encodeBase58(new Uint8Array(20_000))).toThrow(RangeError)
})

test('base58 holds the bytes of its longest text and refuses more', () => {
  const most = decodeBase58('z'.repeat(BASE58_CHARS_MAX)) ?? new Uint8Array()
  expect(encodeBase58(most)).toBe('z'.repeat(BASE58_CHARS_MAX))
  for (let length = most.length + 1; length <= 12_300; length += 1)
    expect(() => encodeBase58(new Uint8Array(length).fill(255))).toThrow(RangeError)
})
