import { expect, test } from 'vitest'
import { ALPHABET } from '../../../src/base/base58.ts'
import { ADDRESS_BYTES_MAX, AddressBook } from '../../../src/engine/state/address-book.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { Random } from '../../oracle/random.ts'
import { formerParts } from '../../store/former-book.ts'

/** More than one page of rows, so that numbers beyond the first one are looked up too. */
const MANY = 20_000
const SEED = 20_261_129

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

test('addresses of one hash that differ in their first or last characters are told apart', () => {
  const book = new AddressBook()
  const random = new Random(SEED)
  const rest = random.base58(44).slice(0, 40)
  // So many that there are pairs of one hash: 200,000 of 32 bits have four or five.
  const ends = new Set(Array.from({ length: 200_000 }, () => base58(random, 5)))
  for (const textOf of [(end: string) => rest + end, (end: string) => end + rest]) {
    const before = book.counts.addresses
    for (const end of ends) book.address(textOf(end))
    expect(book.counts.addresses - before).toBe(ends.size)
  }
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

test('addresses of Solana, shorter and longer texts, and texts with one other character are told apart and ordered', () => {
  const random = new Random(SEED)
  const book = new AddressBook()
  const texts = new Set<string>()
  for (let i = 0; i < 4_000; i++) {
    const text = base58(random, random.integer(1, 47))
    texts.add(text)
    // One more character, one less, and one that is not of the alphabet.
    for (const like of [`${text}1`, text.slice(0, -1), `${text.slice(0, -1)}0`, `é${text}`])
      texts.add(like)
  }
  for (let i = 0; i < 4_000; i++) texts.add(random.base58(44))
  const all = [...texts]
  const ids = all.map((text) => book.address(text))
  expect(new Set(ids).size, `seed ${SEED}`).toBe(all.length)
  const bytes = new Uint8Array(ADDRESS_BYTES_MAX + 8)
  for (const [i, id] of ids.entries()) {
    const length = book.copyText(id, bytes, 3)
    const copied = new TextDecoder().decode(bytes.subarray(3, 3 + length))
    const again = book.addressOfBytes(bytes, 3, 3 + length)
    const read = [book.text(id), copied, again, book.findAddress(all[i])]
    expect(read, `seed ${SEED}`).toEqual([all[i], all[i], id, id])
  }
  const sorted = all.toSorted((a, b) => (a < b ? -1 : 1))
  const orders = sorted.map((text) => book.orderOf(book.findAddress(text)))
  for (let i = 1; i < orders.length; i++) expect(orders[i]).toBeGreaterThanOrEqual(orders[i - 1])
})

test('an address that is a mint and a wallet is both, whichever it was first', () => {
  const random = new Random(SEED)
  const texts = [...Array.from({ length: 30 }, () => random.base58(44)), 'a mint', 'l'.repeat(400)]
  for (const text of texts)
    for (const isTokenFirst of [true, false]) {
      const book = new AddressBook()
      book.token('another')
      if (isTokenFirst) expect([book.token(text), book.findWallet(text)]).toEqual([1, -1])
      else expect([book.wallet(text), book.findToken(text)]).toEqual([0, -1])
      expect([book.token(text), book.wallet(text), book.token(text)]).toEqual([1, 0, 1])
      expect([book.findToken(text), book.findWallet(text)]).toEqual([1, 0])
      expect([book.mintOf(1), book.walletText(0), book.counts.addresses]).toEqual([text, text, 2])
      expect(book.address(text)).toBe(1)
    }
})

test('a book as snapshots before version 12 have it is the same book', () => {
  const random = new Random(SEED)
  const kept = Array.from({ length: 5_000 }, (_, i) =>
    i % 9 === 0 ? `text ${i}` : random.base58(44),
  )
  const book = new AddressBook()
  for (const [i, text] of kept.entries()) {
    book.address(text)
    if (i % 3 === 0) book.token(text)
    if (i % 5 === 0) book.wallet(text)
  }
  const loaded = new AddressBook()
  // What it held before is gone.
  expect(loaded.text(loaded.addressOfToken(loaded.token('before')))).toBe('before')
  const former = loaded.parts.map((part) => part.former?.(11) ?? part)
  copyParts(formerParts(book), former)
  expect(loaded.counts).toEqual(book.counts)
  for (const text of ['before', ...kept])
    expect([loaded.findAddress(text), loaded.findToken(text), loaded.findWallet(text)]).toEqual([
      book.findAddress(text),
      book.findToken(text),
      book.findWallet(text),
    ])
  for (let id = 0; id < kept.length; id++) expect(loaded.text(id)).toBe(kept[id])
  expect(loaded.parts.map((part) => part.former?.(12) ?? part)).toEqual(loaded.parts)
})

function base58(random: Random, length: number): string {
  return Array.from({ length }, () => ALPHABET[random.integer(0, 57)]).join('')
}
