import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../../src/base/base58.ts'
import { readWireTransaction } from '../../../../src/feeds/chain/transactions/rpc-json.ts'

/** Solana's compact u16. */
function count(value: number): Buffer {
  return value < 0x80 ? Buffer.from([value]) : Buffer.from([(value & 0x7f) | 0x80, value >> 7])
}

/** A serialised transaction up to its last key; a message of before versions has no byte for one. */
function serialised(version: number | null, signatures: number, keys: number): Buffer {
  return Buffer.concat([
    count(signatures),
    ...Array.from({ length: signatures }, (_, n) => Buffer.alloc(64, 1 + n)),
    Buffer.from(version === null ? [] : [0x80 | version]),
    Buffer.from([signatures, 0, 1]),
    count(keys),
    ...Array.from({ length: keys }, (_, n) => Buffer.alloc(32, 1 + (n % 255))),
  ])
}

test('the first signature and the keys are read, with and without a version', () => {
  for (const version of [null, 0])
    for (const [signatures, keys] of [
      [1, 1],
      [2, 3],
      [1, 200],
    ])
      expect(readWireTransaction(serialised(version, signatures, keys))).toEqual({
        signature: encodeBase58(Buffer.alloc(64, 1)),
        accountKeys: Array.from({ length: keys }, (_, n) =>
          encodeBase58(Buffer.alloc(32, 1 + (n % 255))),
        ),
        signersCount: signatures,
      })
})

test('a transaction that is cut anywhere, of a later version or without a signature is none', () => {
  for (const version of [null, 0]) {
    const whole = serialised(version, 2, 3)
    for (let length = 0; length < whole.length; length++)
      expect(readWireTransaction(whole.subarray(0, length)), `${length} bytes`).toBe(null)
    expect(readWireTransaction(serialised(version, 0, 3))).toBe(null)
  }
  for (const version of [1, 2, 127])
    expect(readWireTransaction(serialised(version, 1, 3))).toBe(null)
  expect(readWireTransaction(Buffer.alloc(2_000, 0xff))).toBe(null)
})
