import { Rows } from '../../src/engine/memory/rows.ts'
import type { StatePart } from '../../src/engine/memory/state-part.ts'
import { TextStore } from '../../src/engine/memory/text-store.ts'
import type { AddressBook } from '../../src/engine/state/address-book.ts'

/** The parts of a book as snapshots before version 12 have them, in their order. */
export function formerParts(book: AddressBook): StatePart[] {
  const texts = new TextStore()
  const [rows, tokens, wallets] = [new Rows(4), new Rows(2), new Rows(2)]
  const { counts, parts } = book
  for (let token = 0; token < counts.tokens; token++)
    tokens.set(tokens.add(), 0, book.addressOfToken(token))
  for (let wallet = 0; wallet < counts.wallets; wallet++)
    wallets.set(wallets.add(), 0, book.addressOfWallet(wallet))
  for (let id = 0; id < counts.addresses; id++) {
    rows.set(rows.add(), 0, texts.putBytes(new TextEncoder().encode(book.text(id))))
    rows.set(id, 1, book.tokenOf(id) + 1)
    rows.set(id, 2, book.walletOf(id) + 1)
  }
  const [text, row, slots, token, wallet] = parts.map(({ name }) => name)
  return [
    texts.part(text),
    rows.part(row),
    ...parts.filter(({ name }) => name === slots),
    tokens.part(token),
    wallets.part(wallet),
  ]
}
