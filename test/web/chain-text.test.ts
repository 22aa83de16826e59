import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeLink, short, shown, shownName } from '../../web/src/text/chain-text.ts'

test('marks that turn or hide text are left out, words and pictures stay', () => {
  expect(shown('safe\u202egnp.exe')).toBe('safegnp.exe')
  expect(shown('a\u200bb\ufeffc\u2066d')).toBe('abcd')
  expect(shown('قطة 猫 кот')).toBe('قطة 猫 кот')
  expect(shown('👩‍🚀 go')).toBe('👩‍🚀 go')
  expect(shown('pay\u200dpal')).toBe('paypal')
  expect(shown('two\nlines\tand   more')).toBe('two lines and more')
  expect(shown(`z${'\u0301'.repeat(40)}`)).toBe('z\u0301\u0301')
})

test('a name of nothing but unseen characters is called by its mint', () => {
  expect(shownName('\u200b\u3164\u202e', 'MintMintMintMint')).toBe('Mint…Mint')
})

test('a braille pattern without a dot is a blank: a name of nothing else is none', () => {
  expect(shownName('\u2800\u2800', 'MintMintMintMint')).toBe('Mint…Mint')
  expect(shown('\u2800two\u2800\u2800words')).toBe('two words')
  expect(shown('⠓⠊')).toBe('⠓⠊')
})

test('markup stays what it is: text', () => {
  expect(shown('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})

test('whatever comes, what is shown is bounded and has no control or direction mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const seen = shown(text)
      expect([...seen].length).toBeLessThanOrEqual(64)
      expect(seen).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u)
    }),
  )
})

test('only well-formed https addresses without a login become links', () => {
  expect(safeLink('https://x.com/a')).toBe('https://x.com/a')
  for (const text of ['http://x.com', 'javascript:alert(1)', 'https://a@b.c', 'x.com', '', null])
    expect(safeLink(text)).toBeNull()
})

test('an address is shortened in the middle', () => {
  expect(short('5WMqabcdefghpump')).toBe('5WMq…pump')
  expect(short('tiny')).toBe('tiny')
})
