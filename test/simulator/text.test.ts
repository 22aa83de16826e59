import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import {
  randomAddress,
  randomMint,
  signatureText,
  TokenTextSource,
} from '../../src/feeds/simulator/world/token-text.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function numberOf(text: string): bigint {
  return [...text].reduce((sum, char) => sum * 58n + BigInt(ALPHABET.indexOf(char)), 0n)
}

test('the text of a signature is base58 of its 64 bytes', () => {
  const random = new Random(4)
  const lanes = new Uint32Array(16)
  for (let i = 0; i < 2_000; i++) {
    lanes.forEach((_, lane) => {
      lanes[lane] = random.next()
    })
    lanes[0] = (lanes[0] ?? 0) | 1
    const bytes = Buffer.from(lanes.buffer).toString('hex')
    expect(numberOf(signatureText(lanes))).toBe(BigInt(`0x${bytes}`))
  }
})

test('addresses and mints have 44 characters and stand for 32 bytes', () => {
  const random = new Random(5)
  for (let i = 0; i < 2_000; i++) {
    for (const text of [randomAddress(random), randomMint(random, true)]) {
      expect(text).toHaveLength(44)
      expect(numberOf(text)).toBeLessThan(2n ** 256n)
    }
  }
  expect(randomMint(random, true).endsWith('pump')).toBe(true)
})

test('signatures of many transactions are all different', () => {
  const random = new Random(6)
  const lanes = new Uint32Array(16)
  const seen = new Set<string>()
  for (let i = 0; i < 50_000; i++) {
    random.scatter(lanes, 0, 16)
    seen.add(Buffer.from(lanes.buffer).toString('latin1'))
  }
  expect(seen.size).toBe(50_000)
})

test('no character of a name, symbol or link is cut in half', () => {
  const source = new TokenTextSource(new Random(7))
  let symbolsOfPictures = 0
  for (let i = 0; i < 20_000; i++) {
    const text = source.text()
    for (const part of [...Object.values(text), ...Object.values(source.links(text.name))])
      expect(part.isWellFormed(), part).toBe(true)
    if (/\p{Extended_Pictographic}/u.test(text.symbol)) symbolsOfPictures++
  }
  expect(symbolsOfPictures).toBeGreaterThan(20)
})
