import { expect, test } from 'vitest'
import { ADDRESS_BYTES_MAX, AddressBook } from '../../../src/engine/state/address-book.ts'

/** More than one page of rows, so that numbers beyond the first one are looked up too. */
const MANY = 20_000

test('an address of any length and any characters is one, and found again, by what is kept of it', () => {
  const book = new AddressBook()
  const most = ADDRESS_BYTES_MAX
  const kept: [given: string, kept: string][] = [
    ['', ''],
    ['a\u007f', 'a\u007f'],
    ['a\u0080', 'a\u0080'],
    ['aé', 'aé'],
    ['a'.repeat(most - 1), 'a'.repeat(most - 1)],
    ['b'.repeat(most), 'b'.repeat(most)],
    ['b'.repeat(most + 1), 'b'.repeat(most)],
    ['b'.repeat(3 * most), 'b'.repeat(most)],
    ['é'.repeat(most), 'é'.repeat(most / 2)],
    // No half of a character is kept.
    [`c${'é'.repeat(most)}`, `c${'é'.repeat(most / 2 - 1)}`],
  ]
  const ids = kept.map(([given]) => book.address(given))
  for (const [i, [given, text]] of kept.entries()) {
    expect(book.text(ids[i])).toBe(text)
    expect([book.address(given), book.findAddress(given)]).toEqual([ids[i], ids[i]])
    expect(book.findAddress(text)).toBe(ids[i])
  }
  expect(book.counts.addresses).toBe(new Set(kept.map(([, text]) => text)).size)
  const bytes = new TextEncoder().encode('before aé behind')
  expect(book.addressOfBytes(bytes, 7, 10)).toBe(book.findAddress('aé'))
})

test('mints and signers have rows of their own, each of its address, however many there are', () => {
  const book = new AddressBook()
  for (let i = 0; i < MANY; i++) {
    if (i % 3 > 0) expect(book.token(`address ${i}`)).toBe(book.counts.tokens - 1)
    if (i % 2 > 0) expect(book.wallet(`address ${i}`)).toBe(book.counts.wallets - 1)
  }
  let tokens = 0
  let wallets = 0
  for (let i = 0; i < MANY; i++) {
    const text = `address ${i}`
    const token = i % 3 > 0 ? tokens++ : -1
    const wallet = i % 2 > 0 ? wallets++ : -1
    if (book.findToken(text) !== token || book.findWallet(text) !== wallet)
      expect([text, book.findToken(text), book.findWallet(text)]).toEqual([text, token, wallet])
    if (token >= 0) expect(book.mintOf(token)).toBe(text)
    if (wallet >= 0) expect(book.walletText(wallet)).toBe(text)
  }
})

test('addresses that have the same hash are two, and each is found', () => {
  const book = new AddressBook()
  // By FNV-1a, of 32 bits: among millions of addresses there are hundreds of such pairs.
  const alike = ['costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke']
  const ids = alike.map((text) => book.address(text))
  expect(new Set(ids).size).toBe(alike.length)
  expect(alike.map((text) => book.findAddress(text))).toEqual(ids)
  expect(ids.map((id) => book.text(id))).toEqual(alike)
})
